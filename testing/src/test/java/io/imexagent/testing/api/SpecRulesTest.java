package io.imexagent.testing.api;

import static io.imexagent.testing.api.Client.CLAIMS;
import static io.imexagent.testing.api.Client.DOMAINS;
import static io.imexagent.testing.api.Client.SLICES;
import static io.imexagent.testing.api.Client.TEMPLATES;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Gates;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds for the specs of single types: immutability, pruning, gates, defaults, validation. */
final class SpecRulesTest {
    private final ApiDouble api;
    private final Client admin;

    SpecRulesTest() throws IOException {
        api = ApiDouble.start(new ApiDoubleOptions().plainHttp());
        admin = Client.admin(api);
    }

    @AfterEach
    void stop() {
        admin.close();
        api.close();
    }

    private static void assertInvalid(Client.Reply reply, String field) {
        assertThat(reply.code()).isEqualTo(422);
        assertThat(reply.at("/reason")).isEqualTo("Invalid");
        assertThat(reply.at("/details/causes/0/field")).isEqualTo(field);
        assertThat(reply.at("/message")).contains(field + ": " + reply.at("/details/causes/0/message"));
    }

    private Client.Reply createSlice(Consumer<ObjectNode> change) throws IOException, InterruptedException {
        ObjectNode slice = Fixtures.resourceSlice("n", Fixtures.uid(3));
        change.accept(slice);
        return admin.create(SLICES, slice);
    }

    private static void devices(ObjectNode slice, int count) {
        ArrayNode devices = slice.withArray("/spec/devices").removeAll();
        for (int i = 0; i < count; i++) {
            devices.addObject().put("name", "channel-" + i);
        }
    }

    private static ObjectNode firstDevice(ObjectNode slice) {
        return (ObjectNode) slice.at("/spec/devices/0");
    }

    private static void taint(ObjectNode slice) {
        firstDevice(slice)
                .putArray("taints")
                .addObject()
                .put("key", "example.com/broken")
                .put("effect", "NoSchedule");
    }

    @Test
    void refusesToChangeTheSpecOfAComputeDomain() throws Exception {
        api.apply(Fixtures.computeDomain("default", "domain", Fixtures.uid(1), "template"));

        Client.Reply reply = admin.merge(DOMAINS + "/domain", "{\"spec\":{\"numNodes\":2}}");

        assertInvalid(reply, "spec");
        assertThat(reply.at("/message"))
                .isEqualTo("ComputeDomain.resource.nvidia.com \"domain\" is invalid: spec: Invalid value:"
                        + " A computeDomain.spec is immutable");
    }

    @Test
    void refusesToChangeTheSpecOfAClaim() throws Exception {
        api.apply(Fixtures.unallocatedClaim("default", "claim", Fixtures.uid(1), Fixtures.uid(2)));

        assertInvalid(admin.merge(CLAIMS + "/claim", "{\"spec\":{\"devices\":{\"config\":null}}}"), "spec");
    }

    @Test
    void refusesToChangeTheSpecOfAClaimTemplate() throws Exception {
        api.apply(Fixtures.claimTemplate("default", "template", Fixtures.uid(2)));

        assertInvalid(
                admin.merge(TEMPLATES + "/template", "{\"spec\":{\"metadata\":{\"labels\":{\"a\":\"b\"}}}}"), "spec");
        assertThat(admin.merge(TEMPLATES + "/template", "{\"metadata\":{\"finalizers\":[]}}")
                        .code())
                .isEqualTo(200);
    }

