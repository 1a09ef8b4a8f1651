package io.imexagent.controller.manifests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.marcnuri.helm.TemplateCommand;
import io.imexagent.controller.manifests.Manifests.ManifestOptions;
import io.imexagent.core.policy.Isolation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The chart, rendered by Helm itself (its Go code, bound to Java), against what {@code imex-agent manifests} prints. */
class HelmChartTest {

    /** A default, or an example, of the file that shows every key. */
    private static final Pattern KEY_IN_COMMENT = Pattern.compile("^( *)#(?=[A-Za-z]+:( |$))", Pattern.MULTILINE);

    private static TemplateCommand chart() {
        return Chart.template().withNamespace("of-the-release").set("namespace", "imex-agent");
    }

    private static List<JsonNode> rendered(TemplateCommand command) {
        return Cluster.parse(command.call());
    }

    private static void assertSame(TemplateCommand command, ManifestOptions options) {
        Comparator<JsonNode> order = Comparator.comparing(JsonNode::toString);
        List<JsonNode> rendered = rendered(command);
        for (JsonNode object : rendered) {
            ObjectNode metadata = (ObjectNode) object.path("metadata");
            assertThat(metadata.path("labels").properties())
                    .as("labels are all that the chart adds")
                    .extracting(Map.Entry::getKey)
                    .contains("app.kubernetes.io/name", "app.kubernetes.io/managed-by")
                    .allMatch(label -> label.startsWith("app.kubernetes.io/") || label.equals("helm.sh/chart"));
            metadata.remove("labels");
        }
        assertThat(rendered.stream().sorted(order).toList())
                .isEqualTo(Cluster.objects(options).stream().sorted(order).toList());
    }

    @Test
    void byDefaultTheGateIsOff() {
        assertSame(chart().set("driverManaged.rbac", "true"), Cluster.OFF);
    }

    @Test
    void rightsOfTheDriversDaemonsComeOnRequestOnly() {
        String role = "ClusterRole compute-domain-daemon-role";

        assertThat(Cluster.names(rendered(chart())))
                .doesNotContain(role)
                .contains("DeviceClass compute-domain-daemon.nvidia.com")
                .noneMatch(name -> name.startsWith("ServiceAccount"));
        assertThat(Cluster.names(rendered(chart().set("driverManaged.rbac", "true"))))
                .contains(role);
    }

    @Test
    void withTheGate() {
        assertSame(
                chart().set("featureGates.HostManagedIMEX", "true")
                        .set("imex.isolation", "None")
                        .set("admission.enabled", "true"),
                Cluster.SHARED);
    }

    @Test
    void withIsolation() {
        assertSame(
                chart().set("featureGates.HostManagedIMEX", "true")
                        .set("imex.isolation", "IMEXChannel")
                        .set("admission.enabled", "true")
                        .set("namespace", "elsewhere")
                        .set("controller.user", "system:serviceaccount:elsewhere:controller"),
                new ManifestOptions(
                        true,
                        Isolation.IMEX_CHANNEL,
                        true,
                        "elsewhere",
                        "system:serviceaccount:elsewhere:controller",
                        false,
                        false,
                        false,
                        false));
    }

    @Test
    void withRdma() {
        assertSame(
                chart().set("rdma.enabled", "true").set("driverManaged.rbac", "true"),
                new ManifestOptions(
                        false, Isolation.NONE, false, "imex-agent", "imex-controller", true, false, false, false));
        assertSame(
                chart().set("rdma.enabled", "true")
                        .set("driverManaged.rbac", "true")
                        .set("admission.enabled", "true"),
                new ManifestOptions(
                        false, Isolation.NONE, true, "imex-agent", "imex-controller", true, false, false, false));
    }

    @Test
    void withTheRolesOfTheFabricTest() {
        assertSame(
                chart().set("featureGates.HostManagedIMEX", "true")
                        .set("imex.isolation", "None")
                        .set("admission.enabled", "true")
                        .set("fabricTest.roles", "true"),
                Cluster.withFabricTest(Cluster.SHARED));
    }

