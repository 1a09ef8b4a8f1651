package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryChecksTest {

    @TempDir
    private Path folder;

    private CheckFixture node;

    @BeforeEach
    void makeNode() throws Exception {
        node = new CheckFixture(folder);
    }

    @Test
    void failsWithoutTheKubeletsDirectories() throws IOException {
        Files.delete(node.path("kubelet/plugins_registry"));

        CheckResult registry = result("kubelet-registry");

        assertThat(registry.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(registry.remedy().orElseThrow()).contains("kubelet.root");
        assertThat(result("kubelet-plugins").severity()).isEqualTo(Severity.OK);
    }

    @Test
    void failsWhereItMayNotWrite() {
        for (CheckResult result : new DirectoryChecks(node.serving(), path -> false).run()) {
            if (!result.id().equals("cdi-runtime")) {
                assertThat(result.severity()).as(result.id()).isEqualTo(Severity.CRITICAL);
                assertThat(result.remedy().orElseThrow()).contains("ReadWritePaths");
            }
        }
    }

    @Test
    void isContentWithADirectoryThatItCanMake() throws IOException {
        Files.delete(node.path("state"));

        assertThat(result("state-directory").message()).contains("can be created");
        assertThat(result("state-directory").severity()).isEqualTo(Severity.OK);
    }

    @Test
    void failsWhereAFileIsInTheWay() throws IOException {
        Files.delete(node.path("state"));
        Files.writeString(node.path("state"), "");

        assertThat(result("state-directory").message()).contains("is not a directory");
        assertThat(result("state-directory").severity()).isEqualTo(Severity.CRITICAL);
    }

    @Test
    void failsWhereADirectoryAboveIsAFile() throws IOException {
        Files.delete(node.path("kubelet/plugins"));
        Files.writeString(node.path("kubelet/plugins"), "");

        assertThat(result("plugin-directory").severity()).isEqualTo(Severity.CRITICAL);
    }

    @Test
    void namesWhatIsClosedToAUserAndWhatCannotBeMadeThere() throws IOException {
        Files.delete(node.path("state"));
        Path above = node.path("state").getParent();

        assertThat(new DirectoryChecks(node.serving()).closed(path -> path.equals(above)))
                .containsExactly(node.path("state"));
        assertThat(new DirectoryChecks(node.serving()).closed(path -> false)).isEmpty();
    }

    @Test
    void warnsOfACdiDirectoryThatNoRuntimeReads() {
        CheckResult result = result("cdi-runtime");

        assertThat(result.severity()).isEqualTo(Severity.WARNING);
        assertThat(result.remedy().orElseThrow()).contains("cdi_spec_dirs");
    }

    private CheckResult result(String id) {
        return new DirectoryChecks(node.serving())
                .run().stream()
                        .filter(result -> result.id().equals(id))
                        .findFirst()
                        .orElseThrow();
    }
}
