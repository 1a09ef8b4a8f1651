package io.imexagent.systemd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Over sockets of the test's own. */
class SentDatagramsTest {

    private static final byte[] ALIVE = "WATCHDOG=1".getBytes(UTF_8);

    @Test
    void reachesASocketByItsPath(@TempDir Path directory) {
        String path = directory.resolve("notify").toString();
        try (var receiver = new Receiver(path)) {
            ServiceManager.of(Map.of("NOTIFY_SOCKET", path)).ready("GB200, clique …");

            assertThat(receiver.receive()).contains("READY=1\nSTATUS=GB200, clique …");
        }
    }

    @Test
    void reachesASocketByItsAbstractName() {
        String name = "@imex-agent-test-" + ProcessHandle.current().pid();
        try (var receiver = new Receiver(name)) {
            assertThat(NotifySocket.parse(name).send(ALIVE)).isZero();

            assertThat(receiver.receive()).contains("WATCHDOG=1");
        }
    }

    @Test
    void isNotTakenWhereNobodyListens(@TempDir Path directory) {
        assertThat(NotifySocket.parse(directory.resolve("none").toString()).send(ALIVE))
                .isNotZero();
    }

    @Test
    void doesNotWaitForAReceiverWhoseQueueIsFull(@TempDir Path directory) {
        NotifySocket address = NotifySocket.parse(directory.resolve("notify").toString());
        try (var receiver = new Receiver(address.text())) {
            int taken = 0;
            while (taken < 100_000 && address.send(ALIVE) == 0) {
                taken++;
            }

            assertThat(taken).isBetween(1, 99_999);
            assertThat(receiver.receive()).contains("WATCHDOG=1");
        }
    }

    @Test
    void readsTheMonotonicClock() {
        // HotSpot's System.nanoTime is CLOCK_MONOTONIC too.
        long before = System.nanoTime() / 1000;
        long micros = NotifySocket.monotonicMicros();

        assertThat(micros).isBetween(before, System.nanoTime() / 1000);
    }
}
