package io.imexagent.controller.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import io.imexagent.testing.api.object.Gates;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.Lifecycle;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.time.Clock;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** NVLinkNodes and NVLinkCliques against their definitions; the double of the API server refuses what these refuse. */
class DefinitionsTest {

    private static final String CLIQUE = "c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766";
    private static final String UID = "76c683e5-1b96-46ce-9ff0-37c93527edec";

    private final Lifecycle server = new Lifecycle(Clock.systemUTC(), new Random(1), () -> Gates.ALL_ON);

    private static ObjectNode node() {
        return Json.literal("""
            {"apiVersion":"imexagent.io/v1alpha1","kind":"NVLinkNode","metadata":{"name":"tray-1"},
             "spec":{"session":"s","write":0,"cliques":["%s"],"bootID":"boot","imexChannelCount":2048,
              "holds":[{"computeDomain":"%s","namespace":"team","name":"train","channel":7,"kept":true}]},
             "status":{"clique":"%s","driver":"580.95.05","gpus":4,"imex":"up","imexSince":"2026-07-28T08:00:00Z",
              "peers":"17/18"}}""".formatted(CLIQUE, UID, CLIQUE));
    }

    private static ObjectNode clique(int entries) {
        ObjectNode clique = Json.literal("""
            {"apiVersion":"imexagent.io/v1alpha1","kind":"NVLinkClique","metadata":{"name":"%s"},
             "spec":{"limit":2048,"channels":[]}}""".formatted(CLIQUE));
        for (int id = 1; id <= entries; id++) {
            ((ArrayNode) clique.at("/spec/channels"))
                    .addObject()
                    .put("id", id)
                    .put("computeDomain", "76c683e5-1b96-46ce-9ff0-%012d".formatted(id))
                    .put("namespace", "team")
                    .put("name", "train-" + id)
                    .put("by", "tray-1")
                    .put("state", "Assigned");
        }
        return clique;
    }

    private static ObjectNode test(int nodes) {
        ObjectNode test = Json.literal("""
            {"apiVersion":"imexagent.io/v1alpha1","kind":"FabricTest","metadata":{"name":"%s"},
             "spec":{"proven":"0/0","runs":[{"id":"7f2a","by":"alice","level":"map","started":"2026-11-28T12:00:00Z",
              "ended":"2026-11-28T12:00:40Z","nodes":[]}]}}""".formatted(CLIQUE));
        String cells = String.join(" ", Collections.nCopies(nodes, "9999!"));
        for (int node = 1; node <= nodes; node++) {
            ((ArrayNode) test.at("/spec/runs/0/nodes"))
                    .addObject()
                    .put("name", "tray-" + node)
                    .put("uid", UID)
                    .put("bootID", "boot")
                    .put("imexStart", 71000001L)
                    .put("driver", "580.95.05")
                    .put("cells", cells);
        }
        return test;
    }

    private static JsonNode definition(JsonNode object) {
        ResourceType type = type(object);
        return Cluster.object(Cluster.SHARED, "CustomResourceDefinition", type.plural() + "." + type.group());
    }

    private static ResourceType type(JsonNode object) {
        return ResourceType.ofKind(
                        object.path("apiVersion").asText(), object.path("kind").asText())
                .orElseThrow();
    }

