package io.imexagent.imex.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.XidHistory;
import io.imexagent.core.inventory.XidHistory.XidCause;
import io.imexagent.core.inventory.XidHistory.XidEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class XidLogTest {

    private static final Instant START = Instant.parse("2026-11-21T10:00:00Z");
    private static final OptionalInt GPU_1 = OptionalInt.of(1);

    @TempDir
    private Path root;

    private Path file;

    @BeforeEach
    void below() {
        file = root.resolve("run/imex-agent/xids");
    }

    private Optional<XidHistory> ofAnotherProcess() {
        return new XidLog(root).history();
    }

    @Test
    void nothingIsKnownWhereNobodyHasListened() {
        assertThat(ofAnotherProcess()).isEmpty();
        assertThat(file).doesNotExist();
    }

    @Test
    void whoListensHasHeardNothingYet() {
        new XidLog(root).listening(START);

        assertThat(ofAnotherProcess()).contains(new XidHistory(START, List.of()));
    }

    @Test
    void xidsAreCountedByGpuAndNumber() {
        var log = new XidLog(root);
        log.listening(START);
        log.add(GPU_1, 79, START.plusSeconds(1));
        log.add(OptionalInt.empty(), 31, START.plusSeconds(2));
        log.add(GPU_1, 79, START.plusSeconds(3));
        log.add(OptionalInt.of(2), 79, START.plusSeconds(4));

        assertThat(ofAnotherProcess())
                .contains(new XidHistory(
                        START,
                        List.of(
                                new XidEvent(GPU_1, 79, XidCause.GPU, 2, START.plusSeconds(1), START.plusSeconds(3)),
                                new XidEvent(
                                        OptionalInt.empty(),
                                        31,
                                        XidCause.PROGRAM,
                                        1,
                                        START.plusSeconds(2),
                                        START.plusSeconds(2)),
                                new XidEvent(
                                        OptionalInt.of(2),
                                        79,
                                        XidCause.GPU,
                                        1,
                                        START.plusSeconds(4),
                                        START.plusSeconds(4)))));
        assertThat(log.history()).isEqualTo(ofAnotherProcess());
    }

    @Test
    void theNextAgentOfTheBootGoesOn() {
        var first = new XidLog(root);
        first.listening(START);
        first.add(GPU_1, 79, START.plusSeconds(1));

        var second = new XidLog(root);
        second.listening(START.plusSeconds(60));
        second.add(GPU_1, 79, START.plusSeconds(61));

        assertThat(ofAnotherProcess())
                .contains(new XidHistory(
                        START,
                        List.of(new XidEvent(
                                GPU_1, 79, XidCause.GPU, 2, START.plusSeconds(1), START.plusSeconds(61)))));
    }

    @Test
    void aDriverGoneMadFillsNoDisk() {
        var log = new XidLog(root);
        for (int number = 0; number < 1000; number++) {
            log.add(GPU_1, 1000 + number, START);
        }
        log.add(GPU_1, 1000, START.plusSeconds(1));

        List<XidEvent> heard = ofAnotherProcess().orElseThrow().events();
        assertThat(heard).hasSize(256);
        assertThat(heard.getFirst().count()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "since=yesterday\n", "gpu=1 xid=79 count=1\n", "\u0000\u00ff"})
    void aRecordThatIsNotUnderstoodTellsNothingAndIsMended(String content) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
        assertThat(ofAnotherProcess()).isEmpty();

        new XidLog(root).listening(START);

        assertThat(ofAnotherProcess()).contains(new XidHistory(START, List.of()));
    }

    @Test
    void aLineThatIsNotUnderstoodIsLeftOut() throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, """
            since=2026-11-21T10:00:00Z
            gpu=one xid=79 count=1 first=2026-11-21T10:00:01Z last=2026-11-21T10:00:01Z
            gpu=1 xid=48 count=1 first=2026-11-21T10:00:01Z last=2026-11-21T10:00:01Z
            gpu=1 xid=99999999999999999999 count=1 first=2026-11-21T10:00:01Z last=2026-11-21T10:00:01Z
            a line of a newer agent
            """);

        assertThat(ofAnotherProcess().orElseThrow().events()).singleElement().returns(48L, XidEvent::number);
    }

    @Test
    void aFolderThatCannotBeWrittenCostsTheRecordAlone() throws IOException {
        Files.writeString(root.resolve("run"), "a file where a folder should be");
        var log = new XidLog(root);

        log.listening(START);
        log.add(GPU_1, 79, START);

        assertThat(log.history().orElseThrow().events()).hasSize(1);
        assertThat(ofAnotherProcess()).isEmpty();
    }
}
