package io.imexagent.e2e.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulerDoubleTest {

    private static final String OWN = "device.attributes['compute-domain.nvidia.com']";
    private static final String FREE = "{\"name\":\"channel-%1$d\",\"attributes\":{\"type\":{\"string\":\"channel\"},"
            + "\"id\":{\"int\":%1$d}}%2$s}";

    private ApiDouble api;
    private SchedulerDouble scheduler;

    SchedulerDoubleTest() throws IOException {
        api = ApiDouble.start(new ApiDoubleOptions());
        scheduler = new SchedulerDouble(api);
    }

    @BeforeEach
    void aNodeAndAClass() {
        api.apply(Fixtures.node("tray-1", Fixtures.uid(1)));
        api.apply(Json.literal("""
                {"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"channels"},
                 "spec":{"selectors":[{"cel":{"expression":"device.driver == 'compute-domain.nvidia.com' \
                && %s.type == 'channel' && %s.id > 0"}}]}}""".formatted(OWN, OWN)));
    }

    @AfterEach
    void close() {
        api.close();
    }

    @Test
    void givesTheDeviceThatClassAndRequestSelect() {
        slice("a", 1, 1, device(0, false), device(1, false), device(2, false));
        pod("one", OWN + ".id == 2");

        assertThat(scheduler.pass()).isEmpty();

        assertThat(result("one")).isEqualTo(Json.literal("""
                {"request":"channel","driver":"compute-domain.nvidia.com","pool":"tray-1","device":"channel-2"}"""));
        assertThat(podObject("one").at("/spec/nodeName").asText()).isEqualTo("tray-1");
        assertThat(claim("one").at("/status/reservedFor/0/name").asText()).isEqualTo("one");
        assertThat(claim("one")
                        .at("/status/allocation/nodeSelector/nodeSelectorTerms/0/matchFields/0/values/0")
                        .asText())
                .isEqualTo("tray-1");
        assertThat(claim("one").at("/status/allocation/devices/config/0/source").asText())
                .isEqualTo("FromClaim");
    }

    @Test
    void whatTheClassExcludesTheRequestCannotHave() {
        slice("a", 1, 1, device(0, false));
        pod("one", OWN + ".id == 0");

        assertThat(scheduler.pass().get("default/one")).contains("request channel finds no device");
        assertThat(claim("one").at("/status/allocation").isMissingNode()).isTrue();
        assertThat(podObject("one").at("/spec/nodeName").isMissingNode()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                OWN + ".id == 7",
                OWN + ".nosuch == 1",
                "device.attributes['another.example.com'].id == 1",
                OWN + ".id == ",
                "'text'"
            })
    void aSelectorThatMatchesNothingOrBreaksLeavesThePodPending(String selector) {
        slice("a", 1, 1, device(1, false));
        pod("one", selector);

        assertThat(scheduler.pass()).containsKey("default/one");
        assertThat(claim("one").at("/status/allocation").isMissingNode()).isTrue();
    }

    /** Recorded with kube-scheduler 1.36.2: slices with an attribute on one node and without it on another. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "has(" + OWN + ".clique) && " + OWN + ".clique == 'c.1'",
                OWN + ".?clique.orValue('') == 'c.1'",
                "'clique' in " + OWN + " && " + OWN + ".clique == 'c.1'"
            })
    void aGuardedSelectorPassesOverDevicesWithoutTheAttribute(String selector) {
        mixedSlices();
        pod("guarded", selector);

        assertThat(scheduler.pass()).isEmpty();
        assertThat(podObject("guarded").at("/spec/nodeName").asText()).isEqualTo("tray-2");
    }

    @Test
    void aSelectorThatBreaksOnOneNodeKeepsItsOwnPodFromEveryNodeAndOthersFromNone() {
        mixedSlices();
        pod("broken", OWN + ".clique == 'c.1'");
        pod("other", "true");

        assertThat(scheduler.pass()).containsOnlyKeys("default/broken");
        assertThat(podObject("other").at("/spec/nodeName").asText()).isEqualTo("tray-1");

        assertThat(scheduler.pass())
                .as("a device that is held is not looked at")
                .isEmpty();
        assertThat(podObject("broken").at("/spec/nodeName").asText()).isEqualTo("tray-2");
    }

    /** The example's guard, over slices of nodes with a clique and without one, as the default class sees both. */
    @Test
    void aClaimForACliquePassesOverDevicesWithoutOneAndTheDefaultClassOverNone() throws Exception {
        String clique = "c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766";
        PublishedDevice without = channel0("");
        PublishedDevice with = channel0(",\"clique\":{\"string\":\"" + clique + "\"}");
        PublishedDevice another = channel0(",\"clique\":{\"string\":\"another.1\"}");
        var byDefault = new DeviceSelector(
                expression(
                        Files.readString(
                                Path.of(
                                        "../controller/src/main/resources/io/imexagent/controller/manifests/deviceclass-default-channel.yaml"))));
        var example = new DeviceSelector(
                expression(Files.readString(Path.of("../packaging/kubernetes/examples/one-clique.yaml"))));

        assertThat(byDefault.selects(without)).isTrue();
        assertThat(byDefault.selects(with)).isTrue();
        assertThat(example.selects(without)).isFalse();
        assertThat(example.selects(another)).isFalse();
        assertThat(example.selects(with)).isTrue();
        var classOfARack = new DeviceSelector(
                expression(Files.readString(Path.of("../packaging/kubernetes/examples/clique-class.yaml"))));
        assertThat(classOfARack.selects(without)).isFalse();
        assertThat(classOfARack.selects(another)).isFalse();
        assertThat(classOfARack.selects(with)).isTrue();
        var unguarded = new DeviceSelector(OWN + ".clique == '" + clique + "'");
        assertThatThrownBy(() -> unguarded.selects(without)).isInstanceOf(UnsatisfiableException.class);
    }

    private static PublishedDevice channel0(String attributes) {
        return new PublishedDevice(
                "compute-domain.nvidia.com", "node", "channel-0", "node", Json.literal("""
                {"name":"channel-0","attributes":{"type":{"string":"channel"},"id":{"int":0}%s}}""".formatted(attributes)));
    }

    private static String expression(String yaml) throws java.io.IOException {
        JsonNode selector = new com.fasterxml.jackson.dataformat.yaml.YAMLMapper()
                .readTree(yaml)
                .findValue("expression");
        return selector.asText();
    }

    @Test
    void aDeviceHasOneHolderUntilThatHasEnded() {
        slice("a", 1, 1, device(1, false));
        pod("one", OWN + ".id == 1");
        pod("two", OWN + ".id == 1");

        assertThat(scheduler.pass()).containsOnlyKeys("default/two");
        assertThat(result("one").has("shareID")).isFalse();

        scheduler.end("default", "one");
        assertThat(scheduler.pass()).isEmpty();
        assertThat(result("two").path("device").asText()).isEqualTo("channel-1");
    }

    @Test
    void aSharedDeviceHasSeveralHoldersWithAShareEach() {
        slice("a", 1, 1, device(1, true));
        pod("one", OWN + ".id == 1");
        pod("two", OWN + ".id == 1");

        assertThat(scheduler.pass()).isEmpty();

        List<String> shares = List.of(
                result("one").path("shareID").asText(),
                result("two").path("shareID").asText());
        assertThat(shares)
                .doesNotHaveDuplicates()
                .allSatisfy(share -> assertThat(share).matches("[0-9a-f-]{36}"));
    }

    @Test
    void aPoolCountsOnlyWholeAndInItsNewestGeneration() {
        slice("a", 1, 1, device(1, false));
        slice("b", 2, 2, device(2, false));
        pod("one", OWN + ".id == 1");
        pod("two", OWN + ".id == 2");
        assertThat(scheduler.pass()).containsOnlyKeys("default/one", "default/two");

        slice("c", 2, 2, device(3, false));

        assertThat(scheduler.pass()).as("the first is of an old generation").containsOnlyKeys("default/one");
    }

    @Test
    void aTaintKeepsPodsAway() {
        slice(
                "a",
                1,
                1,
                FREE.formatted(1, ",\"taints\":[{\"key\":\"imex.nvidia.com/unhealthy\",\"effect\":\"NoSchedule\"}]"));
        pod("one", OWN + ".id == 1");

        assertThat(scheduler.pass()).containsOnlyKeys("default/one");
    }

    @Test
    void aClassThatIsNotThereAndATemplateThatIsNotThereAreNamed() {
        slice("a", 1, 1, device(1, false));
        pod("one", "true");
        api.remove(ResourceType.DEVICE_CLASSES, "", "channels");
        assertThat(scheduler.pass().get("default/one")).contains("device class channels does not exist");

        api.apply(Json.literal("""
                {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"two"},
                 "spec":{"containers":[],"resourceClaims":[{"name":"c","resourceClaimTemplateName":"missing"}]}}"""));
        assertThat(scheduler.pass().get("default/two")).contains("waiting for the resource claims");
    }

    /** A node whose device has no attribute {@code clique}, and one whose device has it. */
    private void mixedSlices() {
        api.apply(Fixtures.node("tray-2", Fixtures.uid(2)));
        slice("a", 1, 1, device(1, false));
        ObjectNode other = Json.literal("""
                {"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"b"},
                 "spec":{"driver":"compute-domain.nvidia.com","nodeName":"tray-2",
                  "pool":{"name":"tray-2","generation":1,"resourceSliceCount":1},"devices":[%s]}}""".formatted(device(1, false)));
        ((ObjectNode) other.at("/spec/devices/0/attributes"))
                .putObject("clique")
                .put("string", "c.1");
        api.apply(other);
    }

    private static String device(int channel, boolean shared) {
        return FREE.formatted(channel, shared ? ",\"allowMultipleAllocations\":true" : "");
    }

    private void slice(String name, int generation, int count, String... devices) {
        api.apply(Json.literal("""
                {"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"%s"},
                 "spec":{"driver":"compute-domain.nvidia.com","nodeName":"tray-1",
                  "pool":{"name":"tray-1","generation":%d,"resourceSliceCount":%d},"devices":[%s]}}""".formatted(name, generation, count, String.join(",", devices))));
    }

    private void pod(String name, String selector) {
        ObjectNode template = Json.literal("""
                {"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate",
                 "metadata":{"namespace":"default","name":"%s"},
                 "spec":{"spec":{"devices":{"requests":[{"name":"channel","exactly":{"deviceClassName":"channels"}}],
                  "config":[{"requests":["channel"],"opaque":{"driver":"d","parameters":{}}}]}}}}""".formatted(name));
        ((ObjectNode) template.at("/spec/spec/devices/requests/0/exactly"))
                .putArray("selectors")
                .addObject()
                .putObject("cel")
                .put("expression", selector);
        api.apply(template);
        api.apply(Json.literal("""
                {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"%1$s"},
                 "spec":{"containers":[],"resourceClaims":[{"name":"c","resourceClaimTemplateName":"%1$s"}]}}""".formatted(name)));
    }

    private ObjectNode podObject(String name) {
        return api.get(ResourceType.PODS, "default", name).orElseThrow();
    }

    private ObjectNode claim(String pod) {
        String name = SchedulerDouble.claims(podObject(pod)).getFirst();
        return api.get(ResourceType.RESOURCE_CLAIMS, "default", name).orElseThrow();
    }

    private JsonNode result(String pod) {
        return claim(pod).at("/status/allocation/devices/results/0");
    }
}
