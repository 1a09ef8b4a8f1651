package io.imexagent.testing.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** NVLinkNodes and NVLinkCliques over the wire, by agents with the rights and under the policies of the manifests. */
final class NvlinkObjectsTest {
    private static final String NODES = "/apis/imexagent.io/v1alpha1/nvlinknodes";
    private static final String CLIQUE = "c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766";
    private static final String CLIQUES = "/apis/imexagent.io/v1alpha1/nvlinkcliques";
    private static final String TABLE = CLIQUES + "/" + CLIQUE;

    private final ApiDouble api;
    private final Client admin;
    private final Client agent;

    NvlinkObjectsTest() throws IOException {
        api = ApiDouble.start(new ApiDoubleOptions().plainHttp());
        admin = Client.admin(api);
        agent = Client.node(api, "tray-1");
    }

    @AfterEach
    void stop() {
        admin.close();
        agent.close();
        api.close();
    }

    private static ObjectNode node(String name) {
        return Json.literal("""
            {"metadata":{"name":"%s","finalizers":["imexagent.io/holds"],"labels":{"clique.imexagent.io/%s":""}},
             "spec":{"session":"s","write":1,"cliques":["%s"],"holds":[]}}""".formatted(name, CLIQUE, CLIQUE));
    }

    private void createTable() throws IOException, InterruptedException {
        assertThat(admin.create(CLIQUES, Json.literal("""
                        {"metadata":{"name":"%s","finalizers":["imexagent.io/channels"]},
                         "spec":{"limit":2048,"channels":[]}}""".formatted(CLIQUE))).code())
                .isEqualTo(201);
    }

    private Client.Reply add(int id, String domain, String by) throws IOException, InterruptedException {
        ObjectNode table = agent.get(TABLE).body();
        add(table, id, domain, by);
        return agent.update(TABLE, table);
    }

    private static void add(ObjectNode table, int id, String domain, String by) {
        ((ArrayNode) table.at("/spec/channels"))
                .addObject()
                .put("id", id)
                .put("computeDomain", domain)
                .put("namespace", "team")
                .put("name", "train")
                .put("by", by)
                .put("state", "Assigned");
    }

    @Test
    void aTableIsFilledThroughRulesAndPolicy() throws Exception {
        createTable();

        for (int id = 1; id <= 255; id++) {
            assertThat(add(id, Fixtures.uid(id), "tray-1").code())
                    .as("entry " + id)
                    .isEqualTo(200);
        }
        assertThat(api.get(ResourceType.NVLINK_CLIQUES, "", CLIQUE)
                        .orElseThrow()
                        .at("/spec/channels"))
                .hasSize(255);

        Client.Reply more = add(256, Fixtures.uid(256), "tray-1");
        assertThat(more.code()).isEqualTo(422);
        assertThat(more.at("/message")).contains("spec.channels: Too many: 256: must have at most 255 items");
    }

    @Test
    void anAgentFillsATableInOneWrite() throws Exception {
        createTable();
        ObjectNode table = agent.get(TABLE).body();
        for (int id = 1; id <= 255; id++) {
            add(table, id, Fixtures.uid(id), "tray-1");
        }

        assertThat(agent.update(TABLE, table).code()).isEqualTo(200);
    }

    @Test
    void aComputeDomainStandsThereOnce() throws Exception {
        createTable();
        assertThat(add(1, Fixtures.uid(1), "tray-1").code()).isEqualTo(200);

        Client.Reply twice = add(2, Fixtures.uid(1), "tray-1");

        assertThat(twice.code()).isEqualTo(422);
        assertThat(twice.at("/message")).contains("a ComputeDomain has one channel of a clique at most");
    }

    @Test
    void aPolicyRefusesInTheWordsOfTheServer() throws Exception {
        createTable();

        Client.Reply reply = add(1, Fixtures.uid(1), "tray-2");

        assertThat(reply.code()).isEqualTo(403);
        assertThat(reply.at("/reason")).isEqualTo("Forbidden");
        assertThat(reply.at("/message"))
                .isEqualTo("nvlinkcliques.imexagent.io \"" + CLIQUE + "\" is forbidden: ValidatingAdmissionPolicy"
                        + " 'imex-agent-nvlinkcliques' with binding 'imex-agent-nvlinkcliques' denied request:"
                        + " an agent adds entries in the name of its own node and as Assigned");
        assertThat(reply.at("/details/causes/0/message")).startsWith("ValidatingAdmissionPolicy");
    }

    @Test
    void anAgentWritesItsOwnNodeWithItsStatusInOneWriteAndNoOther() throws Exception {
        ObjectNode own = node("tray-1");
        own.putObject("status").put("gpus", 4).put("more", "dropped");

        Client.Reply made = agent.create(NODES, own);
        assertThat(made.code()).isEqualTo(201);
        assertThat(made.body().path("status")).isEqualTo(Json.object().put("gpus", 4));

        ObjectNode changed = made.body();
        changed.withObject("/status").put("gpus", 3);
        assertThat(agent.update(NODES + "/tray-1", changed).at("/status/gpus")).isEqualTo("3");

        assertThat(agent.create(NODES, node("tray-2")).at("/message"))
                .contains("imex-agent-nvlinknodes", "of its own node only");
        assertThat(agent.delete(NODES + "/tray-1").code()).isEqualTo(403);
        assertThat(admin.merge(NODES + "/tray-1", "{\"metadata\":{\"finalizers\":[]}}")
                        .code())
                .as("administrators are left to their roles")
                .isEqualTo(200);
    }

    @Test
    void whoWritesLateIsToldOfTheConflictBeforeThePolicyIsAsked() throws Exception {
        createTable();
        ObjectNode stale = agent.get(TABLE).body();
        assertThat(add(1, Fixtures.uid(1), "tray-1").code()).isEqualTo(200);
        stale.withObject("/spec").put("limit", 1);

        assertThat(agent.update(TABLE, stale).code()).isEqualTo(409);
    }
}
