package io.imexagent.controller.manifests;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each value of the chart's schema that is no switch is seen in what is rendered: one that a template forgot does nothing. */
class ChartValuesTest {

    private static final String AFFINITY = ".nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
            + ".nodeSelectorTerms[0].matchExpressions[0].key";

    /** What is set for a value: where below it, and to what. */
    private static final Map<String, Setting> SETTINGS = Map.ofEntries(
            entry("imex.isolation", new Setting("", "None")),
            entry("placement.clique", new Setting("", "Required", "clique: Required")),
            entry("namespace", new Setting("", "of-racks")),
            entry("labels", new Setting(".team", "of-everything")),
            entry("image.repository", new Setting("", "registry.example/other")),
            entry("image.tag", new Setting("", "v9.8.7")),
            entry("image.digest", new Setting("", "sha256:" + "1".repeat(64))),
            entry("image.pullPolicy", new Setting("", "Never")),
            entry("image.pullSecrets", new Setting("[0].name", "pull-secret")),
            entry("configuration", new Setting(".imex.channels", "177", "channels: 177")),
            entry("controller.user", new Setting("", "somebody-else")),
            entry("controller.deployment.replicas", new Setting("", "3", "\"replicas\":3")),
            entry("controller.deployment.heap", new Setting("", "257m")),
            entry("controller.deployment.resources", new Setting(".limits.memory", "777Mi")),
            entry("controller.deployment.tlsSecret", new Setting("", "racks-tls")),
            entry("controller.deployment.priorityClassName", new Setting("", "of-controllers")),
            entry("controller.deployment.nodeSelector", new Setting(".role", "of-controllers")),
            entry("controller.deployment.tolerations", new Setting("[0].key", "of-controllers")),
            entry("controller.deployment.affinity", new Setting(AFFINITY, "of-controllers")),
            entry("controller.deployment.podAnnotations", new Setting(".note", "of-controllers")),
            entry("controller.deployment.extraEnv", new Setting("[0].name", "OF_CONTROLLERS")),
            entry("controller.deployment.extraVolumes", new Setting("[0].name", "of-controllers")),
            entry("controller.deployment.extraVolumeMounts", new Setting("[0].name", "of-controllers")),
            entry("controller.deployment.serviceAccountAnnotations", new Setting(".role", "of-controllers")),
            entry("controller.deployment.topologySpreadConstraints", new Setting("[0].topologyKey", "of-controllers")),
            entry(
                    "controller.deployment.networkPolicy.from",
                    new Setting("[0].podSelector.matchLabels.app", "of-readers")),
            entry("controller.deployment.networkPolicy.apiServerCidrs", new Setting("[0]", "192.0.2.7/32")),
            entry("controller.deployment.networkPolicy.apiServerPorts", new Setting("[0]", "7443")),
            entry("agent.daemonSet.extraEnv", new Setting("[0].name", "OF_AGENTS")),
            entry("agent.daemonSet.extraVolumes", new Setting("[0].name", "of-agents")),
            entry("agent.daemonSet.extraVolumeMounts", new Setting("[0].name", "of-agents")),
            entry("agent.daemonSet.serviceAccountAnnotations", new Setting(".role", "of-agents")),
            entry("agent.daemonSet.kubeletRoot", new Setting("", "/data/kubelet")),
            entry("agent.daemonSet.kubeconfig", new Setting("", "/data/kubelet.conf")),
            entry("agent.daemonSet.driverRoot", new Setting("", "/run/nvidia/driver")),
            entry("agent.daemonSet.hostPaths", new Setting("[0]", "/run/nvidia-imex")),
            entry("agent.daemonSet.resources", new Setting(".limits.memory", "777Mi")),
            entry(
                    "agent.daemonSet.updateStrategy",
                    new Setting(".rollingUpdate.maxUnavailable", "7", "\"maxUnavailable\":7")),
            entry("agent.daemonSet.priorityClassName", new Setting("", "of-agents")),
            entry("agent.daemonSet.nodeSelector", new Setting(".role", "of-agents")),
            entry("agent.daemonSet.tolerations", new Setting("[0].key", "of-agents")),
            entry("agent.daemonSet.affinity", new Setting(AFFINITY, "of-agents")),
            entry("agent.daemonSet.podAnnotations", new Setting(".note", "of-agents")),
            entry("monitoring.podMonitor.interval", new Setting("", "17s")),
            entry("monitoring.podMonitor.labels", new Setting(".release", "of-monitors")),
            entry("monitoring.rules.labels", new Setting(".release", "of-rules")),
            entry("monitoring.rules.runbookUrl", new Setting("", "https://wiki.example/alerts")),
            entry("monitoring.dashboard.labels", new Setting(".release", "of-dashboards")));

