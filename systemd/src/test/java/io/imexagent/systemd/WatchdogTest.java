package io.imexagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class WatchdogTest {

    private static final Duration LIMIT = Duration.ofMillis(4);

    @TempDir
    private Path folder;

    private Receiver sent;
    private ServiceManager manager;

    @BeforeEach
    void listen() {
        String socket = folder.resolve("notify").toString();
        sent = new Receiver(socket);
        manager = ServiceManager.of(Map.of("NOTIFY_SOCKET", socket));
    }

    @AfterEach
    void close() {
        sent.close();
    }

    @Test
    void knowsTheLimitThatIsMeantForThisProcess() {
        assertThat(Watchdog.limit(Map.of("WATCHDOG_USEC", "30000000"), 7)).contains(Duration.ofSeconds(30));
        assertThat(Watchdog.limit(Map.of("WATCHDOG_USEC", "30000000", "WATCHDOG_PID", "7"), 7))
                .contains(Duration.ofSeconds(30));
    }

    @Test
    void ignoresALimitForAnotherProcessOrNone() {
        assertThat(Watchdog.limit(Map.of("WATCHDOG_USEC", "30000000", "WATCHDOG_PID", "8"), 7))
                .isEmpty();
        assertThat(Watchdog.limit(Map.of(), 7)).isEmpty();
        assertThat(Watchdog.limit(Map.of("WATCHDOG_USEC", "0"), 7)).isEmpty();
        assertThat(Watchdog.limit(Map.of("WATCHDOG_USEC", "soon"), 7)).isEmpty();
    }

    @Test
    void feedsWhileThereIsProgressAndStopsWithIt() throws InterruptedException {
        var asked = new Semaphore(0);
        var moving = new AtomicBoolean(true);
        try (var watchdog = Watchdog.start(manager, LIMIT, () -> {
            asked.release();
            return moving.get();
        })) {
            asked.acquire(3);
            moving.set(false);
            // The answer to the question after next was given after the change, and so was the one that follows it.
            asked.drainPermits();
            asked.acquire(2);
            List<String> fed = sent.all();
            asked.acquire(3);

            assertThat(fed).hasSizeGreaterThanOrEqualTo(2).containsOnly("WATCHDOG=1");
            assertThat(sent.all()).isEmpty();
            assertThat(watchdog).isNotNull();
        }
    }

    @Test
    void doesNotFeedWhileTheServiceDoesNotAnswer() throws InterruptedException {
        var asked = new Semaphore(0);
        var answer = new Semaphore(0);
        try (var watchdog = Watchdog.start(manager, LIMIT, () -> {
            asked.release();
            answer.acquireUninterruptibly();
            return true;
        })) {
            asked.acquire();

            assertThat(sent.all()).isEmpty();
            answer.release();
            asked.acquire();
            assertThat(sent.all()).containsExactly("WATCHDOG=1");
            assertThat(watchdog).isNotNull();
        }
        answer.release();
    }
}
