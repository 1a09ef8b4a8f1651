package io.imexagent.e2e.machine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import io.grpc.StatusRuntimeException;
import io.imexagent.e2e.controller.BoundRules;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.host.FakeHost;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletDouble;
import io.imexagent.testing.kubelet.KubeletOptions;
import io.imexagent.testing.workload.Workload;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** The container image, and the pods of the chart that run it. */
class ImageE2e {

    private static final String CONTROLLER = "system:serviceaccount:imex-agent:imex-controller";
    private static final Path KUBELET = Path.of("/var/lib/kubelet");

    // Not in memory below /dev/shm: the pod of the agent has the host's /dev.
    @TempDir(factory = TempDirFactory.Standard.class)
    static Path store;

    private static ContainerImage image;

    @TempDir(factory = TempDirFactory.Standard.class)
    Path folder;

    @BeforeAll
    static void load() throws Exception {
        image = ContainerImage.load(store);
    }

    @Test
    void theSamePackageMakesTheSameImage() throws Exception {
        Path packages = Packages.folder();
        Path build = Checkout.find().root().resolve("packaging/container/build");

        Commands.succeed(SystemdMachine.LONG, List.of(build.toString(), packages.toString(), folder.toString()));

        for (String kind : List.of("digest", "oci.tar", "sbom.cdx.json")) {
            assertThat(ContainerImage.file(folder, kind))
                    .hasSameBinaryContentAs(ContainerImage.file(ContainerImage.folder(), kind));
        }
    }

    @Test
    void theBillNamesANamedBaseByItsDigestAndWhatItHolds() throws Exception {
        Path base = Files.createDirectories(folder.resolve("base"));
        Path archive = ContainerImage.file(ContainerImage.folder(), "oci.tar");
        Commands.succeed(SystemdMachine.LONG, List.of("tar", "-xf", archive.toString(), "-C", base.toString()));
        String name = "oci:" + base;
        Path build = Checkout.find().root().resolve("packaging/container/build");

        Path packages = Packages.folder();
        Commands.succeed(
                SystemdMachine.LONG,
                List.of("env", "BASE=" + name, build.toString(), packages.toString(), folder.toString()));

        JsonNode components = Json.parse(Files.readAllBytes(ContainerImage.file(folder, "sbom.cdx.json")))
                .path("components");
        assertThat(components)
                .filteredOn(part -> part.path("type").asText().equals("container"))
                .singleElement()
                .satisfies(part -> {
                    assertThat(part.path("name").asText()).isEqualTo(name);
                    assertThat(part.path("version").asText())
                            .isEqualTo(Files.readString(ContainerImage.file(ContainerImage.folder(), "digest")));
                });
        assertThat(components).extracting(part -> part.path("name").asText()).contains("base-files", "libc6");
        JsonNode labels = labels(ContainerImage.file(folder, "oci.tar"));
        assertThat(labels.path("org.opencontainers.image.base.name").asText()).isEqualTo(name);
        assertThat(labels.path("org.opencontainers.image.base.digest").asText())
                .isEqualTo(Files.readString(ContainerImage.file(ContainerImage.folder(), "digest")));
    }

    /** The labels in an archive of the OCI: index, manifest, configuration. */
    private JsonNode labels(Path archive) throws IOException, InterruptedException {
        Path image = Files.createDirectories(folder.resolve("unpacked"));
        Commands.succeed(SystemdMachine.LONG, List.of("tar", "-xf", archive.toString(), "-C", image.toString()));
        JsonNode index = Json.parse(Files.readAllBytes(image.resolve("index.json")));
        JsonNode manifest = blob(image, index.at("/manifests/0/digest"));
        return blob(image, manifest.at("/config/digest")).at("/config/Labels");
    }

    private static JsonNode blob(Path image, JsonNode digest) throws IOException {
        return Json.parse(Files.readAllBytes(
                image.resolve("blobs").resolve(digest.asText().replace(':', '/'))));
    }