    @Test
    void refusesToChangeAnAllocationButLetsItGo() throws Exception {
        ObjectNode pod = Fixtures.pod("default", "pod", Fixtures.uid(5), "n", "claim");
        api.apply(Fixtures.allocatedClaim("default", "claim", Fixtures.uid(6), "n", Fixtures.uid(1), pod));

        assertInvalid(
                admin.merge(CLAIMS + "/claim/status", "{\"status\":{\"allocation\":{\"nodeSelector\":null}}}"),
                "status.allocation");
        assertThat(admin.merge(CLAIMS + "/claim/status", "{\"status\":{\"allocation\":null,\"reservedFor\":null}}")
                        .code())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"driver,other.example.com", "nodeName,other"})
    void refusesToChangeTheDriverAndNodeOfASlice(String field, String value) throws Exception {
        String name = createSlice(slice -> {}).at("/metadata/name");

        Client.Reply reply = admin.merge(SLICES + "/" + name, "{\"spec\":{\"" + field + "\":\"" + value + "\"}}");

        assertInvalid(reply, "spec." + field);
    }

    @Test
    void refusesToChangeThePoolNameOfASlice() throws Exception {
        String name = createSlice(slice -> {}).at("/metadata/name");

        assertInvalid(admin.merge(SLICES + "/" + name, "{\"spec\":{\"pool\":{\"name\":\"other\"}}}"), "spec.pool.name");
    }

    @Test
    void takes128DevicesInASliceAndNoMore() throws Exception {
        assertThat(createSlice(slice -> devices(slice, 128)).code()).isEqualTo(201);

        Client.Reply reply = createSlice(slice -> devices(slice, 129));

        assertInvalid(reply, "spec.devices");
        assertThat(reply.at("/message")).contains("Too many: 129: must have at most 128 items");
    }

    @Test
    void takes64DevicesInASliceWithTaintsAndNoMore() throws Exception {
        assertThat(createSlice(slice -> {
                            devices(slice, 64);
                            taint(slice);
                        })
                        .code())
                .isEqualTo(201);
        assertInvalid(
                createSlice(slice -> {
                    devices(slice, 65);
                    taint(slice);
                }),
                "spec.devices");
    }

    @Test
    void refusesTwoDevicesOfOneName() throws Exception {
        Client.Reply reply = createSlice(
                slice -> slice.withArray("/spec/devices").addObject().put("name", "channel-0"));

        assertInvalid(reply, "spec.devices[1].name");
        assertThat(reply.at("/details/causes/0/reason")).isEqualTo("FieldValueDuplicate");
    }

    @Test
    void refusesADeviceNameThatIsNoDnsLabel() throws Exception {
        assertInvalid(createSlice(slice -> firstDevice(slice).put("name", "Channel_0")), "spec.devices[0].name");
    }

    @Test
    void refusesAnAttributeWithTwoValuesOrNone() throws Exception {
        assertInvalid(
                createSlice(
                        slice -> firstDevice(slice).withObject("/attributes/id").put("string", "zero")),
                "spec.devices[0].attributes[id]");
        assertInvalid(
                createSlice(
                        slice -> firstDevice(slice).withObject("/attributes/id").removeAll()),
                "spec.devices[0].attributes[id]");
    }

    @Test
    void refusesAnAttributeNameThatIsNoIdentifier() throws Exception {
        assertInvalid(
                createSlice(slice -> firstDevice(slice)
                        .withObject("/attributes")
                        .putObject("a-b")
                        .put("int", 1)),
                "spec.devices[0].attributes[a-b]");
    }

    @Test
    void refusesAVersionThatIsNotSemantic() throws Exception {
        assertInvalid(
                createSlice(slice -> firstDevice(slice)
                        .withObject("/attributes")
                        .putObject("v")
                        .put("version", "580.65")),
                "spec.devices[0].attributes[v].version");
    }

    @Test
    void refusesASliceWithoutPlaceDriverOrPool() throws Exception {
        assertInvalid(createSlice(slice -> slice.withObject("/spec").remove("nodeName")), "spec");
        assertInvalid(createSlice(slice -> slice.withObject("/spec").remove("driver")), "spec.driver");
        assertInvalid(createSlice(slice -> slice.withObject("/spec/pool").remove("name")), "spec.pool.name");
        assertInvalid(
                createSlice(slice -> slice.withObject("/spec/pool").put("resourceSliceCount", 0)),
                "spec.pool.resourceSliceCount");
    }

    @Test
    void refusesAnOwnerWithoutUid() throws Exception {
        assertInvalid(
                createSlice(slice -> ((ObjectNode) slice.at("/metadata/ownerReferences/0")).remove("uid")),
                "metadata.ownerReferences[0].uid");
    }

    @Test
    void refusesATaintWithoutEffect() throws Exception {
        assertInvalid(
                createSlice(slice ->
                        firstDevice(slice).putArray("taints").addObject().put("key", "example.com/broken")),
                "spec.devices[0].taints[0].effect");
    }

    @Test
    void addsTheTimeToATaint() throws Exception {
        assertThat(createSlice(SpecRulesTest::taint).at("/spec/devices/0/taints/0/timeAdded"))
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
    }

    @Test
    void dropsTaintsInSilenceWhileTheirGateIsOff() throws Exception {
        api.setGates(new Gates(false, true));

        Client.Reply reply = createSlice(SpecRulesTest::taint);

        assertThat(reply.code()).isEqualTo(201);
        assertThat(reply.body().at("/spec/devices/0").has("taints")).isFalse();
        assertThat(reply.header("Warning")).isEmpty();
    }

    @Test
    void keepsTaintsOfASliceThatHadThemWhenTheGateWasOn() throws Exception {
        String name = createSlice(SpecRulesTest::taint).at("/metadata/name");
        api.setGates(new Gates(false, true));

        Client.Reply reply = admin.merge(SLICES + "/" + name, "{\"spec\":{\"pool\":{\"generation\":2}}}");

        assertThat(reply.body().at("/spec/devices/0").has("taints")).isTrue();
    }

    @Test
    void dropsAllowMultipleAllocationsWhileItsGateIsOff() throws Exception {
        Consumer<ObjectNode> shared = slice -> firstDevice(slice).put("allowMultipleAllocations", true);

        assertThat(createSlice(shared).body().at("/spec/devices/0").has("allowMultipleAllocations"))
                .isTrue();
        api.setGates(new Gates(true, false));
        assertThat(createSlice(shared).body().at("/spec/devices/0").has("allowMultipleAllocations"))
                .isFalse();
    }

    @Test
    void dropsUnknownFieldsWithAWarning() throws Exception {
        Client.Reply slice = createSlice(s -> firstDevice(s).put("colour", "green"));
        ObjectNode domain = Fixtures.computeDomain("default", "new", Fixtures.uid(1), "template");
        domain.withObject("/spec").put("colour", "green");
        Client.Reply created = admin.create(DOMAINS, domain);

        assertThat(slice.body().at("/spec/devices/0").has("colour")).isFalse();
        assertThat(slice.header("Warning")).contains("unknown field \\\"spec.devices[0].colour\\\"");
        assertThat(created.code()).isEqualTo(201);
        assertThat(created.body().at("/spec").has("colour")).isFalse();
    }

    @Test
    void refusesUnknownFieldsUnderStrictValidation() throws Exception {
        ObjectNode slice = Fixtures.resourceSlice("n", Fixtures.uid(3));
        slice.put("colour", "green");

        Client.Reply reply = admin.create(SLICES + "?fieldValidation=Strict", slice);

        assertThat(reply.code()).isEqualTo(400);
        assertThat(reply.at("/message")).contains("strict decoding error: unknown field \"colour\"");
    }

    @Test
    void refusesValuesOfTheWrongType() throws Exception {
        Client.Reply slice = createSlice(s -> s.withObject("/spec/pool").put("generation", "one"));
        ObjectNode domain = Fixtures.computeDomain("default", "new", Fixtures.uid(1), "template");
        domain.withObject("/spec").put("numNodes", "two");

        assertThat(slice.code()).isEqualTo(400);
        assertInvalid(admin.create(DOMAINS, domain), "spec.numNodes");
    }

    @Test
    void fillsInTheDefaultsOfAComputeDomain() throws Exception {
        ObjectNode domain = Json.literal("""
                {"metadata":{"name":"small"},
                 "spec":{"channel":{"resourceClaimTemplate":{"name":"template"}}}}""");

        Client.Reply reply = admin.create(DOMAINS, domain);

        assertThat(reply.at("/apiVersion")).isEqualTo("resource.nvidia.com/v1beta1");
        assertThat(reply.at("/spec/channel/allocationMode")).isEqualTo("Single");
        assertThat(reply.at("/spec/numNodes")).isEqualTo("0");
    }

    @Test
    void refusesComputeDomainsOutsideTheSchema() throws Exception {
        ObjectNode domain = Fixtures.computeDomain("default", "new", Fixtures.uid(1), "template");
        ObjectNode mode = domain.deepCopy();
        mode.withObject("/spec/channel").put("allocationMode", "Some");
        ObjectNode negative = domain.deepCopy();
        negative.withObject("/spec").put("numNodes", -1);
        ObjectNode nameless = domain.deepCopy();
        nameless.withObject("/spec").remove("channel");

        assertInvalid(admin.create(DOMAINS, mode), "spec.channel.allocationMode");
        assertInvalid(admin.create(DOMAINS, negative), "spec.numNodes");
        assertInvalid(admin.create(DOMAINS, nameless), "spec.channel");
    }

    @Test
    void fillsInTheDefaultsOfAClaimTemplateAndChecksItsRequests() throws Exception {
        ObjectNode template = Fixtures.claimTemplate("default", "template", Fixtures.uid(2));
        ObjectNode exactly = (ObjectNode) template.at("/spec/spec/devices/requests/0/exactly");
        exactly.remove("count");
        exactly.remove("allocationMode");
        ObjectNode stray = template.deepCopy();
        stray.withArray("/spec/spec/devices/config/0/requests").removeAll().add("other");

        Client.Reply reply = admin.create(TEMPLATES, template);

        assertThat(reply.at("/spec/spec/devices/requests/0/exactly/allocationMode"))
                .isEqualTo("ExactCount");
        assertThat(reply.at("/spec/spec/devices/requests/0/exactly/count")).isEqualTo("1");
        assertInvalid(admin.create(TEMPLATES, stray), "spec.spec.devices.config[0].requests[0]");
    }

    @Test
    void theNameOfATemplateIsBounded() throws Exception {
        assertInvalid(
                admin.create(DOMAINS, Fixtures.computeDomain("default", "d", Fixtures.uid(1), "x".repeat(254))),
                "spec.channel.resourceClaimTemplate.name");
    }
}
