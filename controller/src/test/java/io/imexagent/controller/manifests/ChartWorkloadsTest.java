package io.imexagent.controller.manifests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.marcnuri.helm.DryRun;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.InstallCommand;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the chart runs in the cluster: rendered for each switch, by the API's own schemas. */
class ChartWorkloadsTest {

    private static final Map<String, String> MONITORING = Map.of(
            "monitoring.podMonitor.enabled", "true",
            "monitoring.podMonitor.interval", "30s",
            "monitoring.podMonitor.labels.release", "prometheus",
            "monitoring.rules.enabled", "true",
            "monitoring.rules.labels.release", "prometheus",
            "monitoring.dashboard.enabled", "true");

    private static final Map<String, String> TLS = Map.of("controller.deployment.tlsSecret", "racks-tls");

    @TempDir
    private Path scratch;

    private static final Set<String> WORKLOADS = Set.of(
            "Deployment",
            "DaemonSet",
            "PodDisruptionBudget",
            "ConfigMap",
            "ServiceAccount",
            "PodMonitor",
            "PrometheusRule",
            "Service",
            "NetworkPolicy",
            "Pod");

    /** Every switch by itself, and all of them. */
    static Stream<Map<String, String>> switches() {
        String expression = "controller.deployment.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
                + ".nodeSelectorTerms[0].matchExpressions[0].";
        Map<String, String> all = new HashMap<>(Map.of(
                "rdma.enabled",
                "true",
                "admission.enabled",
                "true",
                "image.digest",
                "sha256:" + "0".repeat(64),
                "image.pullSecrets[0].name",
                "pull",
                "controller.deployment.priorityClassName",
                "system-cluster-critical",
                "controller.deployment.nodeSelector.role",
                "infra",
                "controller.deployment.tolerations[0].operator",
                "Exists",
                expression + "key",
                "node-role.kubernetes.io/control-plane",
                expression + "operator",
                "Exists",
                "agent.daemonSet.driverRoot",
                "/run/nvidia/driver"));
        all.put("controller.deployment.tlsSecret", "racks-tls");
        all.put("controller.deployment.service.enabled", "true");
        all.put("controller.deployment.networkPolicy.enabled", "true");
        all.put("controller.deployment.networkPolicy.from[0].podSelector.matchLabels.app", "prometheus");
        all.put("controller.deployment.networkPolicy.apiServerCidrs[0]", "192.0.2.7/32");
        all.put("controller.deployment.topologySpreadConstraints[0].topologyKey", "topology.kubernetes.io/region");
        all.put("controller.deployment.topologySpreadConstraints[0].maxSkew", "1");
        all.put("controller.deployment.topologySpreadConstraints[0].whenUnsatisfiable", "DoNotSchedule");
        for (String workload : List.of("controller.deployment", "agent.daemonSet")) {
            all.put(workload + ".extraEnv[0].name", "TZ");
            all.put(workload + ".extraEnv[0].value", "UTC");
            all.put(workload + ".extraVolumes[0].name", "more");
            all.put(workload + ".extraVolumes[0].configMap.name", "more");
            all.put(workload + ".extraVolumeMounts[0].name", "more");
            all.put(workload + ".extraVolumeMounts[0].mountPath", "/more");
            all.put(workload + ".serviceAccountAnnotations.role", "racks");
        }
        all.put("labels.team", "racks");
        all.put("agent.daemonSet.hostPaths[0]", "/run/nvidia-imex");
        all.put("agent.daemonSet.kubeconfig", "/var/lib/kubelet/kubeconfig");
        all.put("configuration.imex.channels", "64");
        List.of(Chart.SERVING, Chart.DEPLOYMENT, Chart.DAEMON_SET, MONITORING).forEach(all::putAll);
        return Stream.of(
                Map.of(),
                Chart.SERVING,
                with(Chart.SERVING, Chart.DEPLOYMENT),
                Chart.DAEMON_SET,
                with(Chart.SERVING, Chart.DAEMON_SET),
                MONITORING,
                with(with(Chart.SERVING, Chart.DEPLOYMENT), MONITORING),
                all);
    }

    private static Map<String, String> with(Map<String, String> one, Map<String, String> other) {
        Map<String, String> both = new HashMap<>(one);
        both.putAll(other);
        return both;
    }

    @ParameterizedTest
    @MethodSource("switches")
    void whatIsRenderedIsAsTheApiHasIt(Map<String, String> values) throws Exception {
        assertSound(Chart.objects(values));
    }

    /** What a switch cannot be turned on without, or does nothing without. */
    private static final Map<String, Map<String, String>> NEEDS = Map.of(
            "featureGates.HostManagedIMEX",
            Map.of("imex.isolation", "IMEXChannel"),
            "controller.deployment.enabled",
            with(Chart.SERVING, Map.of("image.repository", "registry.example/imex-agent")),
            "agent.daemonSet.enabled",
            Map.of("image.repository", "registry.example/imex-agent"),
            "monitoring.podMonitor.enabled",
            Chart.DAEMON_SET,
            "admission.enabled",
            Chart.SERVING,
            "fabricTest.roles",
            Chart.SERVING,
            "placement.policy",
            Chart.SERVING,
            "createNamespace",
            Map.of("namespace", "elsewhere"),
            "controller.deployment.service.enabled",
            with(Chart.SERVING, Chart.DEPLOYMENT),
            "controller.deployment.networkPolicy.enabled",
            with(Chart.SERVING, Chart.DEPLOYMENT));

