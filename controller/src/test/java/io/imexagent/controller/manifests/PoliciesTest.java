package io.imexagent.controller.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PoliciesTest {

    private static final String CHANNEL = "compute-domain-default-channel.nvidia.com";
    private static final String REQUEST =
            "{\"name\":\"channel\",\"exactly\":{\"deviceClassName\":\"" + CHANNEL + "\",\"count\":1}}";

    private static String config(String parameters) {
        return "{\"opaque\":{\"driver\":\"compute-domain.nvidia.com\",\"parameters\":" + parameters + "}}";
    }

    private static String channelConfig(String more) {
        return config("{\"apiVersion\":\"resource.nvidia.com/v1beta1\",\"kind\":\"ComputeDomainChannelConfig\","
                + "\"domainID\":\"76c683e5-1b96-46ce-9ff0-37c93527edec\"" + more + "}");
    }

    /** Both policies, over a claim and over a template with the same devices. */
    private static void both(String devices, String... refusals) {
        String[] kinds = {"claims", "templates"};
        for (String kind : kinds) {
            String spec = "{\"devices\":" + devices + "}";
            Policy policy = new Policy(Cluster.ISOLATED, "imex-agent-" + kind)
                    .with(
                            "object",
                            kind.equals("claims") ? "{\"spec\":" + spec + "}" : "{\"spec\":{\"spec\":" + spec + "}}");
            assertThat(policy.refusals()).as(kind + " " + devices).hasSize(refusals.length);
            for (int i = 0; i < refusals.length; i++) {
                assertThat(policy.refusals().get(i)).contains(refusals[i]);
            }
        }
    }

    private static void claims(String requests, String configs, String... refusals) {
        both("{\"requests\":[" + requests + "],\"config\":[" + configs + "]}", refusals);
    }

    @Test
    void theControllersOwnTemplateIsAccepted() {
        claims(REQUEST, channelConfig(",\"allocationMode\":\"Single\""));
        claims(REQUEST, channelConfig(""));
        claims(REQUEST, channelConfig(",\"allocationMode\":\"\""));
    }

    @Test
    void claimsOfOtherDriversAreNoneOfItsBusiness() {
        both("{}");
        claims(
                "{\"name\":\"gpu\",\"exactly\":{\"deviceClassName\":\"gpu.nvidia.com\",\"count\":4}}",
                "{\"opaque\":{\"driver\":\"gpu.nvidia.com\",\"parameters\":{\"allocationMode\":\"All\"}}}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"All", "foo", "single"})
    void otherAllocationModesAreRefused(String mode) {
        claims(REQUEST, channelConfig(",\"allocationMode\":\"" + mode + "\""), "allocationMode must be Single");
    }

    @Test
    void daemonConfigsAreRefused() {
        claims(
                REQUEST,
                config(
                        "{\"kind\":\"ComputeDomainDaemonConfig\",\"domainID\":\"76c683e5-1b96-46ce-9ff0-37c93527edec\"}"),
                "ComputeDomainDaemonConfig");
    }

    @Test
    void severalDevicesAreRefused() {
        claims(
                "{\"name\":\"channel\",\"exactly\":{\"deviceClassName\":\"" + CHANNEL + "\",\"count\":2}}",
                channelConfig(""),
                "exactly one device");
        claims(
                "{\"name\":\"channel\",\"exactly\":{\"deviceClassName\":\"" + CHANNEL
                        + "\",\"allocationMode\":\"All\"}}",
                channelConfig(""),
                "exactly one device");
        claims(
                "{\"name\":\"channel\",\"firstAvailable\":[{\"name\":\"a\",\"deviceClassName\":\"" + CHANNEL + "\"}]}",
                channelConfig(""),
                "not firstAvailable");
        claims(REQUEST + "," + REQUEST, channelConfig(""), "one channel only");
    }

    @Test
    void aChannelBesideAGpuIsAccepted() {
        claims(
                REQUEST + ",{\"name\":\"gpu\",\"exactly\":{\"deviceClassName\":\"gpu.nvidia.com\",\"count\":4}}",
                channelConfig(""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "train", "76C683E5-1B96-46CE-9FF0-37C93527EDEC", "76c683e5-1b96-46ce-9ff0-37c93527edecx"})
    void aDomainIdThatIsNoUidIsRefused(String id) {
        claims(
                REQUEST,
                config("{\"kind\":\"ComputeDomainChannelConfig\",\"domainID\":\"" + id + "\"}"),
                "domainID must be the UID");
    }

    @ParameterizedTest
    @CsvSource({"imex-controller, true", "system:node:tray-1, false", "somebody, false"})
    void onlyTheControllerWritesTheStatusOfAComputeDomain(String user, boolean accepted) {
        Policy policy = new Policy(Cluster.SHARED, "imex-agent-computedomain-status").request("UPDATE", user);

        assertThat(policy.refusals().isEmpty()).isEqualTo(accepted);
    }

    private static String slice(String driver, String node) {
        return "{\"spec\":{\"driver\":\"" + driver + "\",\"nodeName\":\"" + node + "\"}}";
    }

    @ParameterizedTest
    @CsvSource({
        "system:node:tray-1, compute-domain.nvidia.com, tray-1, true",
        "system:node:tray-1, compute-domain.nvidia.com, tray-2, false",
        "imex-agent:tray-1, compute-domain.nvidia.com, tray-1, true",
        "imex-agent:tray-1, compute-domain.nvidia.com, tray-2, false",
        "imex-agent:tray-1, gpu.nvidia.com, tray-2, true",
        "kubernetes-admin, compute-domain.nvidia.com, tray-2, true",
    })
    void agentsWriteSlicesOfTheirOwnNodeOnly(String user, String driver, String node, boolean accepted) {
        for (String operation : new String[] {"CREATE", "UPDATE", "DELETE"}) {
            Policy policy = new Policy(Cluster.SHARED, "imex-agent-slices")
                    .with("object", operation.equals("DELETE") ? "{}" : slice(driver, node))
                    .with("oldObject", operation.equals("CREATE") ? "{}" : slice(driver, node))
                    .request(operation, user);
            assertThat(policy.refusals().isEmpty()).as(operation).isEqualTo(accepted);
        }
    }

    @Test
    void aSliceCannotBeMovedToAnotherNode() {
        Policy policy = new Policy(Cluster.SHARED, "imex-agent-slices")
                .with("object", slice("compute-domain.nvidia.com", "tray-1"))
                .with("oldObject", slice("compute-domain.nvidia.com", "tray-2"))
                .request("UPDATE", "system:node:tray-1");

        assertThat(policy.refusals()).singleElement().asString().contains("change or delete");
    }

    @ParameterizedTest
    @CsvSource({"0, true, false", "-1, false, true", "5, false, false"})
    void deviceClassesSelectTheirChannels(int id, boolean byDefault, boolean own) {
        var device = Policy.value("""
            {"driver":"compute-domain.nvidia.com",
             "attributes":{"compute-domain.nvidia.com":{"type":"channel","id":%d,
              "clique":"c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766"}}}\
            """.formatted(id));

        assertThat(selects(CHANNEL, device)).isEqualTo(byDefault);
        assertThat(selects("compute-domain-channel.nvidia.com", device)).isEqualTo(own);
    }

    @Test
    void noClassBreaksOverTheDevicesOfAnotherDriver() {
        var rail = Policy.value("""
            {"driver":"rdma.imexagent.io","attributes":{"rdma.imexagent.io":{"role":"rail","portState":"ACTIVE"}}}""");

        assertThat(selects(CHANNEL, rail)).isFalse();
        assertThat(selects("compute-domain-channel.nvidia.com", rail)).isFalse();
    }

    private static boolean selects(String deviceClass, Object device) {
        String expression = Cluster.object(Cluster.ISOLATED, "DeviceClass", deviceClass)
                .path("spec")
                .path("selectors")
                .path(0)
                .path("cel")
                .path("expression")
                .asText();
        return Policy.holds(expression, Map.of("device", device));
    }

    @Test
    void theNegativeExampleIsRefused() throws java.io.IOException {
        String example = java.nio.file.Files.readString(
                Cluster.checkout().resolve("packaging/kubernetes/examples/negative-all.yaml"));
        Policy policy = new Policy(Cluster.SHARED, "imex-agent-templates")
                .with("object", Cluster.parse(example).getFirst().toString());

        assertThat(policy.refusals()).singleElement().asString().contains("allocationMode must be Single");
    }
}
