package io.imexagent.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.nvml.NvmlException.CallFailed;
import io.imexagent.nvml.simulated.SimulatedFabric;
import io.imexagent.nvml.simulated.SimulatedGpu;
import io.imexagent.nvml.simulated.SimulatedTray;
import io.imexagent.nvml.simulated.TrayPreset;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every NVML answers, whatever is behind it; a subclass says how to play a tray to it. */
public abstract class NvmlContract {
    /** Makes NVML answer as a tray from now on, for open sessions too. */
    protected abstract void play(SimulatedTray tray);

    /** Lets a GPU report an event. */
    protected abstract void emit(int deviceIndex, EventType type, long data);

    /** Returns the NVML under test. */
    protected abstract Nvml nvml();

    @ParameterizedTest
    @EnumSource(
            names = {"VERSION_MISMATCH", "DRIVER_NOT_LOADED"},
            mode = EnumSource.Mode.EXCLUDE)
    void opensWithTheVersionsOfDriverAndLibrary(TrayPreset preset) throws NvmlException {
        play(preset.tray());

        try (NvmlSession session = nvml().open()) {
            assertThat(session.driverVersion()).isEqualTo(preset.tray().driverVersion());
            assertThat(session.nvmlVersion()).isEqualTo(preset.tray().nvmlVersion());
            assertThat(session.deviceCount()).isEqualTo(preset.tray().gpus().size());
        }
    }

    @Test
    void readsEveryPropertyOfAHealthyTray() throws NvmlException {
        SimulatedTray tray = TrayPreset.GB200.tray();
        play(tray);

        try (NvmlSession session = nvml().open()) {
            for (int index = 0; index < tray.gpus().size(); index++) {
                SimulatedGpu expected = tray.gpus().get(index);
                NvmlDevice device = session.device(index);
                assertThat(device.index()).isEqualTo(index);
                assertThat(device.name()).isEqualTo("NVIDIA GB200").isEqualTo(expected.name());
                assertThat(device.uuid()).startsWith("GPU-").isEqualTo(expected.uuid());
                assertThat(device.pciInfo()).isEqualTo(expected.pci());
                assertThat(device.minorNumber()).isEqualTo(index);
                assertThat(device.architecture()).contains(Architecture.Known.BLACKWELL);
                assertThat(device.platformInfo()).isPresent().isEqualTo(expected.platform());
                assertThat(device.recoveryAction()).contains(RecoveryAction.Known.NONE);
            }
        }
    }

    @Test
    void tellsVendorAndDeviceOfThePciInfoApart() throws NvmlException {
        play(TrayPreset.GB200.tray());

        List<PciInfo> infos = new ArrayList<>();
        try (NvmlSession session = nvml().open()) {
            for (int index = 0; index < session.deviceCount(); index++) {
                infos.add(session.device(index).pciInfo());
            }
        }

        assertThat(infos).allSatisfy(info -> {
            assertThat(info.vendorId()).isEqualTo(0x10de);
            assertThat(info.deviceId()).isEqualTo(0x2941);
        });
        assertThat(infos)
                .extracting(PciInfo::address)
                .containsExactly("0008:06:00.0", "0009:06:00.0", "0018:06:00.0", "0019:06:00.0");
        assertThat(infos.getFirst().busId()).isEqualTo("00000008:06:00.0");
    }

    @Test
    void aHealthyTrayIsInOneClique() throws NvmlException {
        play(TrayPreset.GB200.tray());

        assertThat(fabrics()).hasSize(4).allSatisfy(answer -> {
            FabricInfo info = reported(answer);
            assertThat(info.state()).isEqualTo(FabricState.Known.COMPLETED);
            assertThat(info.status()).isEqualTo(NvmlReturn.Known.SUCCESS);
            assertThat(info.clusterUuid()).hasToString("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153");
            assertThat(info.cliqueId()).isEqualTo(32766);
            assertThat(info.health()).contains(new FabricHealth(0x1AA));
            assertThat(info.healthSummary()).contains(FabricHealthSummary.Known.HEALTHY);
            assertThat(info.answeredBy()).isEqualTo(FabricInfoVersion.V3);
        });
    }

    @Test
    void aHostWithoutGpusIsNoError() throws NvmlException {
        play(TrayPreset.NO_GPU.tray());

        try (NvmlSession session = nvml().open()) {
            assertThat(session.deviceCount()).isZero();
            assertFails(() -> session.device(0), NvmlCall.DEVICE_HANDLE, NvmlReturn.Known.INVALID_ARGUMENT);
        }
    }