    /** The switches of the schema, by their paths, and whether the chart comes with them on. */
    static Stream<Arguments> eachSwitch() throws IOException {
        return Chart.values().stream()
                .filter(Chart.Value::isSwitch)
                .map(one -> Arguments.of(one.path(), one.value().asBoolean()));
    }

    @ParameterizedTest
    @MethodSource("eachSwitch")
    void eachSwitchAloneDoesSomethingAndRendersWhatTheApiHas(String name, boolean on) throws Exception {
        Map<String, String> needs = NEEDS.getOrDefault(name, Map.of());

        List<JsonNode> objects = Chart.objects(needs, Map.of(name, Boolean.toString(!on)));

        assertSound(objects);
        assertThat(objects).isNotEqualTo(Chart.objects(needs));
    }

    private static void assertSound(List<JsonNode> objects) throws Exception {
        assertThat(Cluster.names(objects)).doesNotHaveDuplicates();
        for (JsonNode object : objects) {
            if (!object.path("kind").asText().equals("NetworkPolicy")) {
                assertThat(SchemasTest.unknownFields(object)).isEmpty();
            }
            assertThat(RequiredFieldsTest.wrongChoices(object)).isEmpty();
            if (!object.path("apiVersion").asText().equals("monitoring.coreos.com/v1")) {
                RequiredFieldsTest.validate(object);
            }
            assertThat(labels(object.path("metadata")))
                    .as(object.path("kind").asText())
                    .containsEntry("app.kubernetes.io/name", "imex-agent")
                    .containsEntry("app.kubernetes.io/instance", "imex")
                    .containsEntry("app.kubernetes.io/managed-by", "Helm")
                    .containsEntry("app.kubernetes.io/part-of", "imex-agent")
                    .containsKey("app.kubernetes.io/version");
            if (WORKLOADS.contains(object.path("kind").asText())) {
                assertThat(object.at("/metadata/namespace").asText()).isEqualTo("imex-agent");
            }
        }
    }

    @Test
    void nothingRunsUnlessItIsAskedFor() {
        assertThat(Chart.objects(Chart.SERVING))
                .extracting(object -> object.path("kind").asText())
                .doesNotContainAnyElementsOf(WORKLOADS);
    }

    @Test
    void whatRunsNeedsAnImageAndControllersTheGate() {
        assertThatThrownBy(() -> Chart.objects(Chart.SERVING, Map.of("controller.deployment.enabled", "true")))
                .hasMessageContaining("repository");
        assertThatThrownBy(() -> Chart.objects(Map.of("agent.daemonSet.enabled", "true")))
                .hasMessageContaining("repository");
        assertThatThrownBy(() -> Chart.objects(Chart.DEPLOYMENT))
                .as("a controller that has no work and no rights")
                .hasMessageContaining("HostManagedIMEX");
    }

    @Test
    void theControllersAreTheAccountThatHasTheRightsAndPassesThePolicies() {
        String user = "system:serviceaccount:imex-agent:imex-controller";
        List<JsonNode> objects =
                Chart.objects(Chart.SERVING, Chart.DEPLOYMENT, Map.of("controller.user", "somebody-else"));
        JsonNode pod = pod(Chart.object(objects, "Deployment imex-controller"));

        assertThat(pod.path("serviceAccountName").asText()).isEqualTo("imex-controller");
        assertThat(pod.path("automountServiceAccountToken").asBoolean()).isTrue();
        assertThat(Chart.object(objects, "ServiceAccount imex-controller")
                        .path("automountServiceAccountToken")
                        .asBoolean(true))
                .isFalse();
        for (String binding : List.of("ClusterRoleBinding imex-controller", "RoleBinding imex-controller")) {
            assertThat(Chart.object(objects, binding).path("subjects"))
                    .singleElement()
                    .satisfies(
                            subject -> assertThat(subject.path("name").asText()).isEqualTo(user));
        }
        for (String policy : List.of("nvlinknodes", "nvlinkcliques", "computedomain-status")) {
            assertThat(Chart.object(objects, "ValidatingAdmissionPolicy imex-agent-" + policy)
                            .toString())
                    .contains("'" + user + "'")
                    .doesNotContain("somebody-else");
        }
    }

