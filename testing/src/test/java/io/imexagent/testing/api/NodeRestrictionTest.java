package io.imexagent.testing.api;

import static io.imexagent.testing.api.Client.CLAIMS;
import static io.imexagent.testing.api.Client.DOMAINS;
import static io.imexagent.testing.api.Client.NODES;
import static io.imexagent.testing.api.Client.PODS;
import static io.imexagent.testing.api.Client.SLICES;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.access.RoleGrant;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the identity of a kubelet may and may not do. */
final class NodeRestrictionTest {
    private static final String OF_SELF = "fieldSelector=spec.nodeName%3Dtb-node";

    private final ApiDouble api;
    private final Client admin;
    private final Client node;

    NodeRestrictionTest() throws IOException {
        api = ApiDouble.start(new ApiDoubleOptions()
                .plainHttp()
                .token(
                        "operator",
                        new UserIdentity("system:serviceaccount:ops:imex", Set.of("system:serviceaccounts"))));
        admin = Client.admin(api);
        node = Client.node(api, "tb-node");
    }

    @BeforeEach
    void seed() {
        api.apply(Fixtures.node("tb-node", Fixtures.uid(1)));
        api.apply(Fixtures.node("other", Fixtures.uid(2)));
        api.apply(Fixtures.computeDomain("default", "domain", Fixtures.uid(3), "template"));
    }

    @AfterEach
    void stop() {
        admin.close();
        node.close();
        api.close();
    }

    private static void assertForbidden(Client.Reply reply, String why) {
        assertThat(reply.code()).isEqualTo(403);
        assertThat(reply.at("/reason")).isEqualTo("Forbidden");
        assertThat(reply.at("/message")).contains(why);
    }

    private String slice(Client by, String nodeName) throws IOException, InterruptedException {
        return by.create(SLICES, Fixtures.resourceSlice(nodeName, Fixtures.uid(1)))
                .at("/metadata/name");
    }

    @Test
    void createsChangesAndDeletesSlicesOfItsOwnNode() throws Exception {
        String name = slice(node, "tb-node");

        assertThat(node.get(SLICES + "/" + name).code()).isEqualTo(200);
        assertThat(node.merge(SLICES + "/" + name, "{\"spec\":{\"pool\":{\"generation\":2}}}")
                        .code())
                .isEqualTo(200);
        assertThat(node.update(
                                SLICES + "/" + name,
                                node.get(SLICES + "/" + name).body())
                        .code())
                .isEqualTo(200);
        assertThat(node.delete(SLICES + "/" + name).code()).isEqualTo(200);
    }

    @Test
    void createsNoSliceOfAnotherNode() throws Exception {
        Client.Reply reply = node.create(SLICES, Fixtures.resourceSlice("other", Fixtures.uid(2)));

        assertForbidden(reply, "can only create ResourceSlice with the same NodeName as the requesting node");
        assertThat(reply.at("/details/kind")).isEqualTo("resourceslices");
        assertThat(reply.at("/details/group")).isEqualTo("resource.k8s.io");
    }

    @Test
    void reachesNoSliceOfAnotherNodeAndNoneThatDoesNotExist() throws Exception {
        String name = slice(admin, "other");
        String why = "no relationship found between node 'tb-node' and this object";

        assertForbidden(node.get(SLICES + "/" + name), why);
        assertForbidden(node.delete(SLICES + "/" + name), why);
        assertForbidden(node.merge(SLICES + "/" + name, "{}"), why);
        assertForbidden(node.get(SLICES + "/missing"), why);
    }

    @Test
    void listsAndWatchesSlicesOnlyOfItsOwnNode() throws Exception {
        slice(admin, "other");
        slice(admin, "tb-node");
        String why = "can only list/watch/deletecollection resourceslices with nodeName field selector";

        assertThat(node.get(SLICES + "?" + OF_SELF).body().path("items")).hasSize(1);
        try (Lines lines = node.watch(SLICES + "?watch=true&" + OF_SELF)) {
            assertThat(lines.next().at("/object/spec/nodeName").asText()).isEqualTo("tb-node");
        }
        assertForbidden(node.get(SLICES), why);
        assertForbidden(node.get(SLICES + "?watch=true"), why);
        assertForbidden(node.get(SLICES + "?fieldSelector=spec.nodeName%3Dother"), why);
        assertForbidden(node.delete(SLICES), why);
    }