    /** Whether the definition accepts an object: its schema, what is said of lists, and its rules. */
    private static boolean defined(JsonNode object) {
        JsonNode schema = definition(object).at("/spec/versions/0/schema/openAPIV3Schema");
        return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V7)
                        .getSchema(schema)
                        .validate(object)
                        .isEmpty()
                && extended(schema, object);
    }

    private static boolean extended(JsonNode schema, JsonNode value) {
        String key = schema.path("x-kubernetes-list-map-keys").path(0).asText("");
        Set<String> seen = new HashSet<>();
        for (JsonNode item : value.isArray() ? value : Json.object()) {
            boolean unique = schema.path("x-kubernetes-list-type").asText().isEmpty()
                    || seen.add((key.isEmpty() ? item : item.path(key)).asText());
            if (!unique || !extended(schema.path("items"), item)) {
                return false;
            }
        }
        for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
            if (value.has(property.getKey()) && !extended(property.getValue(), value.path(property.getKey()))) {
                return false;
            }
        }
        return schema.path("x-kubernetes-validations")
                .valueStream()
                .allMatch(rule -> Policy.accepts(
                        rule.path("rule").asText(),
                        Objects.requireNonNull(
                                Policy.value("{\"it\":" + value + "}").get("it"))));
    }

    private boolean doubled(ObjectNode object) {
        try {
            ObjectNode sent = object.deepCopy();
            server.fit(type(object), sent);
            server.create(type(object), "", sent);
            return true;
        } catch (StatusException refusal) {
            assertThat(refusal.code()).isEqualTo(422);
            return false;
        }
    }

    private void assertRefused(ObjectNode object, String what) {
        assertThat(defined(object)).as("by the definition: " + what).isFalse();
        assertThat(doubled(object)).as("by the double: " + what).isFalse();
    }

    private void assertAccepted(ObjectNode object) {
        assertThat(defined(object)).as("by the definition").isTrue();
        assertThat(doubled(object)).as("by the double").isTrue();
    }

    @Test
    void whatAgentsAndControllersWriteFits() {
        assertAccepted(node());
        assertAccepted(Json.literal("""
            {"apiVersion":"imexagent.io/v1alpha1","kind":"NVLinkNode","metadata":{"name":"tray-1"},
             "spec":{"session":"s","write":9223372036854775807,"cliques":[],"holds":[]},"status":{"gpus":0}}"""));
        assertAccepted(clique(0));
        assertAccepted(clique(255));
        assertAccepted(test(2));
        assertAccepted(test(72));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/spec/runs/0 | id | '\"\"'",
                "/spec/runs/0 | by | '\"\"'",
                "/spec/runs/0 | level | '\"multicast\"'",
                "/spec/runs/0 | ended | '\"yesterday\"'",
                "/spec/runs/0/nodes/0 | name | '\"\"'",
                "/spec/runs/0/nodes/0 | uid | '\"\"'",
                "/spec/runs/0/nodes/0 | bootID | '\" \"'",
                "/spec/runs/0/nodes/0 | imexStart | -1",
                "/spec/runs/0/nodes/0 | imexStart | '\"1\"'",
                "/spec/runs/0/nodes/0 | cells | '\"\"'",
                "/spec/runs/0/nodes/0 | cells | '\"+ ?\"'",
                "/spec/runs/0/nodes/0 | cells | '\"+!\"'",
                "/spec/runs/0/nodes/0 | cells | '\"+  +\"'",
                "/spec/runs/0/nodes/0 | cells | '\"0\"'",
                "/spec/runs/0/nodes/0 | cells | '\"10000\"'",
                "/spec/runs/0/nodes/0 | cells | '[\"+\"]'"
            })
    void aTestThatNoRunnerRecordsIsRefused(String part, String field, String value) throws Exception {
        ObjectNode test = test(2);
        ((ObjectNode) test.at(part)).set(field, Json.parse(value.getBytes(java.nio.charset.StandardCharsets.UTF_8)));

        assertRefused(test, field);
    }

    @ParameterizedTest
    @CsvSource({
        "/, spec",
        "/spec, runs",
        "/spec/runs/0, id",
        "/spec/runs/0, by",
        "/spec/runs/0, level",
        "/spec/runs/0, started",
        "/spec/runs/0, ended",
        "/spec/runs/0, nodes",
        "/spec/runs/0/nodes/0, name",
        "/spec/runs/0/nodes/0, uid",
        "/spec/runs/0/nodes/0, cells"
    })
    void aTestIsWhole(String part, String field) {
        ObjectNode test = test(2);
        ((ObjectNode) (part.equals("/") ? test : test.at(part))).remove(field);

        assertRefused(test, field);
    }

    @Test
    void aTestIsBoundedAndHasEachRunAndNodeOnce() {
        assertRefused(test(73), "nodes");

        ObjectNode nodeTwice = test(2);
        ((ObjectNode) nodeTwice.at("/spec/runs/0/nodes/1")).put("name", "tray-1");
        assertRefused(nodeTwice, "name");

        ObjectNode runs = test(1);
        for (int run = 1; run < 4; run++) {
            ((ArrayNode) runs.at("/spec/runs"))
                    .add(((ObjectNode) runs.at("/spec/runs/0").deepCopy()).put("id", "run-" + run));
        }
        assertAccepted(runs);
        ((ObjectNode) runs.at("/spec/runs/3")).put("id", "run-1");
        assertRefused(runs, "id");
        ((ObjectNode) runs.at("/spec/runs/3")).put("id", "run-3");
        ((ArrayNode) runs.at("/spec/runs"))
                .add(((ObjectNode) runs.at("/spec/runs/0").deepCopy()).put("id", "run-4"));
        assertRefused(runs, "runs");
    }

    @Test
    void aTestHasTheNameOfAClique() {
        ObjectNode test = test(2);
        test.withObject("/metadata").put("name", "elsewhere");

        assertRefused(test, "name");
    }

    /** The API server evaluates it at each write of a table, and over each pair of entries it takes a third of a second. */
    @Test
    void theRuleOfATableReadsEachEntryOnce() {
        String rule = definition(clique(0))
                .at("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/channels"
                        + "/x-kubernetes-validations/0/rule")
                .asText();
        var lists = new CountedLists();
        Object entries = lists.counted(Objects.requireNonNull(
                Policy.value(clique(255).path("spec").toString()).get("channels")));

        assertThat(Policy.accepts(rule, entries)).isTrue();
        assertThat(lists.reads()).isLessThanOrEqualTo(255 + 1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/spec | session | ''",
                "/spec | write | -1",
                "/spec | write | '\"1\"'",
                "/spec | cliques | '[\"elsewhere\"]'",
                "/spec | cliques | '[\"C4A1F0DE-5B72-4E09-9D36-8F2B7A60E153.1\"]'",
                "/spec | cliques | '[\"c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.1\",\"c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.1\"]'",
                "/spec | imexChannelCount | 65537",
                "/spec/holds/0 | computeDomain | '\"uid-1\"'",
                "/spec/holds/0 | namespace | ''",
                "/spec/holds/0 | channel | 1048576",
                "/spec/holds/0 | channel | -1",
                "/spec/holds/0 | kept | '\"yes\"'",
                "/status | clique | '\"elsewhere\"'",
                "/status | gpus | -1",
                "/status | imexSince | '\"yesterday\"'"
            })
    void aNodeThatNoAgentWritesIsRefused(String part, String field, String value) throws Exception {
        ObjectNode node = node();
        ((ObjectNode) node.at(part))
                .set(
                        field,
                        Json.parse(
                                (value.isEmpty() ? "\"\"" : value).getBytes(java.nio.charset.StandardCharsets.UTF_8)));

        assertRefused(node, field);
    }

    @ParameterizedTest
    @CsvSource({
        "/, spec",
        "/spec, session",
        "/spec, write",
        "/spec, cliques",
        "/spec, holds",
        "/spec/holds/0, computeDomain",
        "/spec/holds/0, namespace",
        "/spec/holds/0, name"
    })
    void aNodeIsWhole(String part, String field) {
        ObjectNode node = node();
        ((ObjectNode) (part.equals("/") ? node : node.at(part))).remove(field);

        assertRefused(node, field);
    }

    @ParameterizedTest
    @CsvSource({
        "/, spec",
        "/spec, limit",
        "/spec, channels",
        "/spec/channels/0, id",
        "/spec/channels/0, computeDomain",
        "/spec/channels/0, namespace",
        "/spec/channels/0, name",
        "/spec/channels/0, by",
        "/spec/channels/0, state"
    })
    void aTableIsWhole(String part, String field) {
        ObjectNode clique = clique(2);
        ((ObjectNode) (part.equals("/") ? clique : clique.at(part))).remove(field);

        assertRefused(clique, field);
    }

    @ParameterizedTest
    @CsvSource({"session, 64", "bootID, 64"})
    void textsAreBounded(String field, int longest) {
        ObjectNode node = node();
        node.withObject("/spec").put(field, "x".repeat(longest));
        assertAccepted(node);

        node.withObject("/spec").put(field, "x".repeat(longest + 1));
        assertRefused(node, field);
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "\t\n", "\u2003"})
    void aBootIsNotBlank(String blank) {
        ObjectNode node = node();
        node.withObject("/spec").put("bootID", blank);

        assertRefused(node, "bootID");
    }

    @ParameterizedTest
    @CsvSource({"namespace, 63", "name, 253", "by, 253"})
    void textsOfAnEntryAreBounded(String field, int longest) {
        ObjectNode clique = clique(1);
        ObjectNode entry = (ObjectNode) clique.at("/spec/channels/0");
        entry.put(field, "x".repeat(longest));
        assertAccepted(clique);

        entry.put(field, "x".repeat(longest + 1));
        assertRefused(clique, field);
    }

    @Test
    void aNodeHoldsSoMuchAtMost() {
        ObjectNode node = node();
        ArrayNode cliques = node.withObject("/spec").putArray("cliques");
        ArrayNode holds = node.withObject("/spec").putArray("holds");
        for (int i = 0; i < 1024; i++) {
            holds.addObject()
                    .put("computeDomain", "76c683e5-1b96-46ce-9ff0-%012d".formatted(i))
                    .put("namespace", "team")
                    .put("name", "train-" + i);
        }
        for (int i = 0; i < 8; i++) {
            cliques.add("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153." + i);
        }
        assertAccepted(node);

        cliques.add("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.8");
        assertRefused(node, "cliques");
        cliques.remove(8);
        holds.addObject().put("computeDomain", UID).put("namespace", "team").put("name", "train");
        assertRefused(node, "holds");
    }

    @Test
    void aNodeHoldsAComputeDomainOnce() {
        ObjectNode node = node();
        ArrayNode holds = (ArrayNode) node.at("/spec/holds");
        holds.add(holds.get(0).deepCopy());

        assertRefused(node, "holds");
    }

    @Test
    void aTableHasAChannelOnceAndAComputeDomainOnce() {
        ObjectNode channelTwice = clique(2);
        ((ObjectNode) channelTwice.at("/spec/channels/1")).put("id", 1);
        assertRefused(channelTwice, "id");

        ObjectNode domainTwice = clique(255);
        ((ObjectNode) domainTwice.at("/spec/channels/254"))
                .put("computeDomain", "76c683e5-1b96-46ce-9ff0-000000000001");
        assertRefused(domainTwice, "computeDomain");
    }

    @Test
    void aTableHas255ChannelsOfWhichNoneIs0() {
        assertRefused(clique(256), "channels");
        for (int id : new int[] {0, 256}) {
            ObjectNode clique = clique(1);
            ((ObjectNode) clique.at("/spec/channels/0")).put("id", id);
            assertRefused(clique, "id " + id);
        }
    }

    @Test
    void anEntryIsAssignedOrReleasing() {
        ObjectNode clique = clique(1);
        ObjectNode entry = (ObjectNode) clique.at("/spec/channels/0");
        entry.put("state", "Releasing");
        assertAccepted(clique);

        entry.put("state", "Free");
        assertRefused(clique, "state");
    }

    @Test
    void aTableHasTheNameOfAClique() {
        ObjectNode clique = clique(0);
        clique.withObject("/metadata").put("name", "elsewhere");

        assertRefused(clique, "name");
    }

    @Test
    void aFieldThatNobodyKnowsIsDropped() {
        ObjectNode node = node();
        node.withObject("/spec").put("more", 1);
        server.fit(ResourceType.NVLINK_NODES, node);

        assertThat(node).isEqualTo(node());
        assertThat(definition(node).toString()).doesNotContain("preserve-unknown-fields", "additionalProperties\"");
    }
}
