package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.imex.check.HostChecks;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.UnitState;
import io.imexagent.imex.watch.Healths;
import io.imexagent.kubernetes.KubernetesApi;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PreconditionsTest {

    @TempDir
    private Path folder;

    private CheckFixture node;

    @BeforeEach
    void makeNode() throws Exception {
        node = new CheckFixture(folder);
    }

    @Test
    void findsANodeReadyToServe() throws Exception {
        var api = new FakeApi();

        List<CheckResult> results = preconditions(node.serving(), () -> api).run();

        assertThat(results)
                .extracting(CheckResult::id)
                .containsExactly(
                        "driver",
                        "gpus",
                        "clique",
                        "channel-major",
                        "channel-count",
                        "channel-node",
                        "boot-id",
                        "imex-nodes",
                        "nvidia-imex",
                        "user-namespaces",
                        "kubelet-plugins",
                        "kubelet-registry",
                        "plugin-directory",
                        "cdi-directory",
                        "cdi-runtime",
                        "state-directory",
                        "kubelet-root",
                        "other-plugin",
                        "second-imex",
                        "imexd-mounts",
                        "checkpoint",
                        "kubeconfig",
                        "api-server",
                        "node",
                        "kubelet-version",
                        "container-runtime",
                        "compute-domains",
                        "permissions");
        // The driver of the test is simulated, its host has no node of channel 0, and its folder is none that container
        // runtimes know.
        assertThat(results)
                .filteredOn(result -> result.severity() != Severity.OK)
                .extracting(CheckResult::id)
                .containsExactly("driver", "channel-node", "cdi-runtime");
        assertThat(api.closed()).isTrue();
    }

    @Test
    void findsANodeReadyToServeNicsAlone() throws Exception {
        AgentConfig config = node.observing("rdma.enabled=true");

        List<CheckResult> results = preconditions(config, FakeApi::new).run();

        assertThat(results.subList(results.size() - 15, results.size()))
                .extracting(CheckResult::id)
                .containsExactly(
                        "serving",
                        "kubelet-plugins",
                        "kubelet-registry",
                        "rdma-plugin-directory",
                        "cdi-directory",
                        "cdi-runtime",
                        "kubelet-root",
                        "rdma-other-plugin",
                        "rdma-record",
                        "kubeconfig",
                        "api-server",
                        "rdma-node",
                        "kubelet-version",
                        "container-runtime",
                        "permissions");
        assertThat(results)
                .filteredOn(result -> result.id().equals("serving"))
                .singleElement()
                .satisfies(result -> assertThat(result.message()).contains("RDMA NICs are"));
    }

    @Test
    void looksAtBothDriversOfANodeThatServesBoth() throws Exception {
        List<CheckResult> results =
                preconditions(node.serving("rdma.enabled=true"), FakeApi::new).run();

        assertThat(results)
                .extracting(CheckResult::id)
                .contains("other-plugin", "rdma-other-plugin", "checkpoint", "rdma-record", "node", "rdma-node")
                .doesNotContain("serving");
    }

    /** Its sockets would be where no kubelet looks, and the agent would wait for ever. */
    @Test
    void namesAKubeletWithAnotherRootDirectory() throws Exception {
        Path systemctl = Files.writeString(folder.resolve("systemctl"), """
            #!/bin/sh
            echo Id=kubelet.service
            echo ActiveState=active
            echo 'ExecStart={ path=/usr/bin/kubelet ; argv[]=/usr/bin/kubelet --root-dir=/data/kubelet ; ignore_errors=no ; pid=7 }'
            """);
        Files.setPosixFilePermissions(systemctl, PosixFilePermissions.fromString("rwxr-xr-x"));
        AgentConfig config = node.serving("imex.health.systemctl=" + systemctl);

        assertThat(preconditions(config, FakeApi::new).run())
                .filteredOn(result -> result.id().equals("kubelet-root"))
                .singleElement()
                .satisfies(result -> {
                    assertThat(result.severity()).isEqualTo(Severity.CRITICAL);
                    assertThat(result.message())
                            .contains(
                                    "kubelet.service",
                                    "/data/kubelet",
                                    config.kubelet().root().toString());
                    assertThat(result.remedy().orElseThrow()).contains("set kubelet.root to /data/kubelet");
                });
    }

    @Test
    void changesNothingOnTheNode() throws Exception {
        List<String> before = listing();

        preconditions(node.serving(), FakeApi::new).run();

        assertThat(listing()).isEqualTo(before);
    }

    @Test
    void asksNeitherKubeletNorApiWhileItOnlyObserves() throws Exception {
        List<CheckResult> results = preconditions(node.observing(), () -> {
                    throw new AssertionError("the API is not asked");
                })
                .run();

        assertThat(results)
                .extracting(CheckResult::id)
                .contains("driver", "imex-nodes", "nvidia-imex", "serving")
                .doesNotContain("kubelet-plugins", "cdi-directory", "api-server");
    }

    @Test
    void givesARemedyForEverythingThatIsNotOk() throws Exception {
        Files.delete(node.path("kubelet.conf"));
        Files.delete(node.path("kubelet/plugins_registry"));

        List<CheckResult> results = preconditions(node.serving(), FakeApi::new).run();

        assertThat(results)
                .filteredOn(result -> result.severity() != Severity.OK)
                .extracting(CheckResult::id, result -> result.remedy().isPresent())
                .containsExactlyInAnyOrder(
                        tuple("driver", true),
                        tuple("channel-node", true),
                        tuple("kubelet-registry", true),
                        tuple("cdi-runtime", true),
                        tuple("kubeconfig", true));
    }

    @Test
    void warnsWhereTheServiceIsMasked() throws Exception {
        node.imex().unit("masked", "inactive");

        assertThat(preconditions(node.serving(), FakeApi::new).run())
                .filteredOn(result -> result.id().equals("nvidia-imex"))
                .singleElement()
                .satisfies(result -> assertThat(result.message()).contains("masked"));
    }

    @ParameterizedTest
    @MethodSource
    void warnsWhereTheServiceDoesNotRun(ImexHealth health, String message, String remedy) {
        CheckResult result = HostChecks.imexService(health);

        assertThat(result.id()).isEqualTo("nvidia-imex");
        assertThat(result.severity()).isEqualTo(Severity.WARNING);
        assertThat(result.message()).contains(message);
        assertThat(result.remedy().orElseThrow()).contains(remedy);
    }

    static Stream<Arguments> warnsWhereTheServiceDoesNotRun() {
        return Stream.of(
                arguments(
                        Healths.resting(new UnitState(UnitState.ActiveState.NOT_FOUND)),
                        "not installed",
                        "install the package"),
                arguments(Healths.masked(), "masked", "systemctl unmask nvidia-imex"),
                arguments(
                        Healths.resting(new UnitState(UnitState.ActiveState.INACTIVE, "disabled")),
                        "the service is not enabled (disabled)",
                        "systemctl enable --now nvidia-imex"),
                arguments(
                        Healths.resting(new UnitState(UnitState.ActiveState.INACTIVE, "enabled")),
                        "it was stopped or never started",
                        "systemctl start nvidia-imex"),
                arguments(
                        Healths.resting(new UnitState(UnitState.ActiveState.FAILED, "exit-code")),
                        "nvidia-imex failed",
                        "journalctl -u nvidia-imex"),
                arguments(Healths.daemon("WAITING_FOR_PEERS"), "WAITING_FOR_PEERS", "start nvidia-imex there"),
                arguments(Healths.degraded(), "not ready: n2", "systemctl status nvidia-imex"),
                arguments(Healths.unknown(), "did not end within", "nvidia-imex-ctl -q"));
    }

    @Test
    void warnsOfWhatHealthNotesOfADomainThatIsUp() {
        ImexHealth up = Healths.up();
        String note = "nodes_config.cfg is newer than the running daemon; restart nvidia-imex";

        CheckResult result = HostChecks.imexService(new ImexHealth(
                up.at(),
                up.daemon(),
                up.domain(),
                up.faults(),
                List.of(note),
                up.verdict(),
                OptionalLong.empty(),
                Optional.empty()));

        assertThat(result.severity()).isEqualTo(Severity.WARNING);
        assertThat(result.message()).contains("IMEX domain UP", note);
        assertThat(result.remedy().orElseThrow()).contains("imex-agent health");
        assertThat(HostChecks.imexService(up).severity()).isEqualTo(Severity.OK);
    }

    @Test
    void asksNoServiceOfANodeWithoutAFabric() {
        assertThat(HostChecks.imexService(Healths.notApplicable()))
                .returns("nvidia-imex", CheckResult::id)
                .returns(Severity.OK, CheckResult::severity)
                .returns("IMEX not applicable: there is no GPU", CheckResult::message);
    }

    @Test
    void aUserWhoIsNotRootReadsOneResultForAllThatIsClosed() throws Exception {
        AgentConfig config = node.serving();
        Path kubelet = config.kubelet().root();

        List<CheckResult> results = preconditions(
                        config,
                        PreconditionsTest::noApi,
                        path -> path.startsWith(kubelet) || path.endsWith("kubelet.conf"))
                .run();

        assertThat(results)
                .filteredOn(result -> result.id().equals("user"))
                .singleElement()
                .satisfies(result -> {
                    assertThat(result.severity()).isEqualTo(Severity.WARNING);
                    assertThat(result.message())
                            .startsWith("this user is not root and may not use " + kubelet.resolve("plugins") + ", ")
                            .contains("kubelet.conf: directories, ", "the API server are not checked");
                    assertThat(result.remedy()).contains("run it as root: sudo imex-agent check");
                });
        assertThat(results)
                .extracting(CheckResult::id)
                .contains("driver", "kubelet-root")
                .doesNotContain("kubelet-plugins", "state-directory", "checkpoint", "other-plugin", "kubeconfig");
    }

    private static KubernetesApi noApi() {
        throw new AssertionError("the API server is not called");
    }

    private Preconditions preconditions(AgentConfig config, Supplier<KubernetesApi> api) {
        return preconditions(config, api, path -> false);
    }

    private Preconditions preconditions(AgentConfig config, Supplier<KubernetesApi> api, Predicate<Path> closed) {
        var process = new ThisProcess("1.2.3", "0123abc", Map.of(), Clock.systemUTC(), System::nanoTime, () -> 0.5);
        return new Preconditions(new LocalHost(config, process), api, node.path("proc"), closed);
    }

    private List<String> listing() throws Exception {
        try (Stream<Path> files = Files.walk(folder)) {
            // The double of nvidia-imex writes down how it was called.
            return files.map(Path::toString)
                    .filter(path -> !path.endsWith("imex/calls"))
                    .sorted()
                    .toList();
        }
    }
}