    /** What is set, and how that is shown: with its key where the value alone would be found elsewhere. */
    private record Setting(String below, String value, String shown) {
        Setting(String below, String value) {
            this(below, value, value);
        }
    }

    /** What else an entry of the list must have. */
    private static final Map<String, Map<String, String>> MORE_REQUIRED = Map.of(
            "controller.deployment.extraVolumeMounts",
            Map.of("[0].mountPath", "/somewhere"),
            "agent.daemonSet.extraVolumeMounts",
            Map.of("[0].mountPath", "/somewhere"),
            "controller.deployment.topologySpreadConstraints",
            Map.of("[0].maxSkew", "1", "[0].whenUnsatisfiable", "DoNotSchedule"));

    /** Of other charts: Helm's own, and the public driver's gates, so that its values can be kept. */
    private static final Set<String> OTHERS =
            Set.of("global", "featureGates.IMEXDaemonsWithDNSNames", "featureGates.ComputeDomainCliques");

    /** Where the Deployment runs, its service account counts. */
    private static final String CONTROLLERS_USER = "controller.user";

    /** {@link ChartWorkloadsTest} turns each switch. */
    static Stream<String> values() throws IOException {
        return Chart.values().stream()
                .filter(one -> !one.isSwitch())
                .map(Chart.Value::path)
                .filter(path -> !OTHERS.contains(path));
    }

    @ParameterizedTest
    @MethodSource("values")
    void eachValueIsSeenInWhatIsRendered(String path) {
        Setting setting = Objects.requireNonNull(SETTINGS.get(path), "a new value needs a line above");
        Map<String, String> everything = new HashMap<>(Chart.SERVING);
        if (!path.equals(CONTROLLERS_USER)) {
            Stream.of(Chart.DEPLOYMENT, Chart.DAEMON_SET).forEach(everything::putAll);
            List.of("podMonitor", "rules", "dashboard")
                    .forEach(monitor -> everything.put("monitoring." + monitor + ".enabled", "true"));
            everything.put("controller.deployment.networkPolicy.enabled", "true");
        }
        List<JsonNode> before = Chart.objects(everything);
        everything.put(path + setting.below(), setting.value());
        MORE_REQUIRED.getOrDefault(path, Map.of()).forEach((below, value) -> everything.put(path + below, value));

        List<JsonNode> after = Chart.objects(everything);

        if (path.equals("imex.isolation")) {
            assertThat(Cluster.names(after)).isNotEqualTo(Cluster.names(before));
        } else {
            assertThat(before.toString()).doesNotContain(setting.shown());
            assertThat(after.toString()).contains(setting.shown());
        }
    }

    @Test
    void twoControllersKeepApartAndOneStays() {
        List<JsonNode> objects = Chart.objects(Chart.SERVING, Chart.DEPLOYMENT);
        JsonNode spec = Chart.object(objects, "Deployment imex-controller").path("spec");

        assertThat(spec.path("replicas").asInt()).isEqualTo(2);
        assertThat(spec.at("/strategy/rollingUpdate").toString()).isEqualTo("{\"maxUnavailable\":0,\"maxSurge\":1}");
        JsonNode apart = spec.at("/template/spec/affinity/podAntiAffinity"
                + "/preferredDuringSchedulingIgnoredDuringExecution/0/podAffinityTerm");
        assertThat(apart.path("topologyKey").asText()).isEqualTo("kubernetes.io/hostname");
        assertThat(apart.at("/labelSelector/matchLabels")).isEqualTo(spec.at("/selector/matchLabels"));
        JsonNode budget =
                Chart.object(objects, "PodDisruptionBudget imex-controller").path("spec");
        assertThat(budget.path("maxUnavailable").asInt(0)
                        + budget.path("minAvailable").asInt(0))
                .isEqualTo(1);
        assertThat(budget.path("unhealthyPodEvictionPolicy").asText()).isEqualTo("AlwaysAllow");
        assertThat(budget.at("/selector/matchLabels")).isEqualTo(spec.at("/selector/matchLabels"));
    }

    @Test
    void agentsAreReplacedATenthAtATime() {
        JsonNode spec = Chart.object(Chart.objects(Chart.SERVING, Chart.DAEMON_SET), "DaemonSet imex-agent")
                .path("spec");

        assertThat(spec.path("updateStrategy").toString())
                .isEqualTo("{\"rollingUpdate\":{\"maxUnavailable\":\"10%\"},\"type\":\"RollingUpdate\"}");
        assertThat(spec.at("/template/spec/priorityClassName").asText()).isEqualTo("system-node-critical");
        assertThat(spec.at("/template/spec/tolerations").toString()).isEqualTo("[{\"operator\":\"Exists\"}]");
        assertThat(spec.at("/template/spec/nodeSelector").toString())
                .isEqualTo("{\"nvidia.com/gpu.present\":\"true\"}");
    }
}
