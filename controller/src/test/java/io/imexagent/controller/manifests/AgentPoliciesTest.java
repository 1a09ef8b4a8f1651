package io.imexagent.controller.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.access.AdmissionRules;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What agents may write into the objects of nodes and cliques: the policies' CEL, and the API server double beside it. */
class AgentPoliciesTest {

    private static final String CLIQUE = "c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766";
    private static final String ELSEWHERE = "c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7";
    private static final UserIdentity TRAY = UserIdentity.node("tray-1");
    private static final String NODES = "imex-agent-nvlinknodes";
    private static final String CLIQUES = "imex-agent-nvlinkcliques";

    private static final String OWN_NODE = "write the NVLinkNode of its own node only";
    private static final String LABELS = "labels of an NVLinkNode must be those";
    private static final String NOTHING_OUT = "takes nothing out";
    private static final String OWN_NAME = "in the name of its own node and as Assigned";

    /** What the policy says, after the double has said the same; empty where the write is accepted. */
    private static Optional<String> refusal(
            String policy, UserIdentity identity, Optional<ObjectNode> old, Optional<ObjectNode> now) {
        String operation = old.isEmpty() ? "CREATE" : now.isEmpty() ? "DELETE" : "UPDATE";
        ObjectNode request = Json.object().put("operation", operation);
        ArrayNode groups =
                request.putObject("userInfo").put("username", identity.user()).putArray("groups");
        identity.groups().forEach(groups::add);
        List<String> said = new Policy(Cluster.SHARED, policy)
                .with("request", request.toString())
                .with("object", now.map(ObjectNode::toString).orElse("{}"))
                .with("oldObject", old.map(ObjectNode::toString).orElse("{}"))
                .refusals();
        ResourceType type = policy.equals(NODES) ? ResourceType.NVLINK_NODES : ResourceType.NVLINK_CLIQUES;
        assertThat(doubles(identity, type, old, now))
                .as("the double of the API server")
                .isEqualTo(said.stream()
                        .findFirst()
                        .map(first -> "ValidatingAdmissionPolicy '" + policy + "' with binding '" + policy
                                + "' denied request: " + first));
        return said.stream().findFirst();
    }

    private static Optional<String> doubles(
            UserIdentity identity, ResourceType type, Optional<ObjectNode> old, Optional<ObjectNode> now) {
        try {
            // The verb matters to slices alone.
            AdmissionRules.check(identity, RequestVerb.UPDATE, type, old, now);
            return Optional.empty();
        } catch (StatusException refusal) {
            assertThat(refusal.code()).isEqualTo(403);
            return Optional.of(refusal.status().at("/details/causes/0/message").asText());
        }
    }

    private static Optional<String> nodeWrite(UserIdentity identity, Consumer<ObjectNode> change) {
        ObjectNode node = node();
        change.accept(node);
        Optional<String> updated = refusal(NODES, identity, Optional.of(node()), Optional.of(node));
        assertThat(refusal(NODES, identity, Optional.empty(), Optional.of(node)))
                .isEqualTo(updated);
        return updated;
    }

    private static ObjectNode node() {
        return Json.literal("""
            {"metadata":{"name":"tray-1","finalizers":["imexagent.io/holds"],"labels":{"clique.imexagent.io/%s":""}},
             "spec":{"session":"s","write":1,"cliques":["%s"],"holds":[]}}""".formatted(CLIQUE, CLIQUE));
    }

    private static ObjectNode metadata(ObjectNode object) {
        return object.withObject("/metadata");
    }

    private static void own(ObjectNode object) {
        metadata(object).withArray("ownerReferences").addObject().put("kind", "Node");
    }

    @Test
    void anAgentWritesItsOwnNode() {
        assertThat(nodeWrite(TRAY, node -> {})).isEmpty();
        assertThat(nodeWrite(new UserIdentity("imex-agent:tray-1", Set.of()), node -> {}))
                .isEmpty();
        assertThat(nodeWrite(TRAY, node -> {
                    metadata(node).withObject("labels").put("clique.imexagent.io/" + ELSEWHERE, "");
                    node.withObject("/spec").withArray("cliques").add(ELSEWHERE);
                }))
                .isEmpty();
        assertThat(nodeWrite(TRAY, node -> {
                    metadata(node).remove("labels");
                    node.withObject("/spec").putArray("cliques");
                }))
                .isEmpty();
    }

