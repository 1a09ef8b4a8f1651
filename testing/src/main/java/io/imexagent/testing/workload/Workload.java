package io.imexagent.testing.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import java.util.List;

/**
 * A workload of one pod: a ComputeDomain, its claim template, the pod bound to a node, and the pod's claim with channel 0
 * allocated.
 *
 * @param namespace where all of it stands
 * @param node the node
 * @param number tells workloads apart; names and UIDs come from it
 */
public record Workload(String namespace, String node, int number) {

    private static final String DOMAIN_ANNOTATION = "imexagent.io/compute-domain";

    /** UIDs of the kinds of objects are that far apart. */
    private static final int KINDS = 1_000_000;

    public String domain() {
        return "train-" + number;
    }

    public String pod() {
        return "worker-" + number;
    }

    public String domainUid() {
        return Fixtures.uid(number);
    }

    /** The claim, as the kubelet names it. */
    public KubeletClaimRequest claim() {
        return new KubeletClaimRequest(namespace, pod() + "-channel", Fixtures.uid(2 * KINDS + number));
    }

    /** Everything, as a List to put into a cluster. */
    public ObjectNode objects() {
        return list(List.of(domainObject(), claimTemplateObject(), podObject(), claimObject()));
    }

    /** What every cluster has that runs workloads on the node: its Node object and the device class. */
    public static ObjectNode cluster(String node) {
        return list(List.of(Fixtures.node(node, Fixtures.uid(3 * KINDS)), Fixtures.deviceClass()));
    }

    public ObjectNode domainObject() {
        return Fixtures.computeDomain(namespace, domain(), domainUid(), domain() + "-channel");
    }

    public ObjectNode podObject() {
        return Fixtures.pod(namespace, pod(), Fixtures.uid(KINDS + number), node, claim().name());
    }

    /** The claim, with the name of its ComputeDomain, as it has it from the controller's template. */
    public ObjectNode claimObject() {
        KubeletClaimRequest claim = claim();
        ObjectNode object =
                Fixtures.allocatedClaim(namespace, claim.name(), claim.uid(), node, domainUid(), podObject());
        object.withObject("/metadata/annotations").put(DOMAIN_ANNOTATION, domain());
        return object;
    }

    /** Several lists as one. */
    public static ObjectNode together(List<ObjectNode> lists) {
        ObjectNode all = Json.object();
        ArrayNode items = all.putArray("items");
        lists.forEach(list -> list.path("items").forEach(items::add));
        return all;
    }

    /** Mistakes of users in the parameters of a claim, which is refused for good then, whatever the node does. */
    public enum Mistake {
        /** {@code allocationMode: All}, which host-managed IMEX does not have. */
        ALLOCATION_MODE("allocationMode", "All"),
        /** A field that the configuration does not have. */
        UNKNOWN_FIELD("domainId", "00000000-0000-4000-8000-000000000001"),
        /** No ComputeDomain named. */
        NO_DOMAIN("domainID", "");

        private final String field;
        private final String value;

        Mistake(String field, String value) {
            this.field = field;
            this.value = value;
        }
    }

    /** The pod and its claim with a mistake in it, as a List. */
    public ObjectNode objects(Mistake mistake) {
        ObjectNode claim = claimObject();
        claim.withObject("/status/allocation/devices/config/0/opaque/parameters")
                .put(mistake.field, mistake.value);
        return list(List.of(podObject(), claim));
    }

    private ObjectNode claimTemplateObject() {
        return Fixtures.claimTemplate(namespace, domain() + "-channel", domainUid());
    }

    private static ObjectNode list(List<? extends JsonNode> objects) {
        ObjectNode list = Json.object();
        list.putArray("items").addAll(objects);
        return list;
    }
}