    @Test
    void removesAllSlicesOfItsOwnNode() throws Exception {
        slice(admin, "other");
        slice(admin, "tb-node");
        slice(admin, "tb-node");

        assertThat(node.delete(SLICES + "?" + OF_SELF).code()).isEqualTo(200);

        assertThat(api.list(ResourceType.RESOURCE_SLICES))
                .singleElement()
                .satisfies(
                        slice -> assertThat(slice.at("/spec/nodeName").asText()).isEqualTo("other"));
    }

    @Test
    void readsAClaimOnlyThroughAPodOnTheNode() throws Exception {
        ObjectNode pod = Fixtures.pod("default", "pod", Fixtures.uid(4), "tb-node", "claim");
        api.apply(Fixtures.allocatedClaim("default", "claim", Fixtures.uid(5), "tb-node", Fixtures.uid(3), pod));
        String why = "no relationship found between node 'tb-node' and this object";

        assertForbidden(node.get(CLAIMS + "/claim"), why);
        api.apply(pod);
        assertThat(node.get(CLAIMS + "/claim").code()).isEqualTo(200);
        try (Client other = Client.node(api, "other")) {
            assertForbidden(other.get(CLAIMS + "/claim"), "no relationship found between node 'other'");
        }
        api.remove(ResourceType.PODS, "default", "pod");
        assertForbidden(node.get(CLAIMS + "/claim"), why);
    }

    @Test
    void answers403AndNot404ForAClaimThatNoPodNames() throws Exception {
        assertForbidden(node.get(CLAIMS + "/missing"), "no relationship found between node 'tb-node' and this object");
    }

    @Test
    void answers404ForAMissingClaimThatAPodNames() throws Exception {
        api.apply(Fixtures.pod("default", "pod", Fixtures.uid(4), "tb-node", "claim"));

        assertThat(node.get(CLAIMS + "/claim").code()).isEqualTo(404);
    }

    @Test
    void neitherListsNorWritesClaims() throws Exception {
        assertForbidden(node.get(CLAIMS), "can only get individual resources of this type");
        assertForbidden(node.merge(CLAIMS + "/claim/status", "{}"), "cannot patch resource \"resourceclaims/status\"");
    }

    @Test
    void patchesItsOwnNodeOnly() throws Exception {
        String clique = "{\"metadata\":{\"labels\":{\"nvidia.com/gpu.clique\":\"0ab1-2.1\"}}}";

        assertThat(node.merge(NODES + "/tb-node", clique).code()).isEqualTo(200);
        assertForbidden(
                node.merge(NODES + "/other", clique), "node \"tb-node\" is not allowed to modify node \"other\"");
        assertForbidden(node.get(NODES + "/other"), "only its own Node object");
        assertForbidden(node.get(NODES), "only its own Node object");
    }

    @Test
    void setsNoLabelThatIsReservedForAdministrators() throws Exception {
        assertForbidden(
                node.merge(
                        NODES + "/tb-node", "{\"metadata\":{\"labels\":{\"node-restriction.kubernetes.io/a\":\"b\"}}}"),
                "is not allowed to modify labels: node-restriction.kubernetes.io/a");
    }

    @Test
    void readsPodsOfItsOwnNodeOnly() throws Exception {
        api.apply(Fixtures.pod("default", "mine", Fixtures.uid(4), "tb-node", "claim"));
        api.apply(Fixtures.pod("default", "theirs", Fixtures.uid(6), "other", "claim"));

        assertThat(node.get(PODS + "/mine").code()).isEqualTo(200);
        assertForbidden(node.get(PODS + "/theirs"), "no relationship found");
        assertForbidden(node.get(PODS), "can only list/watch pods with spec.nodeName field selector");
    }