    @Test
    void anAgentWritesNoOtherNodeAndDeletesNone() {
        assertThat(nodeWrite(UserIdentity.node("tray-2"), node -> {}))
                .get()
                .asString()
                .contains(OWN_NODE);
        assertThat(nodeWrite(new UserIdentity("imex-agent:tray-2", Set.of()), node -> {}))
                .get()
                .asString()
                .contains(OWN_NODE);
        assertThat(nodeWrite(new UserIdentity("broken", Set.of(UserIdentity.NODES)), node -> {}))
                .as("one of the nodes that names none")
                .get()
                .asString()
                .contains(OWN_NODE);
        assertThat(refusal(NODES, TRAY, Optional.of(node()), Optional.empty()))
                .get()
                .asString()
                .contains("deletes no NVLinkNode");
    }

    @Test
    void anAgentKeepsWhatTheControllerSaysOfItsNode() {
        ObjectNode marked = node();
        marked.putObject("status").put("node", "NotReady").put("nodeSince", "2026-11-26T12:00:00Z");
        ObjectNode later = marked.deepCopy();
        later.withObject("/status").put("nodeSince", "2026-11-26T13:00:00Z");
        ObjectNode read = node();
        read.putObject("status").put("gpus", 4);

        assertThat(refusal(NODES, TRAY, Optional.of(marked), Optional.of(marked)))
                .isEmpty();
        assertThat(refusal(NODES, TRAY, Optional.of(node()), Optional.of(read))).isEmpty();
        ObjectNode half = marked.deepCopy();
        half.withObject("/status").remove("nodeSince");
        for (ObjectNode now : List.of(later, half)) {
            assertThat(refusal(NODES, TRAY, Optional.of(marked), Optional.of(now)))
                    .get()
                    .asString()
                    .contains("the controller's word");
        }
        assertThat(refusal(NODES, TRAY, Optional.of(node()), Optional.of(marked)))
                .get()
                .asString()
                .contains("the controller's word");
        assertThat(refusal(NODES, TRAY, Optional.empty(), Optional.of(marked)))
                .get()
                .asString()
                .contains("the controller's word");
    }

    /** One of an earlier version replaces the object with the fields that it knows: that is its sign of life. */
    @Test
    void anAgentThatDoesNotKnowWhatTheControllerSaysOfItsNodeDropsIt() {
        ObjectNode marked = node();
        marked.putObject("status").put("gpus", 4).put("node", "Missing").put("nodeSince", "2026-11-26T12:00:00Z");
        ObjectNode later = node();
        later.putObject("status").put("gpus", 4);

        for (ObjectNode now : List.of(node(), later)) {
            assertThat(refusal(NODES, TRAY, Optional.of(marked), Optional.of(now)))
                    .isEmpty();
        }
    }

    @Test
    void anAgentThatDoesNotKnowWhichNodeLimitsACliqueDropsItAndBinds() {
        ObjectNode limited = clique(1);
        limited.withObject("/spec").put("limitedBy", "tray-2");
        ObjectNode other = limited.deepCopy();
        other.withObject("/spec").put("limitedBy", "tray-3");
        ObjectNode bound = clique(1);
        add(bound, 2, "tray-1", "Assigned");

        assertThat(refusal(CLIQUES, TRAY, Optional.of(limited), Optional.of(limited)))
                .isEmpty();
        assertThat(refusal(CLIQUES, TRAY, Optional.of(limited), Optional.of(bound)))
                .isEmpty();
        for (ObjectNode before : List.of(limited, clique(1))) {
            assertThat(refusal(CLIQUES, TRAY, Optional.of(before), Optional.of(other)))
                    .get()
                    .asString()
                    .contains("which node limits");
        }
    }

    @Test
    void anAgentGivesItsNodeNeitherAnotherFinalizerNorAnOwnerNorOtherLabels() {
        assertThat(nodeWrite(TRAY, node -> metadata(node).remove("finalizers")))
                .get()
                .asString()
                .contains("finalizer");
        assertThat(nodeWrite(
                        TRAY, node -> metadata(node).withArray("finalizers").add("another/one")))
                .get()
                .asString()
                .contains("finalizer");
        assertThat(nodeWrite(TRAY, AgentPoliciesTest::own)).get().asString().contains("no owner");
        assertThat(nodeWrite(TRAY, node -> metadata(node).remove("labels")))
                .get()
                .asString()
                .contains(LABELS);
        assertThat(nodeWrite(TRAY, node -> metadata(node).withObject("labels").put("more", "")))
                .get()
                .asString()
                .contains(LABELS);
        assertThat(nodeWrite(
                        TRAY,
                        node -> node.withObject("/spec").putArray("cliques").add(ELSEWHERE)))
                .get()
                .asString()
                .contains(LABELS);
        assertThat(nodeWrite(
                        TRAY, node -> metadata(node).withObject("labels").put("clique.imexagent.io/" + CLIQUE, "x")))
                .get()
                .asString()
                .contains(LABELS);
    }

