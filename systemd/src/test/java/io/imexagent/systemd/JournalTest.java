package io.imexagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JournalTest {

    private final RecordedDatagrams datagrams = new RecordedDatagrams();

    @Test
    void aLineIsOneMessageWhateverIsInIt() {
        assertThat(new Journal(datagrams).notice("imex-agent", "claim=a\nPRIORITY=0"))
                .isTrue();

        assertThat(datagrams.texts())
                .containsExactly("PRIORITY=5\nSYSLOG_IDENTIFIER=imex-agent\nMESSAGE=claim=a PRIORITY=0\n");
    }

    @Test
    void aHostWithoutAJournalTakesNothing() {
        var none = new Datagrams() {
            @Override
            public boolean send(NotifySocket to, String text) {
                assertThat(to.text()).isEqualTo("/run/systemd/journal/socket");
                return false;
            }

            @Override
            public long monotonicMicros() {
                return 0;
            }
        };

        assertThat(new Journal(none).notice("imex-agent", "a")).isFalse();
    }
}