    @Test
    void gpusWithoutFabricSaySoInTheirState() throws NvmlException {
        play(TrayPreset.NO_FABRIC.tray());

        assertThat(fabrics()).hasSize(4).allSatisfy(answer -> {
            assertThat(reported(answer).state()).isEqualTo(FabricState.Known.NOT_SUPPORTED);
            assertThat(reported(answer).clusterUuid().isZero()).isTrue();
        });
    }

    @Test
    void gpusThatRefuseTheQuestionHaveNoFabric() throws NvmlException {
        play(TrayPreset.FABRIC_CALL_NOT_SUPPORTED.tray());

        assertThat(fabrics()).hasSize(4).containsOnly(new FabricAnswer.NotSupported());
    }

    @Test
    void aZeroUuidIsReportedAsItIs() throws NvmlException {
        play(TrayPreset.ZERO_UUID.tray());

        assertThat(fabrics()).hasSize(4).allSatisfy(answer -> {
            assertThat(reported(answer).state()).isEqualTo(FabricState.Known.COMPLETED);
            assertThat(reported(answer).clusterUuid()).isEqualTo(ClusterUuid.ZERO);
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"FABRIC_NOT_STARTED", "FABRIC_IN_PROGRESS"})
    void anUnfinishedRegistrationShowsItsState(TrayPreset preset) throws NvmlException {
        play(preset.tray());

        FabricState expected =
                preset == TrayPreset.FABRIC_NOT_STARTED ? FabricState.Known.NOT_STARTED : FabricState.Known.IN_PROGRESS;
        assertThat(fabrics())
                .hasSize(4)
                .allSatisfy(answer -> assertThat(reported(answer).state()).isEqualTo(expected));
    }

    @Test
    void aFailedRegistrationShowsItsStatusAndTheReason() throws NvmlException {
        play(TrayPreset.REGISTRATION_FAILED.tray());

        assertThat(fabrics()).hasSize(4).allSatisfy(answer -> {
            FabricInfo info = reported(answer);
            assertThat(info.state()).isEqualTo(FabricState.Known.COMPLETED);
            assertThat(info.status()).isEqualTo(NvmlReturn.Known.UNKNOWN);
            assertThat(info.health().orElseThrow().incorrectConfiguration())
                    .isEqualTo(FabricHealth.IncorrectConfiguration.Known.CHASSIS_SERIAL);
            assertThat(info.healthSummary()).contains(FabricHealthSummary.Known.UNHEALTHY);
        });
    }

    @Test
    void twoCliquesOnOneHostAreBothReported() throws NvmlException {
        play(TrayPreset.TWO_CLIQUES.tray());

        assertThat(fabrics())
                .extracting(answer -> reported(answer).cliqueId())
                .containsExactly(32766L, 32766L, 32765L, 32765L);
    }

    @Test
    void aCliqueKeepsAll32Bits() throws NvmlException {
        SimulatedFabric highest = SimulatedFabric.healthy(new ClusterUuid(1, -1), 0xffff_ffffL);
        play(TrayPreset.GB200.tray().withEveryGpu(gpu -> gpu.withFabric(highest)));

        assertThat(fabrics()).hasSize(4).allSatisfy(answer -> {
            assertThat(reported(answer).cliqueId()).isEqualTo(4_294_967_295L);
            assertThat(reported(answer).clusterUuid()).hasToString("00000000-0000-0001-ffff-ffffffffffff");
        });
    }

    @Test
    void numbersOfANewerDriverAreKept() throws NvmlException {
        play(TrayPreset.GB200
                .tray()
                .withEveryGpu(gpu -> gpu.withRecoveryAction(new RecoveryAction.Unlisted(77))
                        .withFabric(new SimulatedFabric.Answering(
                                new FabricState.Unlisted(200),
                                new NvmlReturn.Unlisted(31),
                                ClusterUuid.ZERO,
                                0,
                                new FabricHealth(0xffff_ffff),
                                new FabricHealthSummary.Unlisted(255)))));

        try (NvmlSession session = nvml().open()) {
            NvmlDevice device = session.device(0);
            assertThat(device.recoveryAction()).contains(new RecoveryAction.Unlisted(77));
            FabricInfo info = reported(device.fabric());
            assertThat(info.state()).isEqualTo(new FabricState.Unlisted(200));
            assertThat(info.status()).isEqualTo(new NvmlReturn.Unlisted(31));
            assertThat(info.health()).contains(new FabricHealth(-1));
            assertThat(info.healthSummary()).contains(new FabricHealthSummary.Unlisted(255));
        }
    }

    @Test
    void aMismatchOfDriverAndLibraryRefusesTheSession() {
        play(TrayPreset.VERSION_MISMATCH.tray());

        assertFails(() -> nvml().open(), NvmlCall.INIT, NvmlReturn.Known.LIB_RM_VERSION_MISMATCH);
    }

    @Test
    void aDriverThatIsNotLoadedRefusesTheSessionUntilItIs() throws NvmlException {
        play(TrayPreset.DRIVER_NOT_LOADED.tray());
        assertFails(() -> nvml().open(), NvmlCall.INIT, NvmlReturn.Known.DRIVER_NOT_LOADED);

        play(TrayPreset.GB200.tray());

        assertThat(fabrics()).hasSize(4);
    }

    @Test
    void aLostGpuHarmsNoOther() throws NvmlException {
        play(TrayPreset.GPU_LOST.tray());

        try (NvmlSession session = nvml().open()) {
            assertThat(session.deviceCount()).isEqualTo(4);
            assertFails(() -> session.device(2), NvmlCall.DEVICE_HANDLE, NvmlReturn.Known.GPU_IS_LOST);
            assertThat(session.device(3).name()).isEqualTo("NVIDIA GB200");
        }
    }

    @Test
    void aGpuThatGetsLostFailsEveryCallOnIt() throws NvmlException {
        play(TrayPreset.GB200.tray());

        try (NvmlSession session = nvml().open()) {
            NvmlDevice device = session.device(2);
            assertThat(device.name()).isEqualTo("NVIDIA GB200");
            play(TrayPreset.GPU_LOST.tray());

            Map<NvmlCall, ThrowingCallable> calls = new HashMap<>();
            calls.put(NvmlCall.NAME, device::name);
            calls.put(NvmlCall.UUID, device::uuid);
            calls.put(NvmlCall.PCI_INFO, device::pciInfo);
            calls.put(NvmlCall.MINOR_NUMBER, device::minorNumber);
            calls.put(NvmlCall.ARCHITECTURE, device::architecture);
            calls.put(NvmlCall.FABRIC_INFO_V, device::fabric);
            calls.put(NvmlCall.PLATFORM_INFO, device::platformInfo);
            calls.put(NvmlCall.FIELD_VALUES, device::recoveryAction);
            calls.forEach((call, question) -> assertFails(question, call, NvmlReturn.Known.GPU_IS_LOST));
        }
    }

    @Test
    void aDriverThatKnowsVersionTwoTellsNoSummary() throws NvmlException {
        play(TrayPreset.FABRIC_V2_ONLY.tray());

        assertThat(fabrics()).hasSize(4).allSatisfy(answer -> {
            FabricInfo info = reported(answer);
            assertThat(info.answeredBy()).isEqualTo(FabricInfoVersion.V2);
            assertThat(info.cliqueId()).isEqualTo(32766);
            assertThat(info.health()).contains(new FabricHealth(0x1AA));
            assertThat(info.healthSummary()).isEmpty();
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"FABRIC_V1_ONLY", "WITHOUT_FABRIC_V"})
    void anOlderDriverTellsNoHealth(TrayPreset preset) throws NvmlException {
        play(preset.tray());

        assertThat(fabrics()).hasSize(4).allSatisfy(answer -> {
            FabricInfo info = reported(answer);
            assertThat(info.answeredBy()).isEqualTo(FabricInfoVersion.V1);
            assertThat(info.state()).isEqualTo(FabricState.Known.COMPLETED);
            assertThat(info.clusterUuid()).hasToString("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153");
            assertThat(info.cliqueId()).isEqualTo(32766);
            assertThat(info.health()).isEmpty();
            assertThat(info.healthSummary()).isEmpty();
        });
    }

    @Test
    void aDriverFromBeforeTheFabricCannotTell() throws NvmlException {
        play(TrayPreset.WITHOUT_FABRIC_CALLS.tray());
        assertThat(fabrics()).hasSize(4).containsOnly(new FabricAnswer.DriverTooOld());

        play(TrayPreset.GB200.tray().withFabricVersions(Set.of()));
        assertThat(fabrics()).hasSize(4).containsOnly(new FabricAnswer.DriverTooOld());
    }

    @Test
    void whatADriverLacksIsEmpty() throws NvmlException {
        play(TrayPreset.GB200
                .tray()
                .withFailure(NvmlCall.ARCHITECTURE, NvmlReturn.Known.FUNCTION_NOT_FOUND)
                .withFailure(NvmlCall.PLATFORM_INFO, NvmlReturn.Known.FUNCTION_NOT_FOUND)
                .withFailure(NvmlCall.FIELD_VALUES, NvmlReturn.Known.NOT_SUPPORTED));

        try (NvmlSession session = nvml().open()) {
            assertThat(session.device(0).architecture()).isEmpty();
            assertThat(session.device(0).platformInfo()).isEmpty();
            assertThat(session.device(0).recoveryAction()).isEmpty();
        }
    }

    @Test
    void whatAGpuDoesNotTellIsEmpty() throws NvmlException {
        play(TrayPreset.GB200
                .tray()
                .withEveryGpu(gpu -> new SimulatedGpu(
                        gpu.name(),
                        gpu.uuid(),
                        gpu.pci(),
                        gpu.minorNumber(),
                        Optional.empty(),
                        gpu.fabric(),
                        Optional.empty(),
                        Optional.empty(),
                        Map.of())));

        try (NvmlSession session = nvml().open()) {
            assertThat(session.device(0).architecture()).isEmpty();
            assertThat(session.device(0).platformInfo()).isEmpty();
            assertThat(session.device(0).recoveryAction()).isEmpty();
        }
    }

    @Test
    void aCliqueThatAppearsLaterIsSeenByAnOpenSession() throws NvmlException {
        play(TrayPreset.FABRIC_IN_PROGRESS.tray());

        try (NvmlSession session = nvml().open()) {
            NvmlDevice device = session.device(0);
            assertThat(reported(device.fabric()).clusterUuid().isZero()).isTrue();

            play(TrayPreset.GB200.tray());

            assertThat(reported(device.fabric()).cliqueId()).isEqualTo(32766);
        }
    }

    @Test
    void aHangingCallBlocksItsThreadAndNoOther() throws Exception {
        play(TrayPreset.HANGING.tray());
        CountDownLatch asking = new CountDownLatch(1);
        CompletableFuture<FabricAnswer> hanging = new CompletableFuture<>();
        Thread lane = Thread.ofPlatform().daemon().start(() -> {
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
        lane.interrupt();
        assertThatThrownBy(() -> hanging.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        assertThat(lane.isAlive()).isTrue();

        play(TrayPreset.GB200.tray());
        assertThat(reported(hanging.get(30, TimeUnit.SECONDS)).cliqueId()).isEqualTo(32766);
        lane.join(30_000);
    }

    @Test
    void deliversTheXidOfARegisteredGpu() throws NvmlException {
        play(TrayPreset.GB200.tray());

        try (NvmlSession session = nvml().open();
                NvmlEventSet events = session.createEventSet()) {
            events.register(1, Set.of(EventType.Known.XID, EventType.Known.GPU_UNAVAILABLE));
            emit(0, EventType.Known.XID, 13);
            emit(1, EventType.Known.RECOVERY_ACTION, 1);
            emit(1, EventType.Known.XID, 79);
            emit(1, EventType.Known.GPU_UNAVAILABLE, 0);

            assertThat(events.await(Duration.ofSeconds(30)))
                    .contains(new NvmlEvent(OptionalInt.of(1), EventType.Known.XID, 79));
            assertThat(events.await(Duration.ofSeconds(30)))
                    .contains(new NvmlEvent(OptionalInt.of(1), EventType.Known.GPU_UNAVAILABLE, 0));
            assertThat(events.await(Duration.ofMillis(20))).isEmpty();
        }
    }

    @Test
    void deliversAnEventThatComesWhileItWaits() throws Exception {
        play(TrayPreset.GB200.tray());

        CountDownLatch waiting = new CountDownLatch(1);
        CompletableFuture<Optional<NvmlEvent>> event = CompletableFuture.supplyAsync(() -> {
            try (NvmlSession session = nvml().open();
                    NvmlEventSet events = session.createEventSet()) {
                events.register(3, Set.of(EventType.Known.RECOVERY_ACTION));
                waiting.countDown();
                return events.await(Duration.ofSeconds(30));
            } catch (NvmlException exception) {
                throw new IllegalStateException(exception);
            }
        });
        assertThat(waiting.await(30, TimeUnit.SECONDS)).isTrue();
        emit(3, EventType.Known.RECOVERY_ACTION, 5);

        assertThat(event.get(30, TimeUnit.SECONDS))
                .contains(new NvmlEvent(OptionalInt.of(3), EventType.Known.RECOVERY_ACTION, 5));
    }

    @Test
    void anEventSetRefusesWhatItsGpuCannotReport() throws NvmlException {
        play(TrayPreset.GB200.tray().withFailure(NvmlCall.REGISTER_EVENTS, NvmlReturn.Known.NOT_SUPPORTED));

        try (NvmlSession session = nvml().open();
                NvmlEventSet events = session.createEventSet()) {
            assertFails(
                    () -> events.register(0, Set.of(EventType.Known.XID)),
                    NvmlCall.REGISTER_EVENTS,
                    NvmlReturn.Known.NOT_SUPPORTED);
            assertFails(
                    () -> events.register(9, Set.of(EventType.Known.XID)),
                    NvmlCall.DEVICE_HANDLE,
                    NvmlReturn.Known.INVALID_ARGUMENT);
            assertThatThrownBy(() -> events.await(Duration.ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aLostGpuEndsTheWaitForItsEvents() throws NvmlException {
        play(TrayPreset.GB200.tray());

        try (NvmlSession session = nvml().open();
                NvmlEventSet events = session.createEventSet()) {
            events.register(0, Set.of(EventType.Known.XID));
            play(TrayPreset.GB200.tray().withFailure(NvmlCall.EVENT_SET_WAIT, NvmlReturn.Known.GPU_IS_LOST));

            assertFails(
                    () -> events.await(Duration.ofSeconds(30)), NvmlCall.EVENT_SET_WAIT, NvmlReturn.Known.GPU_IS_LOST);
        }
    }

    @Test
    void aClosedSessionAnswersNothing() throws NvmlException {
        play(TrayPreset.GB200.tray());
        NvmlSession session = nvml().open();
        NvmlDevice device = session.device(0);
        NvmlEventSet closedFirst = session.createEventSet();
        NvmlEventSet closedLast = session.createEventSet();
        closedFirst.close();

        assertThatThrownBy(() -> closedFirst.await(Duration.ZERO)).isInstanceOf(IllegalStateException.class);
        session.close();
        session.close();
        closedFirst.close();
        closedLast.close();

        assertThatThrownBy(session::deviceCount).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(device::name).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> closedLast.await(Duration.ZERO)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void sessionsAreIndependent() throws NvmlException {
        play(TrayPreset.GB200.tray());

        try (NvmlSession kept = nvml().open()) {
            NvmlDevice device = kept.device(0);
            nvml().open().close();

            assertThat(device.name()).isEqualTo("NVIDIA GB200");
            assertThat(kept.deviceCount()).isEqualTo(4);
        }
    }

    @Test
    void aFailureNamesTheCallTheResultAndTheRemedy() {
        play(TrayPreset.VERSION_MISMATCH.tray());

        assertThatThrownBy(() -> nvml().open())
                .hasMessageContaining("nvmlInitWithFlags")
                .hasMessageContaining("LIB_RM_VERSION_MISMATCH (18)")
                .hasMessageContaining("reload the nvidia modules or reboot");
    }

    private List<FabricAnswer> fabrics() throws NvmlException {
        List<FabricAnswer> answers = new ArrayList<>();
        try (NvmlSession session = nvml().open()) {
            for (int index = 0; index < session.deviceCount(); index++) {
                answers.add(session.device(index).fabric());
            }
        }
        return answers;
    }

    private static FabricInfo reported(FabricAnswer answer) {
        assertThat(answer).isInstanceOf(FabricAnswer.Reported.class);
        return ((FabricAnswer.Reported) answer).info();
    }

    private static void assertFails(ThrowingCallable question, NvmlCall call, NvmlReturn result) {
        assertThatThrownBy(question).isInstanceOfSatisfying(CallFailed.class, failure -> {
            assertThat(failure.call()).isEqualTo(call);
            assertThat(failure.result()).isEqualTo(result);
        });
    }
}