    @ParameterizedTest
    @ValueSource(strings = {NODES, CLIQUES})
    void whoIsNoAgentIsLeftToTheRolesAndSoIsTheController(String policy) {
        ObjectNode bare = Json.literal("{\"metadata\":{\"name\":\"tray-1\"},\"spec\":{\"limit\":0,\"channels\":[]}}");
        for (String user : List.of("kubernetes-admin", "imex-controller")) {
            var identity = new UserIdentity(user, Set.of("system:authenticated"));
            assertThat(refusal(policy, identity, Optional.of(bare), Optional.empty()))
                    .isEmpty();
            assertThat(refusal(policy, identity, Optional.empty(), Optional.of(bare)))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "tray-1, system:serviceaccount:imex:agent, true",
        "tray-2, system:serviceaccount:imex:agent, false",
        "tray-2, imex-controller, true"
    })
    void theTokenOfAPodNamesItsNode(String node, String user, boolean accepted) {
        Policy policy = new Policy(Cluster.SHARED, NODES)
                .with("object", node().toString())
                .with("request", """
            {"operation":"CREATE","userInfo":{"username":"%s",
             "extra":{"authentication.kubernetes.io/node-name":["%s"]}}}""".formatted(user, node));

        assertThat(policy.refusals().isEmpty()).isEqualTo(accepted);
    }

    private static ObjectNode clique(int entries) {
        ObjectNode clique = Json.literal("""
            {"metadata":{"name":"%s","finalizers":["imexagent.io/channels"]},"spec":{"limit":2048,"channels":[]}}""".formatted(CLIQUE));
        for (int id = 1; id <= entries; id++) {
            add(clique, id, "tray-" + (id + 100), id % 2 == 0 ? "Releasing" : "Assigned");
        }
        return clique;
    }

    private static ArrayNode channels(JsonNode clique) {
        return (ArrayNode) clique.at("/spec/channels");
    }

    private static void add(ObjectNode clique, int id, String by, String state) {
        channels(clique)
                .addObject()
                .put("id", id)
                .put("computeDomain", "76c683e5-1b96-46ce-9ff0-%012d".formatted(id))
                .put("namespace", "team")
                .put("name", "train-" + id)
                .put("by", by)
                .put("state", state);
    }

    private static void change(ObjectNode clique, int index, String field, String value) {
        ((ObjectNode) channels(clique).get(index)).put(field, value);
    }