    /** The Pod Security Standard "restricted", field by field, as Kubernetes documents it. */
    @Test
    void theControllersPodsAreRestricted() {
        JsonNode pod = pod(Chart.object(Chart.objects(Chart.SERVING, Chart.DEPLOYMENT), "Deployment imex-controller"));

        assertThat(pod.has("hostNetwork") || pod.has("hostPID") || pod.has("hostIPC"))
                .isFalse();
        assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
        assertThat(pod.at("/securityContext/runAsUser").asInt()).isPositive();
        assertThat(pod.at("/securityContext/seccompProfile/type").asText()).isEqualTo("RuntimeDefault");
        assertThat(pod.path("volumes"))
                .allSatisfy(volume -> assertThat(volume.has("configMap")).isTrue());
        assertThat(pod.path("containers")).singleElement().satisfies(container -> {
            JsonNode rights = container.path("securityContext");
            assertThat(rights.path("allowPrivilegeEscalation").asBoolean(true)).isFalse();
            assertThat(rights.path("readOnlyRootFilesystem").asBoolean()).isTrue();
            assertThat(rights.path("capabilities").toString()).isEqualTo("{\"drop\":[\"ALL\"]}");
            assertThat(rights.has("privileged")).isFalse();
            assertThat(container.path("ports"))
                    .allSatisfy(port -> assertThat(port.has("hostPort")).isFalse());
        });
    }

    /** The Deployment with a constraint of spreading that also has these fields. */
    private static JsonNode spread(Map<String, String> more) {
        Map<String, String> fields = new HashMap<>(more);
        fields.putAll(Map.of("topologyKey", "rack", "maxSkew", "1", "whenUnsatisfiable", "DoNotSchedule"));
        Map<String, String> values = new HashMap<>();
        fields.forEach(
                (field, value) -> values.put("controller.deployment.topologySpreadConstraints[0]." + field, value));
        return Chart.object(Chart.objects(Chart.SERVING, Chart.DEPLOYMENT, values), "Deployment imex-controller");
    }

    @Test
    void aConstraintOfSpreadingTakesThePlaceOfTheDefaultAndCountsTheControllers() {
        JsonNode spec = spread(Map.of()).path("spec");

        assertThat(spec.at("/template/spec/topologySpreadConstraints"))
                .singleElement()
                .satisfies(one -> {
                    assertThat(one.path("topologyKey").asText()).isEqualTo("rack");
                    assertThat(one.at("/labelSelector/matchLabels")).isEqualTo(spec.at("/selector/matchLabels"));
                });
    }

    @Test
    void aConstraintOfSpreadingKeepsALabelSelectorOfItsOwn() {
        JsonNode deployment = spread(Map.of("labelSelector.matchLabels.team", "racks"));

        assertThat(pod(deployment).at("/topologySpreadConstraints/0/labelSelector"))
                .hasToString("{\"matchLabels\":{\"team\":\"racks\"}}");
    }

    @Test
    void theNetworkPolicyLetsControllersReachTheApiServerAndBeReachedAtTheirPort() {
        String policy = "controller.deployment.networkPolicy.";
        JsonNode spec = Chart.object(
                        Chart.objects(
                                Chart.SERVING,
                                Chart.DEPLOYMENT,
                                Chart.DAEMON_SET,
                                Map.of(policy + "enabled", "true", policy + "apiServerCidrs[0]", "192.0.2.7/32")),
                        "NetworkPolicy imex-controller")
                .path("spec");

        assertThat(spec.at("/podSelector/matchLabels/app.kubernetes.io~1component")
                        .asText())
                .isEqualTo("controller");
        assertThat(spec.path("policyTypes").toString()).isEqualTo("[\"Ingress\",\"Egress\"]");
        assertThat(spec.path("ingress").toString())
                .isEqualTo("[{\"ports\":[{\"protocol\":\"TCP\",\"port\":\"http\"}]}]");
        assertThat(spec.path("egress").toString())
                .isEqualTo("[{\"ports\":[{\"protocol\":\"TCP\",\"port\":443},{\"protocol\":\"TCP\",\"port\":6443},"
                        + "{\"protocol\":\"TCP\",\"port\":16443}],"
                        + "\"to\":[{\"ipBlock\":{\"cidr\":\"192.0.2.7/32\"}}]}]");
    }

    @Test
    void theTestOfTheReleaseReadsTheClusterByAnAccountOfItsOwn() throws Exception {
        List<JsonNode> objects = withHooks(with(Chart.SERVING, Chart.DEPLOYMENT));
        List<JsonNode> hooks = objects.stream()
                .filter(object -> object.at("/metadata/annotations").has("helm.sh/hook-delete-policy"))
                .toList();
        JsonNode pod = Chart.object(objects, "Pod imex-agent-test").path("spec");
        JsonNode container = pod.at("/containers/0");

        assertSound(objects);
        assertThat(Chart.objects(Chart.SERVING, Chart.DEPLOYMENT))
                .as("hooks are no objects of the release")
                .hasSize(objects.size() - hooks.size());
        assertThat(hooks)
                .hasSize(3)
                .allSatisfy(hook -> assertThat(hook.at("/metadata/annotations/helm.sh~1hook-delete-policy")
                                .asText())
                        .isEqualTo("before-hook-creation,hook-succeeded"));
        assertThat(container.path("args").toString()).isEqualTo("[\"domains\"]");
        assertThat(container.path("command"))
                .as("with the heap of a controller")
                .isEqualTo(
                        pod(Chart.object(objects, "Deployment imex-controller")).at("/containers/0/command"));
        assertThat(pod.path("serviceAccountName").asText()).isEqualTo("imex-agent-test");
        assertThat(Chart.object(objects, "ClusterRoleBinding imex-agent-test")
                        .at("/roleRef/name")
                        .asText())
                .isEqualTo("imex-domains-viewer")
                .satisfies(role -> assertThat(Cluster.names(objects)).contains("ClusterRole " + role));
        assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
        assertThat(pod.at("/securityContext/seccompProfile/type").asText()).isEqualTo("RuntimeDefault");
        assertThat(container.path("securityContext"))
                .isEqualTo(
                        pod(Chart.object(objects, "Deployment imex-controller")).at("/containers/0/securityContext"));
    }

