package io.imexagent.rdma.selection;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.Finding;
import io.imexagent.rdma.fixture.Platform;
import io.imexagent.rdma.fixture.Settings;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What each platform's NICs are taken for, as it comes and with no word of the operator's. */
class PlatformsTest {

    @TempDir
    Path root;

    @ParameterizedTest
    @MethodSource("io.imexagent.rdma.fixture.Platform#names")
    void eachNicIsTakenForWhatItIs(String name) throws Exception {
        Platform platform = Platform.lay(name, root);
        Selection selection =
                Selections.of(platform.tree(), Settings.with("^eth[0-9]+$", List.of(), false, List.of(), false));

        var classes = new TreeMap<String, String>();
        selection
                .verdicts()
                .forEach(verdict -> classes.put(
                        verdict.reading().label(), verdict.nicClass().text()));
        assertThat(classes).isEqualTo(platform.nics());
        assertThat(selection.findings().stream().map(Finding::code).sorted().toList())
                .isEqualTo(platform.findings());
    }
}