    private static Optional<String> tableWrite(int entries, Consumer<ObjectNode> change) {
        ObjectNode now = clique(entries);
        change.accept(now);
        return refusal(CLIQUES, TRAY, Optional.of(clique(entries)), Optional.of(now));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 254})
    void anAgentAddsAnEntryInItsOwnName(int entries) {
        assertThat(tableWrite(entries, clique -> add(clique, entries + 1, "tray-1", "Assigned")))
                .isEmpty();
        assertThat(tableWrite(entries, clique -> add(clique, entries + 1, "tray-2", "Assigned")))
                .get()
                .asString()
                .contains(OWN_NAME);
    }

    @Test
    void anAgentTakesBackTheMarkOfAnEntryOfAnother() {
        assertThat(tableWrite(255, clique -> change(clique, 1, "state", "Assigned")))
                .isEmpty();
    }

    @Test
    void anAgentAddsSeveralEntriesAndTakesBackSeveralMarksInOneWrite() {
        assertThat(tableWrite(0, clique -> {
                    for (int id = 1; id <= 255; id++) {
                        add(clique, id, "tray-1", "Assigned");
                    }
                }))
                .isEmpty();
        assertThat(tableWrite(6, clique -> {
                    change(clique, 1, "state", "Assigned");
                    change(clique, 3, "state", "Assigned");
                    add(clique, 7, "tray-1", "Assigned");
                    add(clique, 200, "tray-1", "Assigned");
                }))
                .isEmpty();
    }

    @Test
    void theOrderOfTheEntriesSaysNothing() {
        assertThat(tableWrite(6, clique -> {
                    channels(clique).insert(0, channels(clique).remove(5));
                    add(clique, 7, "tray-1", "Assigned");
                }))
                .isEmpty();
    }

    @Test
    void anAgentAddsNoMarkedEntryAndNoneOfAnotherBesideItsOwn() {
        assertThat(tableWrite(2, clique -> add(clique, 3, "tray-1", "Releasing")))
                .get()
                .asString()
                .contains(OWN_NAME);
        assertThat(tableWrite(2, clique -> {
                    add(clique, 3, "tray-1", "Assigned");
                    add(clique, 4, "tray-2", "Assigned");
                }))
                .get()
                .asString()
                .contains(OWN_NAME);
        assertThat(tableWrite(2, clique -> {
                    change(clique, 1, "state", "Assigned");
                    add(clique, 3, "tray-2", "Assigned");
                }))
                .as("the mark that is taken back is another's, the entry that is added is not its own")
                .get()
                .asString()
                .contains(OWN_NAME);
    }

    @Test
    void anAgentExchangesNoNumbers() {
        assertThat(tableWrite(3, clique -> {
                    ((ObjectNode) channels(clique).get(0)).put("id", 3);
                    ((ObjectNode) channels(clique).get(2)).put("id", 1);
                }))
                .get()
                .asString()
                .contains(NOTHING_OUT);
        assertThat(tableWrite(
                        3,
                        clique -> ((ObjectNode) channels(clique).get(1))
                                .put("id", 9)
                                .put("state", "Assigned")))
                .get()
                .asString()
                .contains(NOTHING_OUT);
    }

    /** The API server ends an expression that costs too much, and each write waits for all of them. */
    @Test
    void whatThePolicyCostsGrowsWithTheTableAndNotWithItsSquare() {
        ObjectNode now = clique(254);
        add(now, 255, "tray-1", "Assigned");
        Policy policy = new Policy(Cluster.SHARED, CLIQUES)
                .request("UPDATE", "system:node:tray-1")
                .with("object", now.toString())
                .with("oldObject", clique(254).toString());

        assertThat(policy.refusals()).isEmpty();
        assertThat(policy.reads()).isBetween(254 + 255, 2 * (254 + 255));
    }

    @Test
    void anAgentTakesNothingOutAndMarksNothing() {
        assertThat(tableWrite(2, clique -> channels(clique).remove(0)))
                .get()
                .asString()
                .contains(NOTHING_OUT);
        assertThat(tableWrite(2, clique -> channels(clique).remove(1)))
                .get()
                .asString()
                .contains(NOTHING_OUT);
        assertThat(tableWrite(2, clique -> change(clique, 0, "state", "Releasing")))
                .get()
                .asString()
                .contains(NOTHING_OUT);
        assertThat(tableWrite(2, clique -> {
                    channels(clique).remove(1);
                    add(clique, 3, "tray-1", "Assigned");
                }))
                .get()
                .asString()
                .contains(NOTHING_OUT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"computeDomain", "namespace", "name", "by"})
    void anAgentChangesNobodysEntryNorOneThatItTakesBack(String field) {
        assertThat(tableWrite(2, clique -> change(clique, 0, field, "tray-1")))
                .get()
                .asString()
                .contains(NOTHING_OUT);
        assertThat(tableWrite(2, clique -> {
                    change(clique, 1, "state", "Assigned");
                    change(clique, 1, field, "tray-1");
                }))
                .get()
                .asString()
                .contains(NOTHING_OUT);
    }

    @Test
    void anAgentChangesNothingBesideTheEntries() {
        assertThat(tableWrite(2, clique -> clique.withObject("/spec").put("limit", 1)))
                .get()
                .asString()
                .contains("limit");
        assertThat(tableWrite(2, clique -> clique.withObject("/spec").put("limitedBy", "tray-2")))
                .get()
                .asString()
                .contains("limit");
        assertThat(tableWrite(2, clique -> metadata(clique).remove("finalizers")))
                .get()
                .asString()
                .contains("finalizer");
        assertThat(tableWrite(2, AgentPoliciesTest::own)).get().asString().contains("no owner");
        assertThat(tableWrite(2, clique -> metadata(clique).putObject("labels").put("a", "b")))
                .get()
                .asString()
                .contains("no labels");
    }

    @Test
    void anAgentMakesAndDeletesNoTable() {
        List<Optional<String>> said = new ArrayList<>();
        said.add(refusal(CLIQUES, TRAY, Optional.empty(), Optional.of(clique(0))));
        said.add(refusal(CLIQUES, TRAY, Optional.of(clique(0)), Optional.empty()));

        assertThat(said).allSatisfy(one -> assertThat(one).get().asString().contains("makes and deletes no"));
    }
}