    @Test
    void theTestOfTheReleaseRunsWhereAndAsControllersDo() throws IOException {
        List<JsonNode> objects = withHooks(switches().toList().getLast());
        JsonNode test = Chart.object(objects, "Pod imex-agent-test").path("spec");
        JsonNode controllers = pod(Chart.object(objects, "Deployment imex-controller"));

        for (String field : List.of("nodeSelector", "tolerations", "affinity")) {
            assertThat(test.path(field)).as(field).isNotEmpty().isEqualTo(controllers.path(field));
        }
        assertThat(test.at("/containers/0/env")).isNotEmpty().isEqualTo(controllers.at("/containers/0/env"));
        for (String list : List.of("/volumes", "/containers/0/volumeMounts")) {
            assertThat(test.at(list))
                    .as(list)
                    .containsExactlyElementsOf(controllers
                            .at(list)
                            .valueStream()
                            .filter(one -> !one.path("name").asText().equals("tls"))
                            .toList());
        }
    }

    @Test
    void theTestOfTheReleaseReachesTheApiServerThroughAPolicyOfItsOwn() throws IOException {
        List<JsonNode> objects = withHooks(switches().toList().getLast());
        JsonNode policy = Chart.object(objects, "NetworkPolicy imex-agent-test");
        JsonNode spec = policy.path("spec");

        assertThat(spec.path("egress"))
                .isNotEmpty()
                .isEqualTo(
                        Chart.object(objects, "NetworkPolicy imex-controller").at("/spec/egress"));
        assertThat(spec.path("policyTypes")).hasToString("[\"Ingress\",\"Egress\"]");
        assertThat(spec.has("ingress")).isFalse();
        assertThat(labels(Chart.object(objects, "Pod imex-agent-test").path("metadata")))
                .containsAllEntriesOf(text(spec.at("/podSelector/matchLabels")));
        assertThat(policy.at("/metadata/annotations"))
                .as("there before the pod, and as long as its account")
                .isEqualTo(
                        Chart.object(objects, "ServiceAccount imex-agent-test").at("/metadata/annotations"));
    }

    /** As Helm sends them on {@code helm test}: its template command leaves hooks out, so they are none here. */
    private List<JsonNode> withHooks(Map<String, String> values) throws IOException {
        Path chart = scratch.resolve("chart");
        try (Stream<Path> files = Files.walk(Chart.FOLDER, FileVisitOption.FOLLOW_LINKS)) {
            for (Path file : files.toList()) {
                Path copy = chart.resolve(Chart.FOLDER.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.writeString(copy, Files.readString(file).replace("    helm.sh/hook: test\n", ""));
                }
            }
        }
        TemplateCommand command = new Helm(chart)
                .template()
                .withName("imex")
                .withNamespace("imex-agent")
                .withKubeVersion("1.36.0");
        values.forEach(command::set);
        return Cluster.parse(command.call());
    }

    @Test
    void aFurtherVolumeHasNoNameOfTheChart() {
        List<JsonNode> objects = Chart.objects(switches().toList().getLast());
        Map.of("controller.deployment", "Deployment imex-controller", "agent.daemonSet", "DaemonSet imex-agent")
                .forEach((values, workload) -> {
                    List<String> names = pod(Chart.object(objects, workload))
                            .path("volumes")
                            .valueStream()
                            .map(volume -> volume.path("name").asText())
                            .filter(name -> !name.equals("more"))
                            .toList();
                    assertThat(names)
                            .isNotEmpty()
                            .allSatisfy(name -> assertThatThrownBy(() -> Chart.objects(
                                            Chart.SERVING,
                                            Chart.DEPLOYMENT,
                                            Chart.DAEMON_SET,
                                            Map.of(values + ".extraVolumes[0].name", name)))
                                    .hasMessageContaining("extraVolumes"));
                });
    }

    @Test
    void aWrongFieldOfANetworkPolicyIsFound() {
        ObjectNode policy = Chart.object(
                        Chart.objects(
                                Chart.SERVING,
                                Chart.DEPLOYMENT,
                                Map.of("controller.deployment.networkPolicy.enabled", "true")),
                        "NetworkPolicy imex-controller")
                .deepCopy();
        policy.withObject("/spec").put("policyType", "Egress");

        assertThatThrownBy(() -> RequiredFieldsTest.validate(policy)).hasMessageContaining("policyType");
    }

