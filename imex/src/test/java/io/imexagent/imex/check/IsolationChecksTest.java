package io.imexagent.imex.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.imex.fake.HostTree;
import io.imexagent.imex.fake.Inventories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IsolationChecksTest {

    private static final String PARAMETERS = "proc/driver/nvidia/params";

    @TempDir
    private Path folder;

    private HostTree host;
    private Path channels;

    @BeforeEach
    void aHostWithoutChannelNodes() throws IOException {
        host = HostTree.gb200(folder.resolve("host"));
        channels = folder.resolve("host/dev/nvidia-caps-imex-channels");
        host.with(PARAMETERS, "ImexChannelCount: 2048\nCreateImexChannel0: 0\n");
        Files.createDirectories(channels);
        Files.deleteIfExists(channels.resolve("channel0"));
    }

    @Test
    void isWellOnAHostWhoseChannelNodesAreClosed() throws IOException {
        node("channel5", "rw-------");
        node("channel6", "rw-rw----");

        assertThat(run(128)).extracting(CheckResult::severity).containsOnly(Severity.OK);
    }

    @Test
    void isWellOnAHostWithoutTheFolderAndWithoutADriver() throws IOException {
        Files.delete(channels);
        Files.delete(folder.resolve("host").resolve(PARAMETERS));

        assertThat(run(128)).extracting(CheckResult::severity).containsOnly(Severity.OK);
    }

    @Test
    void warnsOfChannelNodesThatAreOpenToAllUsers() throws IOException {
        node("channel5", "rw-rw-rw-");
        node("channel9", "rw----r--");
        node("channel7", "rw-------");

        assertThat(result(IsolationChecks.NODES, 128)).satisfies(result -> {
            assertThat(result.severity()).isEqualTo(Severity.WARNING);
            assertThat(result.message())
                    .contains("open to all users: channel5, channel9;", "defeats isolation")
                    .doesNotContain("channel7");
            assertThat(result.remedy().orElseThrow()).contains("NVreg_CreateImexChannel0=0");
        });
    }

    @Test
    void namesAHandfulOfManyOpenNodes() throws IOException {
        for (int channel = 10; channel < 30; channel++) {
            node("channel" + channel, "rw-rw-rw-");
        }

        assertThat(result(IsolationChecks.NODES, 128).message()).contains("channel14 and 15 more");
    }

    @Test
    void warnsOfADriverThatMakesChannelZeroForAll() {
        host.with(PARAMETERS, "ImexChannelCount: 2048\nCreateImexChannel0: 1\n");

        assertThat(result(IsolationChecks.NODES, 128))
                .returns(Severity.WARNING, CheckResult::severity)
                .extracting(CheckResult::message)
                .asString()
                .contains("CreateImexChannel0 is 1");
    }

    @Test
    void warnsWhereMoreChannelsAreHandedOutThanTheDriverHas() {
        assertThat(result(IsolationChecks.RANGE, 2049)).satisfies(result -> {
            assertThat(result.severity()).isEqualTo(Severity.WARNING);
            assertThat(result.message()).contains("offers 2048", "imex.channels is 2049", "binds a higher channel");
        });
        assertThat(result(IsolationChecks.RANGE, 2048).severity()).isEqualTo(Severity.OK);
    }

    private void node(String name, String mode) throws IOException {
        Path node = Files.createFile(channels.resolve(name));
        Files.setPosixFilePermissions(node, PosixFilePermissions.fromString(mode));
    }

    private CheckResult result(String id, int count) {
        return run(count).stream()
                .filter(result -> result.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private List<CheckResult> run(int count) {
        return new IsolationChecks(folder.resolve("host"), count, Inventories.gb200()).run();
    }
}
