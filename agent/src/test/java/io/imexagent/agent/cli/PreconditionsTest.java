package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.check.CheckResult;
import io.imexagent.dra.claim.PreparedClaims.EffectListener;
import io.imexagent.imex.check.HostChecks;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.UnitState;
import io.imexagent.imex.watch.Healths;
import io.imexagent.kubernetes.KubernetesApi;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
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
                        "kubelet-plugins",
                        "kubelet-registry",
                        "plugin-directory",
                        "cdi-directory",
                        "cdi-runtime",
                        "state-directory",
                        "other-plugin",
                        "second-imex",
                        "imexd-mounts",
                        "checkpoint",
                        "kubeconfig",
                        "api-server",
                        "node",
                        "compute-domains",
                        "permissions");
        // The folder of the test is none that container runtimes know.
        assertThat(results)
                .filteredOn(result -> result.status() != CheckResult.Status.OK)
                .extracting(CheckResult::id)
                .containsExactly("cdi-runtime");
        assertThat(api.closed()).isTrue();
    }

    @Test
    void findsANodeReadyToServeNicsAlone() throws Exception {
        AgentConfig config = node.observing("rdma.enabled=true");

        List<CheckResult> results = preconditions(config, FakeApi::new).run();

        assertThat(results.subList(results.size() - 12, results.size()))
                .extracting(CheckResult::id)
                .containsExactly(
                        "serving",
                        "kubelet-plugins",
                        "kubelet-registry",
                        "rdma-plugin-directory",
                        "cdi-directory",
                        "cdi-runtime",
                        "rdma-other-plugin",
                        "rdma-record",
                        "kubeconfig",
                        "api-server",
                        "rdma-node",
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
                .filteredOn(result -> result.status() != CheckResult.Status.OK)
                .hasSize(3)
                .allSatisfy(result -> assertThat(result.remedy()).isPresent());
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
        assertThat(result.status()).isEqualTo(CheckResult.Status.WARNING);
        assertThat(result.message()).contains(message);
        assertThat(result.remedy().orElseThrow()).contains(remedy);
    }

    static Stream<Arguments> warnsWhereTheServiceDoesNotRun() {
        return Stream.of(
                arguments(
                        Healths.resting(new UnitState(UnitState.State.NOT_FOUND)),
                        "not installed",
                        "install the package"),
                arguments(Healths.masked(), "masked", "systemctl unmask --now nvidia-imex"),
                arguments(
                        Healths.resting(new UnitState(UnitState.State.INACTIVE, "disabled")),
                        "the service is not enabled (disabled)",
                        "systemctl enable --now nvidia-imex"),
                arguments(
                        Healths.resting(new UnitState(UnitState.State.INACTIVE, "enabled")),
                        "it was stopped or never started",
                        "systemctl start nvidia-imex"),
                arguments(
                        Healths.resting(new UnitState(UnitState.State.FAILED, "exit-code")),
                        "nvidia-imex failed",
                        "journalctl -u nvidia-imex"),
                arguments(Healths.daemon("WAITING_FOR_PEERS"), "WAITING_FOR_PEERS", "start nvidia-imex there"),
                arguments(Healths.degraded(), "not ready: n2", "systemctl status nvidia-imex"),
                arguments(Healths.unknown(), "did not end within", "nvidia-imex-ctl -q"));
    }

    @Test
    void asksNoServiceOfANodeWithoutAFabric() {
        assertThat(HostChecks.imexService(Healths.notApplicable()))
                .returns("nvidia-imex", CheckResult::id)
                .returns(CheckResult.Status.OK, CheckResult::status)
                .returns("IMEX not applicable: there is no GPU", CheckResult::message);
    }

    private Preconditions preconditions(AgentConfig config, Supplier<KubernetesApi> api) {
        var process = new ThisProcess(
                "1.2.3", "0123abc", Map.of(), Clock.systemUTC(), System::nanoTime, () -> 0.5, EffectListener.NONE);
        return new Preconditions(new LocalHost(config, process), api, node.path("proc"));
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
