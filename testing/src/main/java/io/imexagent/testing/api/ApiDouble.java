package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.access.Authenticator;
import io.imexagent.testing.api.access.Authorizer;
import io.imexagent.testing.api.access.ClaimStatusRights;
import io.imexagent.testing.api.access.RequestAdmission;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.RoleGrant;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.Gates;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.Lifecycle;
import io.imexagent.testing.api.object.ObjectKey;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import io.imexagent.testing.api.tls.IssuedCertificate;
import io.imexagent.testing.api.tls.KeyKind;
import io.imexagent.testing.api.tls.TestAuthority;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * A running double of the Kubernetes API server on a loopback port. Clients meet the rules of the real server; tests
 * reach past them through the methods of this class. All methods may be called from any thread.
 */
public final class ApiDouble implements AutoCloseable {
    private final TestAuthority authority = TestAuthority.create(Clock.systemUTC());
    private final AtomicReference<Gates> gates = new AtomicReference<>(Gates.ALL_ON);
    private final AtomicReference<RequestAdmission> admission = new AtomicReference<>(RequestAdmission.NONE);
    private final Lifecycle lifecycle =
            new Lifecycle(Clock.systemUTC(), RandomGenerator.of("L64X128MixRandom"), gates::get);
    private final boolean tls;
    private final ObjectStore store;
    private final Registry registry;
    private final Authenticator authenticator;
    private final Authorizer authorizer;
    private final List<InjectedFault> faults = new CopyOnWriteArrayList<>();
    private final RequestLog log = new RequestLog();
    private final ApiHandler handler;
    private final HttpListener listener;

    private ApiDouble(ApiDoubleOptions options) throws IOException {
        this.tls = options.tls;
        this.store = new ObjectStore(options.historyWindow);
        this.authorizer = new Authorizer(
                key -> store.get(key).map(StoredObject::tree),
                () -> store.all(ResourceType.PODS).stream().map(StoredObject::tree));
        this.registry = new Registry(store, lifecycle, admission::get, new ClaimStatusRights(authorizer));
        List.of("default", "kube-system", "kube-node-lease", "kube-public").forEach(this::makeNamespace);
        this.authenticator = new Authenticator(authority, options.tokens);
        this.handler = new ApiHandler(options, authenticator, authorizer, store, registry, lifecycle, faults, log);
        this.listener = new HttpListener(tls ? Optional.of(authority.issueServer()) : Optional.empty(), handler);
    }

    /** Starts a double; {@link IOException} where the port is taken. */
    public static ApiDouble start(ApiDoubleOptions options) throws IOException {
        return new ApiDouble(options);
    }

    /** Where clients connect: {@code https://127.0.0.1:<port>}. */
    public String url() {
        return (tls ? "https" : "http") + "://127.0.0.1:" + listener.port();
    }

    /** The authority that signed the server's certificate, as PEM. */
    public String certificateAuthorityPem() {
        return authority.pem();
    }

    public Path writeKubeconfig(Path file, Login login) throws IOException {
        return login.writeKubeconfig(file, url(), tls ? Optional.of(authority.pem()) : Optional.empty());
    }

    /**
     * Issues a client certificate with the user as common name and the groups as organizations.
     *
     * @param validity from now on; a negative value makes one that has expired
     */
    public IssuedCertificate issueCertificate(UserIdentity identity, KeyKind kind, Duration validity) {
        return authority.issueClient(identity.user(), List.copyOf(identity.groups()), kind, validity);
    }

    public void acceptToken(String token, UserIdentity identity) {
        authenticator.accept(token, identity);
    }

    /** Answers 401 to a bearer token from now on. */
    public void revokeToken(String token) {
        authenticator.revoke(token);
    }

    public void grant(RoleGrant grant) {
        authorizer.grant(grant);
    }

    /** Lets a user or group get a path that is no resource, in the eyes of a SubjectAccessReview, from now on. */
    public void grantPath(String subject, String path) {
        authorizer.allow(subject, "get " + path);
    }

    /** Lets a user or group create {@code tokenreviews} or {@code subjectaccessreviews} from now on. */
    public void grantReview(String subject, String plural) {
        authorizer.allow(subject, "create " + plural);
    }

