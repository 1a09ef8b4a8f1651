package io.imexagent.imex.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.CheckResult;
import io.imexagent.imex.fake.HostTree;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImexNodesCheckTest {

    private static final String FILE = "etc/nvidia-imex/nodes_config.cfg";

    @TempDir
    private Path folder;

    @Test
    void countsTheNodes() {
        new HostTree(folder).with(FILE, "# rack 7\n10.0.0.1\n\n10.0.0.2\n");

        assertThat(HostChecks.imexNodes(folder))
                .isEqualTo(CheckResult.ok("imex-nodes", "/etc/nvidia-imex/nodes_config.cfg names 2 nodes"));
    }

    @Test
    void warnsOfAMissingFile() {
        assertThat(HostChecks.imexNodes(folder))
                .returns(CheckResult.Status.WARNING, CheckResult::status)
                .returns("/etc/nvidia-imex/nodes_config.cfg does not exist", CheckResult::message);
    }

    @Test
    void warnsOfAFileThatNamesNobody() {
        new HostTree(folder).with(FILE, "\n# none yet\n");

        assertThat(HostChecks.imexNodes(folder).message()).endsWith("names no node");
    }

    @Test
    void warnsOfAFileThatCannotBeRead() {
        new HostTree(folder).unreadable(FILE);

        assertThat(HostChecks.imexNodes(folder).message()).contains("cannot be read");
    }
}