    @ParameterizedTest
    @CsvSource({
        "controller.deployment.extraVolumes[0].nam, x, name",
        "agent.daemonSet.extraEnv[0].name, IMEX_AGENT_NODE_NAME, extraEnv",
        "controller.deployment.networkPolicy.apiServerCidrs[0], kubernetes.default, apiServerCidrs",
        "controller.deployment.networkPolicy.apiServerPorts[0], 70000, apiServerPorts"
    })
    void whatCannotBeOfAPodIsRefusedByName(String path, String value, String named) {
        assertThatThrownBy(() -> Chart.objects(Chart.SERVING, Chart.DEPLOYMENT, Chart.DAEMON_SET, Map.of(path, value)))
                .hasMessageContaining(named);
    }

    @Test
    void controllersServeOverTlsWithTheSecretThatIsNamed() {
        List<JsonNode> objects = Chart.objects(Chart.SERVING, Chart.DEPLOYMENT, Chart.DAEMON_SET, MONITORING, TLS);
        JsonNode pod = pod(Chart.object(objects, "Deployment imex-controller"));
        JsonNode container = pod.at("/containers/0");
        String folder = "/etc/imex-agent-tls";

        assertThat(configuration(objects, "imex-controller").path("http").toString())
                .isEqualTo("{\"address\":\"0.0.0.0\",\"tls\":{\"certificate\":\"" + folder + "/tls.crt\",\"key\":\""
                        + folder + "/tls.key\"}}");
        assertThat(container.path("volumeMounts"))
                .filteredOn(mount -> mount.path("name").asText().equals("tls"))
                .singleElement()
                .hasToString("{\"name\":\"tls\",\"mountPath\":\"" + folder + "\",\"readOnly\":true}");
        assertThat(pod.path("volumes"))
                .filteredOn(volume -> volume.path("name").asText().equals("tls"))
                .singleElement()
                .satisfies(volume -> {
                    assertThat(volume.at("/secret/secretName").asText()).isEqualTo("racks-tls");
                    assertThat(volume.at("/secret/defaultMode").asInt())
                            .as("for the group, which is the pod's")
                            .isEqualTo(0440);
                });
        assertThat(pod.at("/securityContext/fsGroup").asInt())
                .isEqualTo(pod.at("/securityContext/runAsGroup").asInt());
        for (String probe : List.of("startupProbe", "readinessProbe")) {
            assertThat(container.path(probe).at("/httpGet/scheme").asText()).isEqualTo("HTTPS");
        }
        JsonNode scraped = Chart.object(objects, "PodMonitor imex-controller").at("/spec/podMetricsEndpoints/0");
        assertThat(scraped.path("scheme").asText()).isEqualTo("https");
        assertThat(scraped.at("/tlsConfig/insecureSkipVerify").asBoolean()).isTrue();
        assertThat(configuration(objects, "imex-agent").path("http").has("tls")).isFalse();
        assertThat(Chart.object(objects, "PodMonitor imex-agent")
                        .at("/spec/podMetricsEndpoints/0")
                        .has("scheme"))
                .isFalse();
    }

    @Test
    void certificatesThatNobodyMountsAreRefusedWithTheWay() {
        Map<String, String> files = Map.of("configuration.http.tls.certificate", "/somewhere/tls.crt");

        assertThatThrownBy(() -> Chart.objects(Chart.SERVING, Chart.DEPLOYMENT, TLS, files))
                .hasMessageContaining("controller.deployment.tlsSecret");
        assertThatThrownBy(() -> Chart.objects(Chart.DAEMON_SET, files)).hasMessageContaining("port-forward");
    }

    @Test
    void theAgentsPodsAreTheNodesOwnKubeletAndNobodyInTheCluster() {
        List<JsonNode> objects = Chart.objects(Chart.SERVING, Chart.DAEMON_SET);
        JsonNode pod = pod(Chart.object(objects, "DaemonSet imex-agent"));

        assertThat(pod.path("automountServiceAccountToken").asBoolean(true)).isFalse();
        assertThat(objects)
                .filteredOn(object -> object.path("kind").asText().endsWith("Binding"))
                .noneMatch(binding -> binding.path("subjects").toString().contains("\"ServiceAccount\""));
        assertThat(configuration(objects, "imex-agent").path("kubernetes").toString())
                .isEqualTo("{\"kubeconfig\":\"/etc/kubernetes/kubelet.conf\"}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Deployment imex-controller", "DaemonSet imex-agent"})
    void noPodIsAskedBeforeItCanListen(String workload) {
        List<JsonNode> objects = Chart.objects(Chart.SERVING, Chart.DEPLOYMENT, Chart.DAEMON_SET);

        assertThat(pod(Chart.object(objects, workload))
                        .at("/containers/0/startupProbe/initialDelaySeconds")
                        .asInt())
                .as("a probe that fails at each start is an Event of kind Warning")
                .isPositive();
    }

