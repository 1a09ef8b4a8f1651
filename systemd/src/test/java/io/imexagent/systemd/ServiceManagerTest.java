package io.imexagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceManagerTest {

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
    void tellsEveryTurnOfALife() {
        manager.ready("serving");
        manager.report("1 claim");
        manager.alive();
        manager.extendStart(Duration.ofSeconds(2));
        manager.stopping("ends");

        assertThat(sent.all())
                .containsExactly(
                        "READY=1\nSTATUS=serving",
                        "STATUS=1 claim",
                        "WATCHDOG=1",
                        "EXTEND_TIMEOUT_USEC=2000000",
                        "STOPPING=1\nSTATUS=ends");
    }

    @Test
    void sendsTheTimeOfAReloadInTheSameMessage() {
        manager.reloading("reads the configuration");

        assertThat(sent.all())
                .singleElement()
                .asString()
                .matches("RELOADING=1\nMONOTONIC_USEC=[0-9]+\nSTATUS=reads the configuration");
    }

    @Test
    void aStatusCannotCarryAnotherAssignment() {
        manager.report("claim\nREADY=1\r\u0000x");

        assertThat(sent.all()).containsExactly("STATUS=claim READY=1  x");
    }

    @Test
    void cutsAStatusThatIsTooLongBetweenCharacters() {
        manager.report("\uD83E\uDDF6".repeat(600));

        assertThat(sent.all().getFirst()).isEqualTo("STATUS=" + "\uD83E\uDDF6".repeat(512));
    }

    @Test
    void tellsNobodyWithoutAManager() {
        ServiceManager nobody = ServiceManager.of(Map.of());

        nobody.reloading("a");
        nobody.ready("b");

        assertThat(sent.all()).isEmpty();
        assertThat(nobody.present()).isFalse();
        assertThat(nobody.fault()).isEmpty();
        assertThat(ServiceManager.of(Map.of("NOTIFY_SOCKET", "")).fault()).isEmpty();
    }

    @Test
    void goesOnWithAnAddressThatCannotBeSentToAndSaysSo() {
        ServiceManager unreachable = ServiceManager.of(Map.of("NOTIFY_SOCKET", "vsock:2:1234"));

        unreachable.ready("a");

        assertThat(sent.all()).isEmpty();
        assertThat(unreachable.fault())
                .hasValueSatisfying(fault -> assertThat(fault).contains("NOTIFY_SOCKET", "vsock:2:1234"));
    }
}