    @Test
    void createsEvents() throws Exception {
        ObjectNode event = Json.literal(
                "{\"metadata\":{\"generateName\":\"e-\"},\"involvedObject\":{\"kind\":\"Node\",\"name\":\"tb-node\"}}");

        assertThat(node.create("/api/v1/namespaces/default/events", event).code())
                .isEqualTo(201);
        assertForbidden(node.get("/api/v1/namespaces/default/events"), "cannot list resource \"events\"");
    }

    @Test
    void anEventWithATimeSaysWhoReportsWhatInBoundedTexts() throws Exception {
        ObjectNode event = Json.literal("""
            {"metadata":{"name":"e"},"involvedObject":{"kind":"Node","name":"tb-node"},"type":"Normal",
             "eventTime":"2026-11-21T10:00:00.123456Z","reportingComponent":"imex-agent",
             "reportingInstance":"tb-node","action":"CheckImex","reason":"ImexUp","message":"up"}""");
        String events = "/api/v1/namespaces/default/events";
        for (String field : List.of("reportingComponent", "reportingInstance", "action", "reason")) {
            ObjectNode without = event.deepCopy();
            without.remove(field);
            assertThat(node.create(events, without).code()).as(field).isEqualTo(422);
            assertThat(node.create(events, event.deepCopy().put(field, "x".repeat(1025)))
                            .code())
                    .as(field)
                    .isEqualTo(422);
        }
        assertThat(node.create(events, event.deepCopy().put("eventTime", "2026-11-21T10:00:00Z"))
                        .code())
                .isEqualTo(400);
        assertThat(node.create(events, event).code()).isEqualTo(201);

        assertThat(node.merge(
                                events + "/e",
                                "{\"series\":{\"count\":2,\"lastObservedTime\":\"2026-11-21T10:01:00.000000Z\"}}")
                        .code())
                .isEqualTo(200);
        assertThat(node.merge(events + "/f", "{}").code()).isEqualTo(404);
    }

    @Test
    void usesOnlyItsOwnLease() throws Exception {
        String leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
        ObjectNode lease = Json.literal("{\"metadata\":{\"name\":\"tb-node\"}}");

        assertThat(node.create(leases, lease).code()).isEqualTo(201);
        assertThat(node.get(leases + "/tb-node").code()).isEqualTo(200);
        assertForbidden(node.get(leases + "/other"), "only access node lease with the same name");
    }

    @Test
    void readsComputeDomainsOnlyWhileTheRoleIsBound() throws Exception {
        String all = "/apis/resource.nvidia.com/v1beta1/computedomains";
        assertThat(node.get(all).code()).isEqualTo(200);

        api.revoke(UserIdentity.NODES, ResourceType.COMPUTE_DOMAINS);

        Client.Reply reply = node.get(all);
        assertForbidden(
                reply,
                "User \"system:node:tb-node\" cannot list resource \"computedomains\" in API group"
                        + " \"resource.nvidia.com\" at the cluster scope");
        assertThat(reply.at("/details/group")).isEqualTo("resource.nvidia.com");
        assertThat(reply.at("/details/kind")).isEqualTo("computedomains");
        assertForbidden(
                node.get(DOMAINS + "/domain"),
                "cannot get resource \"computedomains\" in API group \"resource.nvidia.com\" in the namespace"
                        + " \"default\"");
    }

    @Test
    void neverWritesComputeDomains() throws Exception {
        assertForbidden(node.merge(DOMAINS + "/domain", "{}"), "cannot patch resource \"computedomains\"");
    }

    @Test
    void letsAnotherIdentityDoWhatItWasGranted() throws Exception {
        try (Client operator = Client.withToken(api, "operator")) {
            assertForbidden(operator.get(CLAIMS), "User \"system:serviceaccount:ops:imex\" cannot list resource");

            api.grant(RoleGrant.reading("system:serviceaccount:ops:imex", ResourceType.RESOURCE_CLAIMS));

            assertThat(operator.get(CLAIMS).code()).isEqualTo(200);
            assertForbidden(operator.delete(CLAIMS + "/claim"), "cannot delete resource");
        }
    }
}