    @Test
    void everyPathOfTheHostIsExplained() throws IOException {
        String guide = Files.readString(Cluster.checkout().resolve("docs/cluster.md"));
        JsonNode pod = pod(Chart.object(Chart.objects(Chart.SERVING, Chart.DAEMON_SET), "DaemonSet imex-agent"));

        List<String> explained = guide.lines()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.substring(3, line.indexOf('`', 3)))
                .toList();
        assertThat(pod.path("volumes")
                        .valueStream()
                        .map(volume -> volume.at("/hostPath/path").asText())
                        .filter(path -> !path.isEmpty()))
                .hasSize(8)
                .allMatch(explained::contains);
        assertThat(explained).contains("privileged", "hostNetwork");
    }

    @Test
    void aDriverOfAContainerIsMountedWhereItIs() {
        List<JsonNode> objects = Chart.objects(
                Chart.DAEMON_SET,
                Map.of(
                        "agent.daemonSet.driverRoot", "/run/nvidia/driver",
                        "agent.daemonSet.kubeconfig", "/var/lib/kubelet/kubeconfig"));
        List<String> mounts = pod(Chart.object(objects, "DaemonSet imex-agent"))
                .at("/containers/0/volumeMounts")
                .valueStream()
                .map(mount -> mount.path("mountPath").asText())
                .toList();

        assertThat(configuration(objects, "imex-agent").at("/host/driverRoot").asText())
                .isEqualTo("/run/nvidia/driver");
        assertThat(mounts)
                .contains("/run/nvidia/driver")
                .doesNotContain("/var/lib/kubelet/kubeconfig")
                .containsSubsequence("/var/lib/kubelet", "/var/lib/kubelet/pods");
    }

    @Test
    void eachVolumeIsMountedAndEachMountHasItsVolume() {
        for (Map<String, String> values : switches().toList()) {
            for (JsonNode object : Chart.objects(values)) {
                JsonNode pod = pod(object);
                List<String> volumes = pod.path("volumes")
                        .valueStream()
                        .map(volume -> volume.path("name").asText())
                        .toList();
                assertThat(pod.at("/containers/0/volumeMounts")
                                .valueStream()
                                .map(mount -> mount.path("name").asText()))
                        .containsExactlyInAnyOrderElementsOf(volumes);
                assertThat(volumes).doesNotHaveDuplicates();
            }
        }
    }

    @Test
    void theConfigurationOfAllPodsIsBeatenByWhatTheChartKnows() {
        List<JsonNode> objects = Chart.objects(
                Chart.SERVING,
                Chart.DEPLOYMENT,
                Chart.DAEMON_SET,
                Map.of(
                        "configuration.imex.channels", "64",
                        "configuration.imex.isolation", "None",
                        "configuration.controller.lostNodeAfter", "20m",
                        "configuration.controller.namespace", "elsewhere"));

        for (String name : List.of("imex-controller", "imex-agent")) {
            JsonNode configuration = configuration(objects, name);
            assertThat(configuration.at("/featureGates/HostManagedIMEX").asBoolean())
                    .isTrue();
            assertThat(configuration.at("/imex/isolation").asText()).isEqualTo("IMEXChannel");
            assertThat(configuration.at("/imex/channels").asInt()).isEqualTo(64);
        }
        JsonNode controller = configuration(objects, "imex-controller").path("controller");
        assertThat(controller.path("lostNodeAfter").asText()).isEqualTo("20m");
        assertThat(controller.path("namespace").asText()).isEqualTo("imex-agent");
    }

    @Test
    void aChangeOfConfigurationIsANewPod() {
        Map<String, String> more = Map.of("configuration.imex.channels", "64");
        List<JsonNode> before = Chart.objects(Chart.SERVING, Chart.DEPLOYMENT, Chart.DAEMON_SET);
        List<JsonNode> after = Chart.objects(Chart.SERVING, Chart.DEPLOYMENT, Chart.DAEMON_SET, more);

        for (String name : List.of("Deployment imex-controller", "DaemonSet imex-agent")) {
            String annotations = "/spec/template/metadata/annotations";
            assertThat(Chart.object(before, name).at(annotations))
                    .isNotEqualTo(Chart.object(after, name).at(annotations));
        }
    }

    @Test
    void selectorsFindTheirPodsAndNoOthers() {
        List<JsonNode> objects = Chart.objects(Chart.SERVING, Chart.DEPLOYMENT, Chart.DAEMON_SET, MONITORING);
        Map<String, String> controllers = podLabels(Chart.object(objects, "Deployment imex-controller"));
        Map<String, String> agents = podLabels(Chart.object(objects, "DaemonSet imex-agent"));

        Map.of(
                        "Deployment imex-controller", controllers,
                        "PodDisruptionBudget imex-controller", controllers,
                        "PodMonitor imex-controller", controllers,
                        "DaemonSet imex-agent", agents,
                        "PodMonitor imex-agent", agents)
                .forEach((name, pods) -> {
                    Map<String, String> selector =
                            text(Chart.object(objects, name).at("/spec/selector/matchLabels"));
                    Map<String, String> others = pods.equals(agents) ? controllers : agents;
                    assertThat(pods.entrySet()).as(name).containsAll(selector.entrySet());
                    assertThat(others.entrySet().containsAll(selector.entrySet()))
                            .as(name)
                            .isFalse();
                });
    }

    @Test
    void aLabelForMonitoringBeatsTheSameLabelOfAllObjects() {
        TemplateCommand command = Chart.template();
        List.of(Chart.DAEMON_SET, MONITORING, Map.of("labels.release", "racks"))
                .forEach(values -> values.forEach(command::set));
        String rendered = command.call();

        for (String name : List.of("PodMonitor imex-agent", "PrometheusRule imex-agent")) {
            assertThat(labels(Chart.object(Cluster.parse(rendered), name).path("metadata")))
                    .as(name)
                    .containsEntry("release", "prometheus")
                    .containsEntry("app.kubernetes.io/name", "imex-agent");
        }
        for (String object : rendered.split("(?m)^---$", -1)) {
            assertThat(object.lines().filter(line -> line.startsWith("    release: ")))
                    .as("once, as YAML wants it")
                    .hasSizeLessThan(2);
        }
        assertThatThrownBy(() -> Chart.objects(
                        MONITORING, Map.of("monitoring.rules.labels.app\\.kubernetes\\.io/name", "other")))
                .hasMessageContaining("app.kubernetes.io/name");
    }

    @Test
    void annotationsAreThoseOfTheAccountThatTheAgentsUse() {
        Map<String, String> annotated = Map.of("agent.daemonSet.serviceAccountAnnotations.role", "racks");
        for (String claimStatus : List.of("false", "true")) {
            List<JsonNode> objects =
                    Chart.objects(Chart.DAEMON_SET, annotated, Map.of("claimStatus.enabled", claimStatus));
            String account = pod(Chart.object(objects, "DaemonSet imex-agent"))
                    .path("serviceAccountName")
                    .asText();

            assertThat(Chart.object(objects, "ServiceAccount " + account)
                            .at("/metadata/annotations/role")
                            .asText())
                    .as(account)
                    .isEqualTo("racks");
        }
    }

    @Test
    void noPageOfMetricsSetsTheLabelsOfItsTarget() {
        List<JsonNode> objects = Chart.objects(Chart.SERVING, Chart.DEPLOYMENT, Chart.DAEMON_SET, MONITORING);
        JsonNode agents = Chart.object(objects, "PodMonitor imex-agent").at("/spec/podMetricsEndpoints/0");
        JsonNode controllers =
                Chart.object(objects, "PodMonitor imex-controller").at("/spec/podMetricsEndpoints/0");

        assertThat(List.of(agents, controllers)).noneMatch(endpoint -> endpoint.has("honorLabels"));
        assertThat(agents.path("metricRelabelings"))
                .hasToString("[{\"regex\":\"exported_node\",\"action\":\"labeldrop\"}]");
    }

    @Test
    void rulesAndDashboardAreThoseOfPrometheus() throws IOException {
        List<JsonNode> objects =
                Chart.objects(MONITORING, Map.of("monitoring.rules.runbookUrl", "https://runbooks.invalid/alerts"));
        Path files = Cluster.checkout().resolve("packaging/prometheus");
        List<JsonNode> groups = new ArrayList<>();
        for (String rules : List.of("rules/recording.yaml", "rules/alerts.yaml")) {
            Cluster.parse(Files.readString(files.resolve(rules)))
                    .getFirst()
                    .path("groups")
                    .forEach(groups::add);
        }

        assertThat(Chart.object(objects, "PrometheusRule imex-agent").at("/spec/groups"))
                .containsExactlyElementsOf(groups);
        assertThat(Cluster.parse(Chart.object(objects, "ConfigMap imex-agent-dashboard")
                        .path("data")
                        .path("imex-agent.json")
                        .asText()))
                .isEqualTo(Cluster.parse(Files.readString(files.resolve("dashboard.json"))));
    }

    @Test
    void eachAlertLinksToItsRowOnceThePageIsKnown() {
        Set<String> rows = annotations(Map.of("monitoring.rules.runbookUrl", "https://runbooks.invalid/alerts"))
                .map(alert -> alert.path("runbook_url").asText().replaceFirst(".*#", ""))
                .collect(Collectors.toSet());
        assertThat(rows).hasSizeGreaterThan(40);

        assertThat(annotations(Map.of("monitoring.rules.runbookUrl", "https://wiki.example/p?id=7")))
                .noneMatch(alert -> alert.has("runbook"))
                .extracting(alert -> alert.path("runbook_url").asText())
                .containsExactlyInAnyOrderElementsOf(rows.stream()
                        .map(row -> "https://wiki.example/p?id=7#" + row)
                        .toList());
        assertThat(annotations(Map.of()))
                .as("a link that leads nowhere is worse than none")
                .noneMatch(alert -> alert.has("runbook_url"))
                .extracting(alert -> alert.path("runbook").asText())
                .containsExactlyInAnyOrderElementsOf(
                        rows.stream().map(row -> "docs/alerts.md#" + row).toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"wiki.example/alerts", "https://wiki.example/{{ x }}", "https://wiki.example/#alerts"})
    void aPageThatCouldNotBeALinkIsRefused(String page) {
        assertThatThrownBy(() -> Chart.template()
                        .withValuesFile(Files.writeString(
                                scratch.resolve("values.yaml"), "monitoring: {rules: {runbookUrl: '" + page + "'}}"))
                        .call())
                .hasMessageContaining("runbookUrl");
    }

    private static Stream<JsonNode> annotations(Map<String, String> values) {
        return Chart.object(Chart.objects(MONITORING, values), "PrometheusRule imex-agent")
                .at("/spec/groups")
                .findValues("annotations")
                .stream();
    }

    @Test
    void thePackagedChartHoldsFilesInPlaceOfTheLinks(@TempDir Path folder) throws Exception {
        new Helm(Chart.FOLDER).packageIt().withDestination(folder).call();
        Path archive;
        try (Stream<Path> packed = Files.list(folder)) {
            archive = packed.findFirst().orElseThrow();
        }
        Process unpack = new ProcessBuilder("tar", "-xzf", archive.toString(), "-C", folder.toString())
                .inheritIO()
                .start();
        assertThat(unpack.waitFor()).isZero();

        Path files = folder.resolve("imex-agent/files");
        for (String name : List.of("alerts.yaml", "recording.yaml", "dashboard.json")) {
            assertThat(files.resolve(name)).isRegularFile();
            assertThat(Files.isSymbolicLink(files.resolve(name))).isFalse();
            assertThat(files.resolve(name)).hasSameTextualContentAs(Chart.FOLDER.resolve("files/" + name));
        }
        assertThat(folder.resolve("imex-agent/README.md")).exists();
    }

    @Test
    void theNotesSayWhereRulesAndDashboardAre() {
        assertThat(notes(Map.of())).contains("packaging/prometheus", "/usr/share/doc/imex-agent");
        assertThat(notes(MONITORING)).contains("monitoring.rules.runbookUrl");
        assertThat(notes(with(MONITORING, Map.of("monitoring.rules.runbookUrl", "https://wiki.example/a"))))
                .doesNotContain("runbookUrl", "/usr/share/doc");
    }

    @Test
    void theNotesSayWhichNamespaceControllersOfHostsNeed() {
        Map<String, String> services = Map.of("controller.deployment.enabled", "false");
        String needed = "controller.namespace: elsewhere";

        assertThat(notes(with(services, Map.of("namespace", "elsewhere")))).contains(needed);
        assertThat(notes(Map.of("namespace", "elsewhere")))
                .doesNotContain(needed)
                .contains("helm test");
        assertThat(notes(services)).doesNotContain("controller.namespace", "helm test");
    }

    @Test
    void theNotesSayHowThePageIsReached() {
        assertThat(notes(Map.of())).contains("http://localhost:9409/racks", "port-forward deployment/imex-controller");
        assertThat(notes(TLS)).contains("https://localhost:9409/racks");
    }

    @Test
    void theNotesSayWhatAnUninstallationLeavesAndWhatComesBeforeIt() {
        assertThat(notes(Map.of()))
                .contains("leaves the definitions with their objects, and the namespace imex-agent")
                .contains("kubectl -n imex-agent scale deployment/imex-controller --replicas=0");
        assertThat(Chart.objects(Chart.SERVING))
                .filteredOn(object -> Set.of("CustomResourceDefinition", "Namespace")
                        .contains(object.path("kind").asText()))
                .hasSize(5)
                .allSatisfy(object -> assertThat(object.at("/metadata/annotations/helm.sh~1resource-policy")
                                .asText())
                        .isEqualTo("keep"));
    }

    private static String notes(Map<String, String> values) {
        InstallCommand install = new Helm(Chart.FOLDER)
                .install()
                .withName("imex")
                .withNamespace("imex-agent")
                .withKubeVersion("1.36.0")
                .clientOnly()
                .withDryRunOption(DryRun.CLIENT);
        with(with(Chart.SERVING, Chart.DEPLOYMENT), values).forEach(install::set);
        return install.call().getOutput();
    }

    @Test
    void helmHasNothingToComplainAbout() {
        LintResult result = new Helm(Chart.FOLDER).lint().strict().call();

        assertThat(result.isFailed()).as(result.getMessages().toString()).isFalse();
        assertThat(result.getMessages()).noneMatch(message -> message.contains("WARNING"));
    }

    private static JsonNode pod(JsonNode workload) {
        return workload.at("/spec/template/spec");
    }

    private static JsonNode configuration(List<JsonNode> objects, String name) {
        return Cluster.parse(Chart.object(objects, "ConfigMap " + name)
                        .path("data")
                        .path("config.yaml")
                        .asText())
                .getFirst();
    }

    private static Map<String, String> podLabels(JsonNode workload) {
        return labels(workload.at("/spec/template/metadata"));
    }

    private static Map<String, String> labels(JsonNode metadata) {
        return text(metadata.path("labels"));
    }

    private static Map<String, String> text(JsonNode fields) {
        Map<String, String> values = new HashMap<>();
        fields.properties()
                .forEach(field -> values.put(field.getKey(), field.getValue().asText()));
        return values;
    }
}
