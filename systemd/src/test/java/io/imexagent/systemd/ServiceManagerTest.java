package io.imexagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServiceManagerTest {

    private final RecordedDatagrams sent = new RecordedDatagrams();
    private final ServiceManager manager = ServiceManager.of(Map.of("NOTIFY_SOCKET", "/run/systemd/notify"), sent);

    @Test
    void tellsEveryTurnOfALife() {
        manager.ready("serving");
        manager.tell("1 claim");
        manager.alive();
        manager.extendStart(Duration.ofSeconds(2));
        manager.stopping("ends");

        assertThat(sent.texts())
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

        assertThat(sent.texts())
                .containsExactly("RELOADING=1\nMONOTONIC_USEC=" + RecordedDatagrams.NOW_MICROS
                        + "\nSTATUS=reads the configuration");
    }

    @Test
    void aStatusCannotCarryAnotherAssignment() {
        manager.tell("claim\nREADY=1\r\u0000x");

        assertThat(sent.texts()).containsExactly("STATUS=claim READY=1  x");
    }

    @Test
    void cutsAStatusThatIsTooLongBetweenCharacters() {
        manager.tell("\uD83E\uDDF6".repeat(600));

        assertThat(sent.texts().getFirst()).isEqualTo("STATUS=" + "\uD83E\uDDF6".repeat(512));
    }

    @Test
    void tellsNobodyWithoutAManager() {
        ServiceManager nobody = ServiceManager.of(Map.of(), sent);

        nobody.reloading("a");
        nobody.ready("b");

        assertThat(sent.texts()).isEmpty();
        assertThat(nobody.present()).isFalse();
        assertThat(nobody.fault()).isEmpty();
        assertThat(ServiceManager.of(Map.of("NOTIFY_SOCKET", ""), sent).fault()).isEmpty();
    }

    @Test
    void goesOnWithAnAddressThatCannotBeSentToAndSaysSo() {
        ServiceManager unreachable = ServiceManager.of(Map.of("NOTIFY_SOCKET", "vsock:2:1234"), sent);

        unreachable.ready("a");

        assertThat(sent.texts()).isEmpty();
        assertThat(unreachable.fault())
                .hasValueSatisfying(fault -> assertThat(fault).contains("NOTIFY_SOCKET", "vsock:2:1234"));
    }
}