    @Test
    void theImageIsTheProgramAndNothingElseThatRuns() throws Exception {
        JsonNode said = image.inspect();
        assertThat(said.at("/Config/User").asText()).isEqualTo("65532:65532");
        String version = Packages.query(Packages.find().agent(), "--qf", "%{VERSION}");
        String label = "org.opencontainers.image.";
        JsonNode labels = said.path("Labels");
        assertThat(labels.path(label + "version").asText()).isEqualTo(version);
        assertThat(labels.properties())
                .extracting(Map.Entry::getKey)
                .containsExactlyInAnyOrder(
                        label + "title",
                        label + "description",
                        label + "version",
                        label + "revision",
                        label + "created",
                        label + "licenses");
        String commit = labels.path(label + "revision").asText();
        assertThat(image.run("--version"))
                .isEqualTo(new Commands.Result(0, "imex-agent " + version + " (commit " + commit + ")"));

        List<String> files = image.files(folder);
        boolean executable = Packages.haveNativeImage();
        assertThat(files.contains("usr/lib64/imex-agent/imex-agent.aot")).isNotEqualTo(executable);
        assertThat(files)
                .contains(
                        "usr/share/doc/imex-agent/sbom.cdx.json",
                        "usr/lib/os-release",
                        "usr/share/common-licenses/LGPL-2.1",
                        "usr/share/doc/gcc-14-base/copyright",
                        "var/lib/dpkg/status.d/libc6")
                .noneMatch(name -> name.matches(".*/(sh|bash|dash|busybox)"));
        assertThat(files.stream().filter(name -> name.matches("(.*/)?s?bin/[^/]+")))
                .containsExactlyInAnyOrder(
                        "usr/bin/imex-agent",
                        "usr/lib64/imex-agent/" + (executable ? "bin/imex-agent" : "runtime/bin/java"));
    }

