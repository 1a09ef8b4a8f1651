package io.imexagent.agent.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.fake.Inventories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

        List<CheckResult> results =
                new Preconditions(node.serving(), Inventories::gb200, () -> api, node.path("proc")).run();

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
    void changesNothingOnTheNode() throws Exception {
        List<String> before = listing();

        new Preconditions(node.serving(), Inventories::gb200, FakeApi::new, node.path("proc")).run();

        assertThat(listing()).isEqualTo(before);
    }

    @Test
    void asksNeitherKubeletNorApiWhileItOnlyObserves() throws Exception {
        List<CheckResult> results = new Preconditions(
                        node.observing(),
                        Inventories::gb200,
                        () -> {
                            throw new AssertionError("the API is not asked");
                        },
                        node.path("proc"))
                .run();

        assertThat(results)
                .extracting(CheckResult::id)
                .contains("driver", "imex-nodes", "serving")
                .doesNotContain("kubelet-plugins", "cdi-directory", "api-server");
    }

    @Test
    void givesARemedyForEverythingThatIsNotOk() throws Exception {
        Files.delete(node.path("kubelet.conf"));
        Files.delete(node.path("kubelet/plugins_registry"));

        List<CheckResult> results =
                new Preconditions(node.serving(), Inventories::gb200, FakeApi::new, node.path("proc")).run();

        assertThat(results)
                .filteredOn(result -> result.status() != CheckResult.Status.OK)
                .hasSize(3)
                .allSatisfy(result -> assertThat(result.remedy()).isPresent());
    }

    private List<String> listing() throws Exception {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(Path::toString).sorted().toList();
        }
    }
}
