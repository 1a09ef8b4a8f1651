package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.Lifecycle;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusCause;
import io.imexagent.testing.api.object.StatusException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Server-side apply of what drivers report of the devices of claims: entries take the place of those about the same devices,
 * and what a field manager applied before and now leaves out goes, unless another manager applied it too. Of the owners of
 * fields the double knows no more. To be called where nothing else changes objects.
 */
final class AppliedReports {

    /** The entries that each manager applied last, by the claim's UID. */
    private final Map<String, Map<String, Set<String>>> applied = new HashMap<>();

    /** The claim as it is after an apply by this manager; 422 where another claim's UID is sent, as Kubernetes 1.36.2 has it. */
    ObjectNode apply(String manager, ObjectNode current, ObjectNode sent) {
        String uid = current.at("/metadata/uid").asText();
        String meant = sent.at("/metadata/uid").asText(uid);
        if (!meant.equals(uid)) {
            throw StatusException.invalid(
                    ResourceType.RESOURCE_CLAIMS,
                    current.at("/metadata/name").asText(),
                    List.of(StatusCause.invalid("metadata.uid", "\"" + meant + "\"", "field is immutable")));
        }
        ObjectNode result = current.deepCopy();
        Json.child(result, "metadata").setAll(Json.child(sent, "metadata"));
        Set<String> gone = new HashSet<>(owned(uid, manager));
        applied.getOrDefault(uid, Map.of()).forEach((other, keys) -> {
            if (!other.equals(manager)) {
                gone.removeAll(keys);
            }
        });
        gone.addAll(keys(sent));
        ArrayNode devices = Json.child(result, "status").withArray("devices");
        devices.removeIf(entry -> gone.containsAll(
                Lifecycle.reports(Json.object().withArray("only").add(entry)).keySet()));
        sent.at("/status/devices").forEach(devices::add);
        return result;
    }

    /** Keeps what the manager has applied; once the claim is changed. */
    void keep(String manager, String uid, ObjectNode sent) {
        applied.computeIfAbsent(uid, _ -> new HashMap<>()).put(manager, keys(sent));
    }

    private Set<String> owned(String uid, String manager) {
        return applied.getOrDefault(uid, Map.of()).getOrDefault(manager, Set.of());
    }

    private static Set<String> keys(ObjectNode sent) {
        return Set.copyOf(Lifecycle.reports(sent.at("/status/devices")).keySet());
    }
}