    @Test
    void theControllerOfTheDeploymentWorksAsItsServiceAccount() throws Exception {
        String yaml = chart(Map.of(
                "featureGates.HostManagedIMEX", "true",
                "imex.isolation", "IMEXChannel",
                "controller.deployment.enabled", "true",
                "image.repository", image.repository()));
        List<JsonNode> objects = objects(yaml);
        var identity =
                new UserIdentity(CONTROLLER, Set.of("system:serviceaccounts", "system:serviceaccounts:imex-agent"));
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions().token("first", identity));
                HttpClient http = HttpClient.newHttpClient()) {
            new BoundRules(yaml).of(CONTROLLER).forEach(api::grant);
            // Helm makes the release's namespace.
            ObjectNode namespace = JsonNodeFactory.instance.objectNode();
            namespace
                    .put("apiVersion", "v1")
                    .put("kind", "Namespace")
                    .putObject("metadata")
                    .put("name", "imex-agent");
            api.apply(namespace);
            Path account = Files.createDirectories(folder.resolve("account"));
            Files.writeString(account.resolve("ca.crt"), api.certificateAuthorityPem());
            Files.writeString(account.resolve("token"), "first");
            var around = new ChartPod.Surroundings(folder, Map.of(), account, URI.create(api.url()));
            try (ChartPod pod = ChartPod.start(image, objects, "Deployment imex-controller", around)) {
                create(api, "one", 1);
                pod.await("one to be ready", () -> ready(api, "one"));
                pod.awaitProbes(http);
                assertThat(Files.readAllLines(pod.proc().resolve("status")))
                        .contains("Uid:\t65532\t65532\t65532\t65532", "Gid:\t65532\t65532\t65532\t65532")
                        .contains("CapEff:\t0000000000000000", "CapBnd:\t0000000000000000")
                        .contains("NoNewPrivs:\t1", "Seccomp:\t2");
                assertThat(Files.readAllLines(pod.proc().resolve("mountinfo")))
                        .as("the root file system")
                        .anyMatch(mount -> mount.split(" ", -1)[4].equals("/") && mount.contains(" / ro"));

                // The kubelet replaces the token, and the API server takes the former no more.
                api.acceptToken("second", identity);
                Path next = Files.writeString(folder.resolve("next"), "second");
                Files.setAttribute(next, "unix:gid", Files.getAttribute(account, "unix:gid"));
                Files.move(next, account.resolve("token"), StandardCopyOption.ATOMIC_MOVE);
                api.revokeToken("first");
                create(api, "two", 2);
                pod.await("two to be ready", () -> ready(api, "two"));

                assertThat(api.requests().answers()).as("of all answers").doesNotContainKey(403);
                assertThat(pod.stop()).as(pod.log()).isZero();
                assertThat(api.get(ResourceType.LEASES, "imex-agent", "imex-controller"))
                        .as("the Lease, given back")
                        .hasValueSatisfying(
                                lease -> assertThat(lease.path("spec").has("holderIdentity"))
                                        .isFalse());
            }
        }
    }

    @Test
    void theAgentOfTheDaemonSetPreparesClaimsOnItsNode() throws Exception {
        FakeHost host = FakeHost.create(folder.resolve("h"));
        List<JsonNode> objects = objects(chart(Map.of(
                "featureGates.HostManagedIMEX", "true",
                "imex.isolation", "None",
                "agent.daemonSet.enabled", "true",
                "agent.daemonSet.hostPaths[0]", "/simulated",
                "configuration.host.root", "/simulated",
                "configuration.nvml.simulate", "gb200",
                "image.repository", image.repository())));
        String kubeletRoot = host.kubeletRoot().toString();
        Path secret = Files.createDirectories(host.kubeletRoot().resolve("pods/of/volumes"));
        // As systemd has it on a host, and the kubelet's secrets below it.
        mount("--bind", kubeletRoot, kubeletRoot);
        mount("--make-shared", kubeletRoot);
        mount("-t", "tmpfs", "secret", secret.toString());
        Files.writeString(secret.resolve("secret"), "of a tenant");
        mount("--bind", kubeletRoot, KUBELET.toString());
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions());
                KubeletDouble kubelet =
                        KubeletDouble.start(KubeletOptions.in(KUBELET).retryingAfter(Duration.ofMillis(200)));
                HttpClient http = HttpClient.newHttpClient()) {
            api.apply(Workload.cluster(SystemdMachine.NAME));
            Path kubeconfig = folder.resolve("node/etc/kubernetes/kubelet.conf");
            Files.createDirectories(kubeconfig.getParent());
            api.writeKubeconfig(kubeconfig, new Login.TokenLogin("node:" + SystemdMachine.NAME));
            var around = new ChartPod.Surroundings(
                    folder,
                    Map.of(
                            "/var/lib/kubelet", host.kubeletRoot(),
                            "/var/run/cdi", host.cdiDirectory(),
                            "/simulated", host.root(),
                            "/usr", Path.of("/usr"),
                            "/dev", Path.of("/dev")),
                    folder.resolve("no-account"),
                    URI.create(api.url()));
            Workload workload = new Workload("default", SystemdMachine.NAME, 1);
            api.apply(workload.objects());
            try (ChartPod pod = ChartPod.start(image, objects, "DaemonSet imex-agent", around)) {
                pod.await("the plugin", () -> !kubelet.plugins().isEmpty());
                pod.awaitProbes(http);
                pod.await("the claim", () -> done(() -> kubelet.prepare(workload.claim())));
                assertThat(host.cdiFiles()).isNotEmpty();
                assertThat(pod.exec("check").output())
                        .as("beside the agent that serves")
                        .contains("no other plugin of compute-domain.nvidia.com runs on this node");
                assertThat(pod.exec("claims", "list").output())
                        .contains(workload.claim().name());
                Path inside = pod.proc().resolve("root");
                assertThat(inside.resolve("var/lib/kubelet/pods")).isEmptyDirectory();
                assertThat(inside.resolve("run/secrets/kubernetes.io")).doesNotExist();

                // What the host unmounts is not held by the pod.
                assertThat(mounts(pod)).contains("pods/of/volumes");
                Commands.succeed(SystemdMachine.LONG, List.of("umount", secret.toString()));
                assertThat(mounts(pod)).doesNotContain("pods/of/volumes");

                assertThat(pod.stop()).as(pod.log()).isZero();
            }
            try (ChartPod next = ChartPod.start(image, objects, "DaemonSet imex-agent", around)) {
                next.await("the claim to end", () -> done(() -> kubelet.unprepare(workload.claim())));
                assertThat(host.cdiFiles()).isEmpty();
            }
        } finally {
            for (String place : List.of(KUBELET.toString(), kubeletRoot)) {
                Commands.run(SystemdMachine.LONG, List.of("umount", "--lazy", "--recursive", place));
            }
        }
    }

    /** A call that finds no plugin is one that failed; the kubelet asks again. */
    private static boolean done(Supplier<ClaimResult> call) {
        try {
            return call.get() instanceof ClaimResult.ClaimDone;
        } catch (StatusRuntimeException | IllegalStateException noPlugin) {
            return false;
        }
    }

    private static String mounts(ChartPod pod) throws IOException, InterruptedException {
        return Files.readString(pod.proc().resolve("mountinfo"));
    }

    private static void mount(String... arguments) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of("mount"));
        line.addAll(List.of(arguments));
        Commands.succeed(SystemdMachine.LONG, line);
    }

    private static void create(ApiDouble api, String name, int number) {
        ObjectNode domain = Fixtures.computeDomain("default", name, Fixtures.uid(number), name + "-channel");
        domain.withObject("/metadata").remove("finalizers");
        domain.putObject("status").put("status", "NotReady");
        api.apply(domain);
    }

    private static boolean ready(ApiDouble api, String name) {
        return api.get(ResourceType.COMPUTE_DOMAINS, "default", name)
                .filter(domain -> domain.at("/status/status").asText().equals("Ready"))
                .isPresent();
    }

    private static String chart(Map<String, String> values) {
        TemplateCommand command = new Helm(Checkout.find().root().resolve("packaging/kubernetes/chart"))
                .template()
                .withName("imex-agent")
                .withNamespace("imex-agent")
                .withKubeVersion("1.36.0");
        values.forEach(command::set);
        return command.call();
    }

    private static List<JsonNode> objects(String yaml) throws IOException {
        return new ObjectMapper(new YAMLFactory())
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(yaml)
                .readAll();
    }
}