    /** Lets a user or group change the entries of a driver in claims, by a verb as {@code associated-node:patch}. */
    public void grantReports(String subject, String verb, String driver) {
        authorizer.allow(subject, verb + " resourceclaims/driver " + driver);
    }

    /** Lets a user or group change allocations of claims, by a verb. */
    public void grantBinding(String subject, RequestVerb verb) {
        authorizer.allow(subject, verb.text() + " resourceclaims/binding");
    }

    /** Takes every role for a resource from a user or group. */
    public void revoke(String subject, ResourceType type) {
        authorizer.revoke(subject, type);
    }

    /** Judges all writes over HTTP from now on. */
    public void admit(RequestAdmission now) {
        admission.set(now);
    }

    /** Switches the feature gates. Stored objects stay as they are. */
    public void setGates(Gates now) {
        gates.set(now);
    }

    /**
     * Puts an object, or those of a List, there as they stand: without validation, with their status, keeping the UID
     * that they bring. Watches see it. A namespace that is missing is made.
     */
    public void apply(JsonNode objects) {
        if (objects.path("items").isArray()) {
            objects.path("items").forEach(this::apply);
            return;
        }
        ObjectNode object = normal(objects);
        ResourceType type = typeOf(object);
        String name = object.path("metadata").path("name").asText("");
        String asked = object.path("metadata").path("namespace").asText("");
        String namespace = !type.namespaced() ? "" : asked.isEmpty() ? "default" : asked;
        store.atomically(() -> {
            if (type.namespaced()) {
                object.withObject("/metadata").put("namespace", namespace);
                makeNamespace(namespace);
            }
            ObjectKey key = new ObjectKey(type, namespace, name);
            store.get(key).ifPresent(old -> adopt(old, object));
            return store.put(key, lifecycle.seed(type, object));
        });
    }

    /** Puts the objects of a YAML or JSON file there, all documents of it. */
    public void apply(Path file) throws IOException {
        Json.documents(file).stream().filter(JsonNode::isObject).forEach(this::apply);
    }

    private void makeNamespace(String name) {
        ObjectKey key = new ObjectKey(ResourceType.NAMESPACES, "", name);
        if (store.get(key).isEmpty()) {
            ObjectNode object = Json.object();
            object.putObject("metadata").put("name", name);
            object.putObject("status").put("phase", "Active");
            store.put(key, lifecycle.seed(ResourceType.NAMESPACES, object));
        }
    }

    /** An object that was there keeps its identity, unless the new one brings its own: then it was replaced. */
    private void adopt(StoredObject old, ObjectNode object) {
        ObjectNode metadata = object.withObject("/metadata");
        String uid = metadata.path("uid").asText("");
        if (uid.isEmpty()) {
            metadata.set("uid", old.tree().at("/metadata/uid"));
            metadata.set("creationTimestamp", old.tree().at("/metadata/creationTimestamp"));
        } else if (!uid.equals(old.text("/metadata/uid"))) {
            remove(old.key());
        }
    }

    private static ResourceType typeOf(ObjectNode object) {
        String apiVersion = object.path("apiVersion").asText();
        String kind = object.path("kind").asText();
        return ResourceType.ofKind(apiVersion, kind)
                .orElseThrow(() -> new IllegalArgumentException("the double serves no " + apiVersion + " " + kind));
    }

    /** The tree as a parser would have built it, so that numbers compare equal to those that clients send. */
    private static ObjectNode normal(JsonNode given) {
        return Json.sent(Json.bytes(given));
    }

    /**
     * Creates an object as a user would who may do that: by all rules of the server, and within its limits. The answer
     * is a copy of it; {@link StatusException} where the server would refuse it.
     */
    public ObjectNode create(ObjectNode object) {
        ObjectNode sent = normal(object);
        ResourceType type = typeOf(sent);
        lifecycle.fit(type, sent);
        String namespace = sent.at("/metadata/namespace").asText("");
        return registry.create(type, namespace, sent, UserIdentity.ADMIN).tree().deepCopy();
    }

    /** A copy of an object as it is now; the namespace is empty for types without namespaces. */
    public Optional<ObjectNode> get(ResourceType type, String namespace, String name) {
        return store.get(new ObjectKey(type, namespace, name))
                .map(object -> object.tree().deepCopy());
    }

