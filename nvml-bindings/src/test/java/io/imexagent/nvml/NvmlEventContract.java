package io.imexagent.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.nvml.NvmlEventSet.EventType;
import io.imexagent.nvml.NvmlEventSet.NvmlEvent;
import io.imexagent.nvml.simulated.TrayPreset;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How every NVML reports events. */
public interface NvmlEventContract extends NvmlStage {
    @Test
    default void deliversTheXidOfARegisteredGpu() throws NvmlException {
        play(TrayPreset.GB200.tray());

        try (NvmlSession session = nvml().open();
                NvmlEventSet events = session.createEventSet()) {
            events.register(1, Set.of(EventType.XID, EventType.GPU_UNAVAILABLE));
            emit(0, EventType.XID, 13);
            emit(1, EventType.RECOVERY_ACTION, 1);
            emit(1, EventType.XID, 79);
            emit(1, EventType.GPU_UNAVAILABLE, 0);

            assertThat(events.await(Duration.ofSeconds(30)))
                    .contains(new NvmlEvent(OptionalInt.of(1), Numbered.of(EventType.XID), 79));
            assertThat(events.await(Duration.ofSeconds(30)))
                    .contains(new NvmlEvent(OptionalInt.of(1), Numbered.of(EventType.GPU_UNAVAILABLE), 0));
            assertThat(events.await(Duration.ofMillis(20))).isEmpty();
        }
    }

    @Test
    default void deliversAnEventThatComesWhileItWaits() throws Exception {
        play(TrayPreset.GB200.tray());

        CountDownLatch waiting = new CountDownLatch(1);
        CompletableFuture<Optional<NvmlEvent>> event = CompletableFuture.supplyAsync(() -> {
            try (NvmlSession session = nvml().open();
                    NvmlEventSet events = session.createEventSet()) {
                events.register(3, Set.of(EventType.RECOVERY_ACTION));
                waiting.countDown();
                return events.await(Duration.ofSeconds(30));
            } catch (NvmlException exception) {
                throw new IllegalStateException(exception);
            }
        });
        assertThat(waiting.await(30, TimeUnit.SECONDS)).isTrue();
        emit(3, EventType.RECOVERY_ACTION, 5);

        assertThat(event.get(30, TimeUnit.SECONDS))
                .contains(new NvmlEvent(OptionalInt.of(3), Numbered.of(EventType.RECOVERY_ACTION), 5));
    }

    @Test
    default void anEventSetRefusesWhatItsGpuCannotReport() throws NvmlException {
        play(TrayPreset.GB200.tray().withFailure(NvmlCall.REGISTER_EVENTS, NvmlReturn.NOT_SUPPORTED));

        try (NvmlSession session = nvml().open();
                NvmlEventSet events = session.createEventSet()) {
            NvmlStage.assertFails(
                    () -> events.register(0, Set.of(EventType.XID)),
                    NvmlCall.REGISTER_EVENTS,
                    NvmlReturn.NOT_SUPPORTED);
            NvmlStage.assertFails(
                    () -> events.register(9, Set.of(EventType.XID)),
                    NvmlCall.DEVICE_HANDLE,
                    NvmlReturn.INVALID_ARGUMENT);
            assertThatThrownBy(() -> events.await(Duration.ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    default void aLostGpuEndsTheWaitForItsEvents() throws NvmlException {
        play(TrayPreset.GB200.tray());

        try (NvmlSession session = nvml().open();
                NvmlEventSet events = session.createEventSet()) {
            events.register(0, Set.of(EventType.XID));
            play(TrayPreset.GB200.tray().withFailure(NvmlCall.EVENT_SET_WAIT, NvmlReturn.GPU_IS_LOST));

            NvmlStage.assertFails(
                    () -> events.await(Duration.ofSeconds(30)), NvmlCall.EVENT_SET_WAIT, NvmlReturn.GPU_IS_LOST);
        }
    }
}
