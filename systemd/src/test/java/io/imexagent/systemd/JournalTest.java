package io.imexagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
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
}