    /**
     * Deletes an object as a user would who may do that: it is gone, or marked while finalizers hold it; {@link
     * StatusException} where there is none.
     */
    public void delete(ResourceType type, String namespace, String name) {
        registry.delete(new ObjectKey(type, namespace, name), Json.object(), UserIdentity.ADMIN);
    }

    /** All objects of a type, ordered by namespace and name; the trees are copies. */
    public List<ObjectNode> list(ResourceType type) {
        return store.all(type).stream().map(object -> object.tree().deepCopy()).toList();
    }

    /**
     * Changes an object as another component with every right would, past immutability and validation; {@link
     * IllegalArgumentException} where there is none.
     */
    public ObjectNode edit(ResourceType type, String namespace, String name, Consumer<ObjectNode> change) {
        ObjectKey key = new ObjectKey(type, namespace, name);
        return store.atomically(() -> {
            ObjectNode object = store.get(key)
                    .orElseThrow(() -> new IllegalArgumentException("there is no " + key))
                    .tree()
                    .deepCopy();
            change.accept(object);
            return store.put(key, normal(object)).tree().deepCopy();
        });
    }

    /** Removes an object at once, finalizers or not; false where there was none. */
    public boolean remove(ResourceType type, String namespace, String name) {
        return remove(new ObjectKey(type, namespace, name));
    }

    private boolean remove(ObjectKey key) {
        return store.atomically(() -> {
            Optional<StoredObject> found = store.get(key);
            found.ifPresent(object -> store.remove(key, object.tree().deepCopy()));
            return found.isPresent();
        });
    }

    /**
     * Takes a custom resource away, as the deletion of its CustomResourceDefinition does: its objects go, all watches
     * end, and its paths are not found. ApiDiscovery, which clients may have in a cache, goes on listing it.
     *
     * @throws IllegalArgumentException for a built-in resource
     */
    public void withdraw(ResourceType type) {
        if (!type.custom()) {
            throw new IllegalArgumentException(type.qualifiedPlural() + " is built in");
        }
        store.all(type).forEach(object -> remove(object.key()));
        handler.serve(type, false);
        dropWatches();
    }

    /** Serves a resource again that was taken away; its objects stay gone. */
    public void serveAgain(ResourceType type) {
        handler.serve(type, true);
    }

    /** Removes all slices of a node, as its kubelet does when it starts, and says how many there were. */
    public int deleteSlicesOfNode(String node) {
        return store.atomically(() -> (int) store.all(ResourceType.RESOURCE_SLICES).stream()
                .filter(slice -> slice.text("/spec/nodeName").equals(node))
                .filter(slice -> remove(slice.key()))
                .count());
    }

    /** Injects a fault into the next requests that match. */
    public InjectedFault inject(Predicate<LoggedRequest> match, FaultAction action, int times) {
        InjectedFault fault = new InjectedFault(match, action, times);
        faults.add(fault);
        return fault;
    }

    /** Injects a fault into every request that matches, until it is released. */
    public InjectedFault inject(Predicate<LoggedRequest> match, FaultAction action) {
        return inject(match, action, Integer.MAX_VALUE);
    }

    /** Ends all faults; requests that hang go on. */
    public void clearFaults() {
        faults.forEach(InjectedFault::release);
        faults.clear();
    }

    /** Cuts the connections of all watches and says how many there were. */
    public int dropWatches() {
        return store.tellWatches(Watch.CUT);
    }

    public int openWatches() {
        return store.openWatches();
    }

    /** Forgets the history: a watch from any revision before the current one is answered with 410 Expired. */
    public void compact() {
        store.compact();
    }

    /** Is gone: closes all connections and refuses new ones until {@link #comeBack}. Objects stay. */
    public void goAway() {
        listener.suspend();
    }

    /** Serves again, on the same port; {@link IOException} where another process took it meanwhile. */
    public void comeBack() throws IOException {
        listener.resume();
    }

    public RequestLog requests() {
        return log;
    }

    /** Ends all connections and gives the port back. */
    @Override
    public void close() {
        listener.close();
        clearFaults();
        store.tellWatches(Watch.GONE);
    }
}
