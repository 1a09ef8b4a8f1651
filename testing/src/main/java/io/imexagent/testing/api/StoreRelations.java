package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.imexagent.testing.api.access.NodeRelations;
import io.imexagent.testing.api.object.ObjectKey;
import io.imexagent.testing.api.object.ResourceType;
import java.util.stream.Stream;

/** The relations of nodes and objects, read from the store. */
final class StoreRelations implements NodeRelations {
    private final ObjectStore store;

    StoreRelations(ObjectStore store) {
        this.store = store;
    }

    @Override
    public boolean claimBelongsTo(ObjectKey claim, String node) {
        JsonNode reservations = store.get(claim)
                .map(object -> object.tree().path("status").path("reservedFor"))
                .orElseGet(MissingNode::getInstance);
        return store.all(ResourceType.PODS).stream()
                .filter(pod -> pod.key().namespace().equals(claim.namespace()))
                .filter(pod -> nodeOf(pod).equals(node))
                .anyMatch(pod -> reserved(reservations, pod) || names(pod, claim.name()));
    }

    @Override
    public boolean sliceBelongsTo(ObjectKey slice, String node) {
        return store.get(slice).filter(object -> nodeOf(object).equals(node)).isPresent();
    }

    @Override
    public boolean podBelongsTo(ObjectKey pod, String node) {
        return store.get(pod).filter(object -> nodeOf(object).equals(node)).isPresent();
    }

    private static String nodeOf(StoredObject object) {
        return object.tree().path("spec").path("nodeName").asText("");
    }

    private static boolean reserved(JsonNode reservations, StoredObject pod) {
        String uid = pod.tree().path("metadata").path("uid").asText();
        return reservations
                .valueStream()
                .anyMatch(entry -> entry.path("resource").asText().equals("pods")
                        && entry.path("uid").asText().equals(uid));
    }

    private static boolean names(StoredObject pod, String claim) {
        JsonNode direct = pod.tree().path("spec").path("resourceClaims");
        JsonNode generated = pod.tree().path("status").path("resourceClaimStatuses");
        return Stream.of(direct, generated)
                .flatMap(JsonNode::valueStream)
                .anyMatch(entry -> entry.path("resourceClaimName").asText().equals(claim));
    }
}
