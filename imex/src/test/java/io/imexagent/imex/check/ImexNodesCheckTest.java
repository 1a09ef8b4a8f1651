package io.imexagent.imex.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.imex.fake.HostTree;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImexNodesCheckTest {

    private static final String FILE = "etc/nvidia-imex/nodes_config.cfg";

    private static final NodeIdentity HERE = NodeIdentity.of(List.of("10.0.0.2", "tray-2.rack-7.example", "tray-2"));

    @TempDir
    private Path folder;

    private CheckResult checked() {
        return HostChecks.imexNodes(folder, Path.of("/etc/nvidia-imex/config.cfg"), HERE);
    }

    @Test
    void readsTheFileThatTheConfigurationNames() {
        new HostTree(folder)
                .with("etc/nvidia-imex/config.cfg", "IMEX_NODE_CONFIG_FILE=/etc/rack/nodes\n")
                .with("etc/rack/nodes", "tray-1\ntray-2\n");

        assertThat(checked())
                .isEqualTo(CheckResult.ok("imex-nodes", "/etc/rack/nodes names 2 nodes, this one as tray-2"));
    }

    @Test
    void countsTheNodes() {
        new HostTree(folder).with(FILE, "# rack 7\n10.0.0.1\n\n10.0.0.2\n");

        assertThat(checked())
                .isEqualTo(CheckResult.ok(
                        "imex-nodes", "/etc/nvidia-imex/nodes_config.cfg names 2 nodes, this one as 10.0.0.2"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"::ffff:10.0.0.2", "Tray-2", "TRAY-2.Rack-7.example."})
    void findsThisHostHoweverItIsWritten(String written) {
        new HostTree(folder).with(FILE, "tray-1\n" + written + "\n");

        assertThat(checked().message()).endsWith("this one as " + written);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1", "tray-2.rack-8.example", "10.0.0.20"})
    void warnsOfAFileThatDoesNotNameThisHost(String written) {
        new HostTree(folder).with(FILE, written + "\n");

        assertThat(checked())
                .returns(Severity.WARNING, CheckResult::severity)
                .returns(
                        "/etc/nvidia-imex/nodes_config.cfg names 1 node, and this host by none of its addresses and"
                                + " names",
                        CheckResult::message);
    }

    @Test
    void warnsOfAFileThatNamesThisHostTwice() {
        new HostTree(folder).with(FILE, "tray-2\n10.0.0.1\ntray-2.rack-7.example\n10.0.0.2\n::ffff:10.0.0.2\n");

        assertThat(checked().message()).endsWith("this host more than once: 10.0.0.2, ::ffff:10.0.0.2");
    }

    @Test
    void warnsOfAMissingFile() {
        assertThat(checked())
                .returns(Severity.WARNING, CheckResult::severity)
                .returns("/etc/nvidia-imex/nodes_config.cfg does not exist", CheckResult::message);
    }

    @Test
    void warnsOfAFileThatNamesNobody() {
        new HostTree(folder).with(FILE, "\n# none yet\n");

        assertThat(checked().message()).endsWith("names no node");
    }

    @Test
    void warnsOfAFileThatCannotBeRead() {
        new HostTree(folder).unreadable(FILE);

        assertThat(checked().message()).contains("cannot be read");
    }
}