    @Test
    void withThePolicyOfPlacementFromKubernetes136On() {
        assertSame(
                chart().set("featureGates.HostManagedIMEX", "true")
                        .set("imex.isolation", "None")
                        .set("admission.enabled", "true")
                        .set("placement.policy", "true"),
                Cluster.withPlacement(Cluster.SHARED));
        assertThat(Cluster.names(rendered(chart().withKubeVersion("1.35.9")
                        .set("featureGates.HostManagedIMEX", "true")
                        .set("imex.isolation", "None")
                        .set("placement.policy", "true"))))
                .contains("CustomResourceDefinition cliqueplacements.imexagent.io")
                .noneMatch(name -> name.startsWith("MutatingAdmissionPolicy"));
    }

    @Test
    void placementByCliqueTurnsTheLabelOnUnlessTheConfigurationSaysOtherwise() {
        Map<String, String> required = Map.of("placement.clique", "Required");

        assertThat(configuration(Chart.DAEMON_SET, required)).contains("clique: Required", "cliqueLabel: true");
        assertThat(configuration(
                        Chart.DAEMON_SET,
                        Map.of("placement.clique", "Required", "configuration.publication.cliqueLabel", "false")))
                .contains("cliqueLabel: false");
        assertThat(configuration(Chart.DAEMON_SET, Map.of())).doesNotContain("placement", "cliqueLabel");
    }

    private static String configuration(Map<String, String> values, Map<String, String> more) {
        return Chart.object(Chart.objects(values, more), "ConfigMap imex-agent")
                .path("data")
                .toString();
    }

    @Test
    void withTheStatusOfClaims() {
        assertSame(
                chart().set("claimStatus.enabled", "true").set("driverManaged.rbac", "true"),
                Cluster.withClaimStatus(Cluster.OFF));
        assertThatThrownBy(() -> chart().withKubeVersion("1.35.9")
                        .set("claimStatus.enabled", "true")
                        .call())
                .hasMessageContaining("needs Kubernetes 1.36");
    }

    @Test
    void thePodsOfAgentsGetTheTokenOfTheStatusOfClaimsOnRequestOnly() {
        JsonNode without = Chart.object(Chart.objects(Chart.DAEMON_SET), "DaemonSet imex-agent");
        List<JsonNode> with = Chart.objects(Chart.DAEMON_SET, Map.of("claimStatus.enabled", "true"));
        JsonNode pod = Chart.object(with, "DaemonSet imex-agent").at("/spec/template/spec");

        assertThat(without.at("/spec/template/spec/automountServiceAccountToken")
                        .asBoolean())
                .isFalse();
        assertThat(pod.path("automountServiceAccountToken").asBoolean()).isTrue();
        assertThat(pod.path("serviceAccountName").asText()).isEqualTo("imex-claim-status");
        assertThat(Chart.object(with, "ConfigMap imex-agent").path("data").toString())
                .contains("claimStatusKubeconfig: /etc/imex-agent/claim-status.conf");
    }

    @Test
    void whatIsThereAlreadyCanBeLeftOut() {
        List<String> all = Cluster.names(rendered(chart()));
        String namespace = "Namespace imex-agent";
        String crd = "CustomResourceDefinition computedomains.resource.nvidia.com";
        assertThat(all).contains(namespace, crd);

        assertThat(Cluster.names(rendered(chart().set("createNamespace", "false"))))
                .isEqualTo(all.stream().filter(name -> !name.equals(namespace)).toList());
        assertThat(Cluster.names(rendered(Chart.template())))
                .as("the release's namespace is there, or helm --create-namespace makes it")
                .isEqualTo(all.stream().filter(name -> !name.equals(namespace)).toList());
        assertThat(Cluster.names(rendered(chart().set("crd.install", "false"))))
                .isEqualTo(all.stream().filter(name -> !name.equals(crd)).toList());
    }

    @Test
    void withoutANamespaceItIsTheReleases() {
        TemplateCommand command = Chart.template().withNamespace("of-the-release");
        Stream.of(Chart.SERVING, Chart.DEPLOYMENT, Chart.DAEMON_SET).forEach(values -> values.forEach(command::set));
        List<JsonNode> objects = rendered(command);

        assertThat(Chart.object(objects, "ConfigMap imex-controller")
                        .path("data")
                        .toString())
                .contains("namespace: of-the-release");
        assertThat(Chart.object(objects, "RoleBinding imex-controller").toString())
                .contains("system:serviceaccount:of-the-release:imex-controller");
        assertThat(objects)
                .extracting(object -> object.at("/metadata/namespace").asText())
                .containsOnly("", "of-the-release");
        assertThat(objects.toString()).doesNotContain("kube-system", "\"namespace\":\"imex-agent\"");
    }

