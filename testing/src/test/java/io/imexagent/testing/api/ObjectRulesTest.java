package io.imexagent.testing.api;

import static io.imexagent.testing.api.Client.CLAIMS;
import static io.imexagent.testing.api.Client.DOMAINS;
import static io.imexagent.testing.api.Client.SLICES;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What holds for objects of every type: versions, names, deletion, subresources. */
final class ObjectRulesTest {
    private final ApiDouble api;
    private final Client admin;

    ObjectRulesTest() throws IOException {
        api = ApiDouble.start(new ApiDoubleOptions().plainHttp());
        admin = Client.admin(api);
    }

    @BeforeEach
    void seed() {
        api.apply(Fixtures.computeDomain("default", "domain", Fixtures.uid(1), "template"));
    }

    @AfterEach
    void stop() {
        admin.close();
        api.close();
    }

    private ObjectNode newDomain(String name) {
        ObjectNode domain = Fixtures.computeDomain("default", name, Fixtures.uid(2), "template");
        domain.withObject("/metadata").remove("finalizers");
        return domain;
    }

    @Test
    void setsUidCreationTimeAndGenerationOfANewObject() throws Exception {
        Client.Reply reply = admin.create(DOMAINS, newDomain("new"));

        assertThat(reply.code()).isEqualTo(201);
        assertThat(reply.at("/metadata/uid")).isNotEmpty().isNotEqualTo(Fixtures.uid(2));
        assertThat(reply.at("/metadata/creationTimestamp")).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
        assertThat(reply.at("/metadata/generation")).isEqualTo("1");
        assertThat(reply.at("/metadata/resourceVersion")).matches("\\d+");
    }

    @Test
    void countsOneResourceVersionForAllObjects() throws Exception {
        long first = Long.parseLong(admin.create(DOMAINS, newDomain("a")).at("/metadata/resourceVersion"));
        long second = Long.parseLong(admin.create(SLICES, Fixtures.resourceSlice("n", Fixtures.uid(3)))
                .at("/metadata/resourceVersion"));

        assertThat(second).isEqualTo(first + 1);
        assertThat(admin.get(SLICES).at("/metadata/resourceVersion")).isEqualTo(Long.toString(second));
    }

    @Test
    void refusesASecondObjectOfTheSameName() throws Exception {
        Client.Reply reply = admin.create(DOMAINS, newDomain("domain"));

        assertThat(reply.code()).isEqualTo(409);
        assertThat(reply.at("/reason")).isEqualTo("AlreadyExists");
        assertThat(reply.at("/details/name")).isEqualTo("domain");
        assertThat(reply.at("/details/group")).isEqualTo("resource.nvidia.com");
        assertThat(reply.at("/details/kind")).isEqualTo("computedomains");
    }

