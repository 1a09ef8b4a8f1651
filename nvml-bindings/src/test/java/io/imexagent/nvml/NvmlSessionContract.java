package io.imexagent.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.nvml.NvmlDevice.FabricAnswer;
import io.imexagent.nvml.NvmlDevice.RecoveryAction;
import io.imexagent.nvml.simulated.SickGpus;
import io.imexagent.nvml.simulated.SimulatedGpu;
import io.imexagent.nvml.simulated.SimulatedTray;
import io.imexagent.nvml.simulated.TrayPreset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every NVML answers about driver and GPUs, and how its sessions live. */
public interface NvmlSessionContract extends NvmlStage {
    @ParameterizedTest
    @EnumSource(
            names = {"VERSION_MISMATCH", "DRIVER_NOT_LOADED"},
            mode = EnumSource.Mode.EXCLUDE)
    default void opensWithTheVersionsOfDriverAndLibrary(TrayPreset preset) throws NvmlException {
        play(preset.tray());

        try (NvmlSession session = nvml().open()) {
            assertThat(session.driverVersion()).isEqualTo(preset.tray().driverVersion());
            assertThat(session.nvmlVersion()).isEqualTo(preset.tray().nvmlVersion());
            assertThat(session.deviceCount()).isEqualTo(preset.tray().gpus().size());
        }
    }

    @Test
    default void readsEveryPropertyOfAHealthyTray() throws NvmlException {
        SimulatedTray tray = TrayPreset.GB200.tray();
        play(tray);

        try (NvmlSession session = nvml().open()) {
            for (int index = 0; index < tray.gpus().size(); index++) {
                SimulatedGpu expected = tray.gpus().get(index);
                NvmlDevice device = session.device(index);
                assertThat(device.name()).isEqualTo("NVIDIA GB200").isEqualTo(expected.name());
                assertThat(device.uuid()).startsWith("GPU-").isEqualTo(expected.uuid());
                assertThat(device.pciAddress()).isEqualTo(expected.pciAddress());
                assertThat(device.recoveryAction()).contains(Numbered.of(RecoveryAction.NONE));
            }
        }
    }

    @Test
    default void tellsThePciAddressAsTheKernelDoes() throws NvmlException {
        play(TrayPreset.GB200.tray());

        List<String> addresses = new ArrayList<>();
        try (NvmlSession session = nvml().open()) {
            for (int index = 0; index < session.deviceCount(); index++) {
                addresses.add(session.device(index).pciAddress());
            }
        }

        assertThat(addresses).containsExactly("0008:06:00.0", "0009:06:00.0", "0018:06:00.0", "0019:06:00.0");
    }

    @Test
    default void aHostWithoutGpusIsNoError() throws NvmlException {
        play(TrayPreset.NO_GPU.tray());

        try (NvmlSession session = nvml().open()) {
            assertThat(session.deviceCount()).isZero();
            NvmlStage.assertFails(() -> session.device(0), NvmlCall.DEVICE_HANDLE, NvmlReturn.INVALID_ARGUMENT);
        }
    }

    @Test
    default void aMismatchOfDriverAndLibraryRefusesTheSession() {
        play(TrayPreset.VERSION_MISMATCH.tray());

        NvmlStage.assertFails(() -> nvml().open(), NvmlCall.INIT, NvmlReturn.LIB_RM_VERSION_MISMATCH);
    }

    @Test
    default void aDriverThatIsNotLoadedRefusesTheSessionUntilItIs() throws NvmlException {
        play(TrayPreset.DRIVER_NOT_LOADED.tray());
        NvmlStage.assertFails(() -> nvml().open(), NvmlCall.INIT, NvmlReturn.DRIVER_NOT_LOADED);

        play(TrayPreset.GB200.tray());

        assertThat(fabrics()).hasSize(4);
    }

    @Test
    default void aLostGpuHarmsNoOther() throws NvmlException {
        play(TrayPreset.GPU_LOST.tray());

        try (NvmlSession session = nvml().open()) {
            assertThat(session.deviceCount()).isEqualTo(4);
            NvmlStage.assertFails(() -> session.device(2), NvmlCall.DEVICE_HANDLE, NvmlReturn.GPU_IS_LOST);
            assertThat(session.device(3).name()).isEqualTo("NVIDIA GB200");
        }
    }

    @Test
    default void aGpuThatGetsLostFailsEveryCallOnIt() throws NvmlException {
        play(TrayPreset.GB200.tray());

        try (NvmlSession session = nvml().open()) {
            NvmlDevice device = session.device(2);
            assertThat(device.name()).isEqualTo("NVIDIA GB200");
            play(TrayPreset.GPU_LOST.tray());

            Map<NvmlCall, ThrowingCallable> calls = new HashMap<>();
            calls.put(NvmlCall.NAME, device::name);
            calls.put(NvmlCall.UUID, device::uuid);
            calls.put(NvmlCall.PCI_INFO, device::pciAddress);
            calls.put(NvmlCall.FABRIC_INFO_V, device::fabric);
            calls.put(NvmlCall.FIELD_VALUES, device::recoveryAction);
            calls.forEach((call, question) -> NvmlStage.assertFails(question, call, NvmlReturn.GPU_IS_LOST));
        }
    }

    @Test
    default void whatADriverLacksIsEmpty() throws NvmlException {
        play(TrayPreset.GB200.tray().withFailure(NvmlCall.FIELD_VALUES, NvmlReturn.NOT_SUPPORTED));

        try (NvmlSession session = nvml().open()) {
            assertThat(session.device(0).recoveryAction()).isEmpty();
        }
    }

    @Test
    default void whatAGpuDoesNotTellIsEmpty() throws NvmlException {
        play(TrayPreset.GB200.tray().withEveryGpu(gpu -> SickGpus.withRecoveryAction(gpu, Optional.empty())));

        try (NvmlSession session = nvml().open()) {
            assertThat(session.device(0).recoveryAction()).isEmpty();
        }
    }

    @Test
    default void aHangingCallBlocksItsThreadAndNoOther() throws Exception {
        play(TrayPreset.HANGING.tray());
        CountDownLatch asking = new CountDownLatch(1);
        CompletableFuture<FabricAnswer> hanging = new CompletableFuture<>();
        Thread worker = Thread.ofPlatform().daemon().start(() -> {
            try (NvmlSession session = nvml().open()) {
                NvmlDevice device = session.device(0);
                asking.countDown();
                hanging.complete(device.fabric());
            } catch (NvmlException exception) {
                hanging.completeExceptionally(exception);
            }
        });
        assertThat(asking.await(30, TimeUnit.SECONDS)).isTrue();

        // Another session goes on, and an interrupt does not bring the call back.
        try (NvmlSession other = nvml().open()) {
            assertThat(other.device(1).name()).isEqualTo("NVIDIA GB200");
        }
        worker.interrupt();
        assertThatThrownBy(() -> hanging.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        assertThat(worker.isAlive()).isTrue();

        play(TrayPreset.GB200.tray());
        assertThat(NvmlStage.reported(hanging.get(30, TimeUnit.SECONDS)).cliqueId())
                .isEqualTo(32766);
        worker.join(30_000);
    }

    @Test
    default void aFailureNamesTheCallTheResultAndTheRemedy() {
        play(TrayPreset.VERSION_MISMATCH.tray());

        assertThatThrownBy(() -> nvml().open())
                .hasMessageContaining("nvmlInitWithFlags")
                .hasMessageContaining("LIB_RM_VERSION_MISMATCH (18)")
                .hasMessageContaining("reload the nvidia modules or reboot");
    }
}
