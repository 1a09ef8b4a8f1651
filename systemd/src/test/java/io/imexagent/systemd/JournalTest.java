package io.imexagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {

    @TempDir
    private Path folder;

    @Test
    void aLineIsOneMessageWhateverIsInIt() {
        String socket = folder.resolve("socket").toString();
        try (var journal = new Receiver(socket)) {
            assertThat(new Journal(socket).notice("imex-agent", "claim=a\nPRIORITY=0"))
                    .isTrue();

            assertThat(journal.all())
                    .containsExactly("PRIORITY=5\nSYSLOG_IDENTIFIER=imex-agent\nMESSAGE=claim=a PRIORITY=0\n");
        }
    }

    @Test
    void aHostWithoutAJournalTakesNothing() {
        assertThat(Journal.SOCKET).isEqualTo("/run/systemd/journal/socket");
        assertThat(new Journal(folder.resolve("none").toString()).notice("imex-agent", "a"))
                .isFalse();
    }

    /** The length is of 64 bits in little endian, and the value as it is: https://systemd.io/JOURNAL_NATIVE_PROTOCOL/. */
    @Test
    void aValueOfSeveralLinesGoesWithItsLength() {
        String socket = folder.resolve("socket").toString();
        try (var journal = new Receiver(socket)) {
            assertThat(new Journal(socket).send(ordered("MESSAGE", "a\nPRIORITY=0", "IMEX_NODE", "n-ä")))
                    .isEqualTo(new Journal.SendResult.EntrySent());

            assertThat(journal.all()).containsExactly("MESSAGE\n\u000c\0\0\0\0\0\0\0a\nPRIORITY=0\nIMEX_NODE=n-ä\n");
        }
    }

    @Test
    void aNameThatNoFieldCanHaveIsADefect() {
        var journal = new Journal(folder.resolve("socket").toString());

        for (String name : new String[] {"", "_PID", "a", "A=B", "A\nB", "1A", "A".repeat(65)}) {
            assertThatIllegalArgumentException().isThrownBy(() -> journal.send(Map.of(name, "value")));
        }
    }

    @Test
    void neitherWaitsForAJournalThatHangsNorLosesThatItDoes() {
        String socket = folder.resolve("socket").toString();
        try (var journal = new Receiver(socket)) {
            var sender = new Journal(socket);
            int taken = 0;
            while (taken < 100_000 && sender.send(Map.of("MESSAGE", "a")) instanceof Journal.SendResult.EntrySent) {
                taken++;
            }

            assertThat(taken).isBetween(1, 99_999);
            assertThat(sender.send(Map.of("MESSAGE", "b"))).isEqualTo(new Journal.SendResult.JournalBusy());
            assertThat(journal.all()).hasSize(taken);
            assertThat(sender.send(Map.of("MESSAGE", "c"))).isEqualTo(new Journal.SendResult.EntrySent());
        }
    }

    @Test
    void saysWhyAJournalCannotBeReached() throws IOException {
        Path none = folder.resolve("none");
        Path left = folder.resolve("left");
        new Receiver(left.toString()).close();

        assertThat(new Journal(none.toString()).send(Map.of("MESSAGE", "a")))
                .isEqualTo(new Journal.SendResult.EntryRefused(none + ": No such file or directory"));
        assertThat(new Journal(left.toString()).send(Map.of("MESSAGE", "a")))
                .isEqualTo(new Journal.SendResult.EntryRefused(left + ": Connection refused"));
        assertThat(Files.exists(left)).isTrue();
    }

    @Test
    void anEntryThatFitsIntoNoDatagramIsRefused() {
        String socket = folder.resolve("socket").toString();
        try (var journal = new Receiver(socket)) {
            assertThat(new Journal(socket).send(Map.of("MESSAGE", "a".repeat(8_000_000))))
                    .isEqualTo(new Journal.SendResult.EntryRefused(socket + ": Message too long"));
            assertThat(journal.all()).isEmpty();
        }
    }

    private static Map<String, String> ordered(String first, String value, String second, String other) {
        var fields = new LinkedHashMap<String, String>();
        fields.put(first, value);
        fields.put(second, other);
        return fields;
    }
}