    @Test
    void refusesAnUpdateFromAStaleResourceVersion() throws Exception {
        ObjectNode stale = admin.get(DOMAINS + "/domain").body();
        admin.merge(DOMAINS + "/domain", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");

        Client.Reply reply = admin.update(DOMAINS + "/domain", stale);

        assertThat(reply.code()).isEqualTo(409);
        assertThat(reply.at("/reason")).isEqualTo("Conflict");
        assertThat(reply.at("/message")).contains("the object has been modified");
    }

    @Test
    void refusesAPatchThatNamesAStaleResourceVersion() throws Exception {
        Client.Reply reply =
                admin.merge(DOMAINS + "/domain", "{\"metadata\":{\"resourceVersion\":\"1\",\"labels\":{\"a\":\"b\"}}}");

        assertThat(reply.code()).isEqualTo(409);
    }

    @Test
    void writesNothingWhenAnUpdateChangesNothing() throws Exception {
        ObjectNode same = admin.get(DOMAINS + "/domain").body();

        Client.Reply reply = admin.update(DOMAINS + "/domain", same);

        assertThat(reply.code()).isEqualTo(200);
        assertThat(reply.body()).isEqualTo(same);
    }

    @Test
    void countsAGenerationOnlyWhenTheSpecChanges() throws Exception {
        ObjectNode slice = admin.create(SLICES, Fixtures.resourceSlice("n", Fixtures.uid(3)))
                .body();
        String path = SLICES + "/" + slice.at("/metadata/name").asText();

        assertThat(admin.merge(path, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}")
                        .at("/metadata/generation"))
                .isEqualTo("1");
        assertThat(admin.merge(path, "{\"spec\":{\"pool\":{\"generation\":2}}}").at("/metadata/generation"))
                .isEqualTo("2");
    }

    @Test
    void keepsWhatClientsCannotChange() throws Exception {
        ObjectNode before = admin.get(DOMAINS + "/domain").body();
        ObjectNode changed = before.deepCopy();
        changed.withObject("/metadata")
                .put("creationTimestamp", "2001-01-01T00:00:00Z")
                .put("generation", 77);

        Client.Reply reply = admin.update(DOMAINS + "/domain", changed);

        assertThat(reply.body()).isEqualTo(before);
    }

    @Test
    void refusesAnUpdateUnderAnotherUidNameOrNamespace() throws Exception {
        ObjectNode domain = admin.get(DOMAINS + "/domain").body();
        ObjectNode otherUid = domain.deepCopy();
        otherUid.withObject("/metadata").put("uid", Fixtures.uid(9));
        ObjectNode otherName = domain.deepCopy();
        otherName.withObject("/metadata").put("name", "other");
        ObjectNode otherNamespace = domain.deepCopy();
        otherNamespace.withObject("/metadata").put("namespace", "kube-system");

        assertThat(admin.update(DOMAINS + "/domain", otherUid).code()).isEqualTo(409);
        assertThat(admin.update(DOMAINS + "/domain", otherName).code()).isEqualTo(400);
        assertThat(admin.update(DOMAINS + "/domain", otherNamespace).code()).isEqualTo(400);
    }

    @Test
    void generatesANameOfFiveCharactersAfterThePrefix() throws Exception {
        Client.Reply reply = admin.create(SLICES, Fixtures.resourceSlice("tb-node", Fixtures.uid(3)));

        assertThat(reply.at("/metadata/generateName")).isEqualTo("00000-compute-domain.nvidia.com-tb-node-");
        assertThat(reply.at("/metadata/name"))
                .matches("00000-compute-domain\\.nvidia\\.com-tb-node-[bcdfghjklmnpqrstvwxz2456789]{5}");
    }

    @Test
    void cutsALongGenerateNameTo58Characters() throws Exception {
        ObjectNode slice = Fixtures.resourceSlice("n", Fixtures.uid(3));
        slice.withObject("/metadata").put("generateName", "a".repeat(80) + "-");

        assertThat(admin.create(SLICES, slice).at("/metadata/name")).matches("a{58}[a-z0-9]{5}");
    }

    @Test
    void refusesAnObjectWithoutAName() throws Exception {
        ObjectNode slice = Fixtures.resourceSlice("n", Fixtures.uid(3));
        slice.withObject("/metadata").remove("generateName");

        Client.Reply reply = admin.create(SLICES, slice);

        assertThat(reply.code()).isEqualTo(422);
        assertThat(reply.at("/details/causes/0/field")).isEqualTo("metadata.name");
    }

    @Test
    void refusesAnObjectInANamespaceThatDoesNotExist() throws Exception {
        Client.Reply reply = admin.create(DOMAINS.replace("/default/", "/nowhere/"), Json.object());

        assertThat(reply.code()).isEqualTo(404);
        assertThat(reply.at("/message")).isEqualTo("namespaces \"nowhere\" not found");
    }

    @Test
    void keepsADeletedObjectUntilItsFinalizersAreGone() throws Exception {
        Client.Reply deleted = admin.delete(DOMAINS + "/domain");
        assertThat(deleted.at("/metadata/deletionTimestamp")).isNotEmpty();
        assertThat(deleted.at("/metadata/generation")).isEqualTo("2");
        assertThat(admin.delete(DOMAINS + "/domain").at("/metadata/resourceVersion"))
                .isEqualTo(deleted.at("/metadata/resourceVersion"));
        assertThat(admin.get(DOMAINS + "/domain").code()).isEqualTo(200);

        assertThat(admin.merge(DOMAINS + "/domain", "{\"metadata\":{\"finalizers\":[]}}")
                        .code())
                .isEqualTo(200);

        assertThat(admin.get(DOMAINS + "/domain").code()).isEqualTo(404);
    }

    @Test
    void refusesANewFinalizerOnAnObjectThatIsBeingDeleted() throws Exception {
        admin.delete(DOMAINS + "/domain");

        Client.Reply reply = admin.merge(
                DOMAINS + "/domain",
                "{\"metadata\":{\"finalizers\":[\"resource.nvidia.com/computeDomain\",\"example.com/more\"]}}");

        assertThat(reply.code()).isEqualTo(422);
        assertThat(reply.at("/details/causes/0/field")).isEqualTo("metadata.finalizers");
    }

    @Test
    void deletesAnObjectWithoutFinalizersAtOnce() throws Exception {
        String uid = admin.create(DOMAINS, newDomain("short")).at("/metadata/uid");

        Client.Reply reply = admin.delete(DOMAINS + "/short");

        assertThat(reply.at("/status")).isEqualTo("Success");
        assertThat(reply.at("/details/uid")).isEqualTo(uid);
        assertThat(admin.delete(DOMAINS + "/short").code()).isEqualTo(404);
    }

    @Test
    void deletesOnlyUnderThePreconditionsOfTheClient() throws Exception {
        assertThat(admin.delete(DOMAINS + "/domain", "{\"preconditions\":{\"uid\":\"" + Fixtures.uid(9) + "\"}}")
                        .code())
                .isEqualTo(409);
        assertThat(admin.delete(DOMAINS + "/domain", "{\"preconditions\":{\"resourceVersion\":\"1\"}}")
                        .code())
                .isEqualTo(409);
        assertThat(admin.delete(DOMAINS + "/domain", "{\"preconditions\":{\"uid\":\"" + Fixtures.uid(1) + "\"}}")
                        .code())
                .isEqualTo(200);
    }

    @Test
    void deletesACollectionOfSlices() throws Exception {
        admin.create(SLICES, Fixtures.resourceSlice("a", Fixtures.uid(3)));
        admin.create(SLICES, Fixtures.resourceSlice("b", Fixtures.uid(4)));

        Client.Reply reply = admin.delete(SLICES + "?fieldSelector=spec.nodeName%3Da");

        assertThat(reply.body().path("items")).hasSize(1);
        assertThat(api.list(ResourceType.RESOURCE_SLICES))
                .singleElement()
                .satisfies(
                        left -> assertThat(left.at("/spec/nodeName").asText()).isEqualTo("b"));
    }

    @Test
    void ignoresTheStatusInWritesToTheMainEndpoint() throws Exception {
        Client.Reply created = admin.create(DOMAINS, newDomain("new"));
        assertThat(created.body().has("status")).isFalse();

        assertThat(admin.merge(DOMAINS + "/domain", "{\"status\":{\"status\":\"NotReady\"}}")
                        .at("/status/status"))
                .isEqualTo("Ready");
    }

    @Test
    void ignoresEverythingButTheStatusInWritesToTheStatusEndpoint() throws Exception {
        Client.Reply reply = admin.merge(
                DOMAINS + "/domain/status",
                "{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"numNodes\":9},"
                        + "\"status\":{\"status\":\"NotReady\"}}");

        assertThat(reply.at("/status/status")).isEqualTo("NotReady");
        assertThat(reply.at("/spec/numNodes")).isEqualTo("0");
        assertThat(reply.body().at("/metadata/labels").isMissingNode()).isTrue();
        assertThat(reply.at("/metadata/generation")).isEqualTo("1");
    }

    @Test
    void ignoresTheStatusOfANewClaim() throws Exception {
        ObjectNode pod = Fixtures.pod("default", "pod", Fixtures.uid(5), "n", "claim");
        ObjectNode claim = Fixtures.allocatedClaim("default", "claim", Fixtures.uid(6), "n", Fixtures.uid(1), pod);

        Client.Reply created = admin.create(CLAIMS, claim);
        Client.Reply allocated = admin.merge(
                CLAIMS + "/claim/status",
                Json.object().<ObjectNode>set("status", claim.path("status")).toString());

        assertThat(created.body().path("status")).isEmpty();
        assertThat(allocated.body().path("status")).isEqualTo(claim.path("status"));
    }

    @Test
    void listsBuiltInTypesWithoutAndCustomTypesWithTheKindOfEachItem() throws Exception {
        admin.create(SLICES, Fixtures.resourceSlice("n", Fixtures.uid(3)));

        ObjectNode slices = admin.get(SLICES).body();
        ObjectNode domains = admin.get(DOMAINS).body();

        assertThat(slices.path("kind").asText()).isEqualTo("ResourceSliceList");
        assertThat(slices.at("/items/0").has("kind")).isFalse();
        assertThat(slices.at("/items/0/spec/nodeName").asText()).isEqualTo("n");
        assertThat(domains.at("/items/0/kind").asText()).isEqualTo("ComputeDomain");
    }

    @Test
    void refusesACustomObjectUpdateWithoutResourceVersion() throws Exception {
        ObjectNode domain = admin.get(DOMAINS + "/domain").body();
        domain.withObject("/metadata").remove("resourceVersion");

        Client.Reply reply = admin.update(DOMAINS + "/domain", domain);

        assertThat(reply.code()).isEqualTo(422);
        assertThat(reply.at("/details/causes/0/field")).isEqualTo("metadata.resourceVersion");
    }

    @Test
    void answersBodiesThatAreNoObjectsWith400() throws Exception {
        Client.Reply reply = admin.send(
                admin.request(DOMAINS).POST(BodyPublishers.ofString("[1]")).header("Content-Type", "application/json"));

        assertThat(reply.code()).isEqualTo(400);
        assertThat(reply.at("/kind")).isEqualTo("Status");
    }

    @Test
    void refusesEventsInAnotherNamespaceThanTheirObject() throws Exception {
        ObjectNode event = Json.literal("""
                {"metadata":{"generateName":"e-"},"reason":"r",
                 "involvedObject":{"kind":"Pod","namespace":"team","name":"p"}}""");

        assertThat(admin.create("/api/v1/namespaces/default/events", event).code())
                .isEqualTo(422);
        event.withObject("/involvedObject").put("namespace", "default");
        assertThat(admin.create("/api/v1/namespaces/default/events", event).code())
                .isEqualTo(201);
    }
}
