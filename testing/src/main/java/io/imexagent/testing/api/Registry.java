package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.access.AdmissionRules;
import io.imexagent.testing.api.access.ClaimStatusRights;
import io.imexagent.testing.api.access.RequestAdmission;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.Lifecycle;
import io.imexagent.testing.api.object.ObjectKey;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** The writing verbs: each reads, checks and stores under one lock, or throws a {@link StatusException} and stores nothing. */
final class Registry {
    /** The server tries a generated name this often before it gives up. */
    private static final int NAME_ATTEMPTS = 8;

    private final ObjectStore store;
    private final Lifecycle lifecycle;
    private final Supplier<RequestAdmission> admission;
    private final ClaimStatusRights rights;

    Registry(ObjectStore store, Lifecycle lifecycle, Supplier<RequestAdmission> admission, ClaimStatusRights rights) {
        this.rights = rights;
        this.store = store;
        this.lifecycle = lifecycle;
        this.admission = admission;
    }

    StoredObject create(ResourceType type, String namespace, ObjectNode sent, UserIdentity identity) {
        return store.atomically(() -> {
            checkNamespace(namespace, sent);
            requireNamespace(type, namespace);
            int attempts = sent.path("metadata").path("name").asText("").isEmpty() ? NAME_ATTEMPTS : 1;
            String name = "";
            for (int attempt = 0; attempt < attempts; attempt++) {
                ObjectNode object = lifecycle.create(type, namespace, sent);
                name = object.path("metadata").path("name").asText();
                admit(
                        identity,
                        new RequestAdmission.AdmittedWrite(
                                RequestVerb.CREATE, type, "", Optional.empty(), Optional.of(object)));
                ObjectKey key = new ObjectKey(type, namespace, name);
                if (store.get(key).isEmpty()) {
                    return store.put(key, object);
                }
            }
            throw StatusException.alreadyExists(type, name);
        });
    }

    /** Replaces an object, or its status, by what the client makes of the current one; the verb is update or patch. */
    StoredObject update(
            ObjectKey key,
            String subresource,
            RequestVerb verb,
            UnaryOperator<ObjectNode> change,
            UserIdentity identity) {
        return store.atomically(() -> {
            StoredObject current = current(key);
            ObjectNode old = current.tree();
            ObjectNode sent = change.apply(old);
            checkPlace(key, sent);
            checkVersion(key, current, sent.path("metadata"));
            ObjectNode now = subresource.isEmpty()
                    ? lifecycle.update(key.type(), old, sent)
                    : lifecycle.updateStatus(key.type(), old, sent);
            if (key.type() == ResourceType.RESOURCE_CLAIMS && !subresource.isEmpty()) {
                rights.check(identity, verb, old, now);
            }
            admit(
                    identity,
                    new RequestAdmission.AdmittedWrite(
                            verb, key.type(), subresource, Optional.of(old), Optional.of(now)));
            if (Lifecycle.mayGo(now)) {
                return store.remove(key, now);
            }
            now.withObject("/metadata").put("resourceVersion", Long.toString(current.revision()));
            return now.equals(old) ? current : store.put(key, now);
        });
    }

    /** Deletes an object: it is gone, in its last state, or marked while finalizers hold it. */
    StoredObject delete(ObjectKey key, JsonNode options, UserIdentity identity) {
        return store.atomically(() -> {
            StoredObject current = current(key);
            checkPreconditions(key, current, options.path("preconditions"));
            admit(
                    identity,
                    new RequestAdmission.AdmittedWrite(
                            RequestVerb.DELETE, key.type(), "", Optional.of(current.tree()), Optional.empty()));
            if (!Lifecycle.held(current.tree())) {
                return store.remove(key, current.tree().deepCopy());
            }
            return Lifecycle.deleting(current.tree())
                    ? current
                    : store.put(key, lifecycle.markDeleted(key.type(), current.tree()));
        });
    }

    List<StoredObject> deleteAll(ObjectStore.Filter filter, JsonNode options, UserIdentity identity) {
        return store.atomically(() -> {
            List<StoredObject> found = store.list(filter);
            found.forEach(object -> delete(object.key(), options, identity));
            return found;
        });
    }

    private void admit(UserIdentity identity, RequestAdmission.AdmittedWrite write) {
        AdmissionRules.check(identity, write.verb(), write.type(), write.old(), write.now());
        admission.get().check(identity, write);
    }

    private StoredObject current(ObjectKey key) {
        return store.get(key).orElseThrow(() -> StatusException.notFound(key.type(), key.name()));
    }

    private void requireNamespace(ResourceType type, String namespace) {
        if (type.namespaced()
                && store.get(new ObjectKey(ResourceType.NAMESPACES, "", namespace))
                        .isEmpty()) {
            throw StatusException.notFound(ResourceType.NAMESPACES, namespace);
        }
    }

    private static void checkPlace(ObjectKey key, ObjectNode sent) {
        String name = sent.path("metadata").path("name").asText("");
        if (!name.equals(key.name())) {
            throw StatusException.badRequest(
                    "the name of the object (" + name + ") does not match the name on the URL (" + key.name() + ")");
        }
        checkNamespace(key.namespace(), sent);
    }

    private static void checkNamespace(String namespace, ObjectNode sent) {
        String own = sent.at("/metadata/namespace").asText("");
        if (!own.isEmpty() && !own.equals(namespace)) {
            throw StatusException.badRequest(
                    "the namespace of the provided object does not match the namespace sent on the request");
        }
    }

    private static void checkVersion(ObjectKey key, StoredObject current, JsonNode sent) {
        String uid = current.text("/metadata/uid");
        String asked = sent.path("uid").asText("");
        if (!asked.isEmpty() && !asked.equals(uid)) {
            throw StatusException.conflict(
                    key.type(),
                    key.name(),
                    "Precondition failed: UID in precondition: " + asked + ", UID in object meta: " + uid);
        }
        String version = sent.path("resourceVersion").asText("");
        if (version.isEmpty() && key.type().custom()) {
            throw StatusException.unversioned(key.type(), key.name());
        }
        if (!version.isEmpty() && !version.equals(Long.toString(current.revision()))) {
            throw StatusException.conflict(key.type(), key.name(), StatusException.MODIFIED);
        }
    }

    private static void checkPreconditions(ObjectKey key, StoredObject current, JsonNode preconditions) {
        checkPrecondition(
                key,
                "UID",
                preconditions.path("uid").asText(""),
                current.text("/metadata/uid"),
                "deleted and then recreated");
        checkPrecondition(
                key,
                "ResourceVersion",
                preconditions.path("resourceVersion").asText(""),
                Long.toString(current.revision()),
                "modified");
    }

    private static void checkPrecondition(ObjectKey key, String what, String asked, String actual, String otherwise) {
        if (!asked.isEmpty() && !asked.equals(actual)) {
            throw StatusException.preconditionFailed(
                    key.type(),
                    key.name(),
                    "the " + what + " in the precondition (" + asked + ") does not match the " + what + " in record ("
                            + actual + "). The object might have been " + otherwise);
        }
    }
}