    @Test
    void labelsStandOnEverythingAndCannotBeTheCharts() {
        List<JsonNode> objects =
                Chart.objects(Chart.SERVING, Chart.DEPLOYMENT, Chart.DAEMON_SET, Map.of("labels.team", "racks"));

        assertThat(objects)
                .allMatch(object -> object.at("/metadata/labels/team").asText().equals("racks"));
        for (String workload : List.of("Deployment imex-controller", "DaemonSet imex-agent")) {
            JsonNode spec = Chart.object(objects, workload).path("spec");
            assertThat(spec.at("/template/metadata/labels/team").asText()).isEqualTo("racks");
            assertThat(spec.at("/selector/matchLabels").has("team")).isFalse();
        }
        assertThatThrownBy(() -> chart().set("labels.app\\.kubernetes\\.io/name", "other")
                        .call())
                .hasMessageContaining("app.kubernetes.io/name");
    }

    @Test
    void falseAsATextIsFalse() {
        assertThat(Cluster.names(rendered(chart().withValuesFile(values("\"false\"", "None")))))
                .contains("DeviceClass compute-domain-daemon.nvidia.com");
        assertThat(Cluster.names(rendered(chart().withValuesFile(values("\"true\"", "None")))))
                .doesNotContain("DeviceClass compute-domain-daemon.nvidia.com");
    }

    private static Path values(String gate, String isolation) {
        try {
            Path file = Files.createTempFile("values", ".yaml");
            file.toFile().deleteOnExit();
            return Files.writeString(
                    file, "featureGates:\n  HostManagedIMEX: " + gate + "\nimex:\n  isolation: " + isolation + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theSchemaRefusesWhatHasNoMeaning() {
        assertThatThrownBy(() ->
                        chart().set("featureGates.HostManagedIMEX", "true").call())
                .as("a gate without a conscious choice of isolation")
                .hasMessageContaining("isolation");
        assertThatThrownBy(() -> chart().set("imex.isolation", "IMEXDomain").call())
                .hasMessageContaining("isolation");
        assertThatThrownBy(() ->
                        chart().set("featureGates.HostManagedImex", "true").call())
                .hasMessageContaining("HostManagedImex");
        assertThatThrownBy(() -> chart().set("admission.enabled", "maybe").call())
                .hasMessageContaining("enabled");
        assertThatThrownBy(() -> chart().set("crd.install", "perhaps").call()).hasMessageContaining("install");
        assertThatThrownBy(() -> chart().set("createNamespace", "perhaps").call())
                .hasMessageContaining("createNamespace");
        assertThatThrownBy(() -> chart().set("crd.create", "false").call()).hasMessageContaining("create");
    }

    @ParameterizedTest
    @CsvSource({
        "imex.chanels, 64, chanels",
        "imex.health.interval, soon, interval",
        "http.port, true, port",
        "http.port, 65536, port",
        "log.level, loud, level",
        "host.root, relative, root",
        "log.levels.all, info, levels"
    })
    void aWrongKeyOfTheConfigurationOrAWrongValueIsRefusedByName(String key, String value, String named) {
        assertThatThrownBy(() -> chart().set("configuration." + key, value).call())
                .hasMessageContaining("configuration")
                .hasMessageContaining(named);
    }

    @Test
    void theConfigurationTakesEachKeyOfTheFile(@TempDir Path folder) throws IOException {
        String example = Files.readString(Cluster.checkout().resolve("docs/config.example.yaml"));
        String everything = KEY_IN_COMMENT
                .matcher(example)
                .replaceAll("$1")
                // Helm reads YAML 1.1, where Off is false.
                .replace("clique: Off", "clique: \"Off\"");
        assertThat(everything).contains("\n  channels: ");
        Path values = Files.writeString(folder.resolve("values.yaml"), "configuration:\n" + everything.indent(2));

        assertThat(rendered(chart().withValuesFile(values))).isNotEmpty();
    }

    @Test
    void theOverlayOfTheCloudIsRendered() {
        assertSame(
                chart().withValuesFile(
                                Cluster.checkout().resolve("packaging/kubernetes/examples/gb200-cloud/values.yaml")),
                Cluster.ISOLATED);
    }
}
