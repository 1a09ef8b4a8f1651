package io.imexagent.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.nvml.FabricInfo.FabricState;
import io.imexagent.nvml.NvmlDevice.FabricAnswer;
import io.imexagent.nvml.NvmlDevice.RecoveryAction;
import io.imexagent.nvml.simulated.SickGpus;
import io.imexagent.nvml.simulated.SimulatedFabric;
import io.imexagent.nvml.simulated.SimulatedTray;
import io.imexagent.nvml.simulated.TrayPreset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every NVML answers about the fabric. */
public interface NvmlFabricContract extends NvmlStage {
    @Test
    default void aHealthyTrayIsInOneClique() throws NvmlException {
        play(TrayPreset.GB200.tray());

        assertThat(fabrics()).hasSize(4).allSatisfy(answer -> {
            FabricInfo info = NvmlStage.reported(answer);
            assertThat(info.state()).isEqualTo(Numbered.of(FabricState.COMPLETED));
            assertThat(info.status()).isEqualTo(Numbered.of(NvmlReturn.SUCCESS));
            assertThat(info.clusterUuid()).hasToString("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153");
            assertThat(info.cliqueId()).isEqualTo(32766);
            assertThat(info.health()).contains(new FabricHealth(0x1AA));
            assertThat(info.healthSummary()).contains(Numbered.of(FabricInfo.HealthSummary.HEALTHY));
        });
    }

    @Test
    default void driver615TellsCliquesByTypeAndTheFabricManagersState() throws NvmlException {
        play(TrayPreset.DRIVER_615.tray());

        assertThat(fabrics()).hasSize(4).allSatisfy(answer -> {
            FabricInfo info = NvmlStage.reported(answer);
            assertThat(info.cliqueId()).isEqualTo(32766);
            assertThat(info.health().orElseThrow().flag(FabricHealth.Statement.FABRIC_MANAGER_CONNECTED))
                    .isEqualTo(FabricHealth.HealthFlag.YES);
            assertThat(info.cliques())
                    .extracting(clique -> clique.type().word("type") + " " + clique.id())
                    .containsExactly(
                            "unicast_pointer 32766",
                            "multicast_pointer 7",
                            "unicast_logical_endpoint 8",
                            "unicast_logical_endpoint 4294967295",
                            "type_9 10");
        });
    }

    @Test
    default void typedCliquesThatCannotBeReadCostNothingElse() throws NvmlException {
        for (SimulatedTray tray : List.of(
                TrayPreset.DRIVER_615.tray().withFailure(NvmlCall.FABRIC_INFO_V4, NvmlReturn.UNKNOWN),
                TrayPreset.DRIVER_615.tray().withFabricVersion(3))) {
            play(tray);

            assertThat(fabrics()).hasSize(4).allSatisfy(answer -> {
                assertThat(NvmlStage.reported(answer).cliqueId()).isEqualTo(32766);
                assertThat(NvmlStage.reported(answer).cliques()).isEmpty();
            });
        }
    }

    @Test
    default void gpusWithoutFabricSaySoInTheirState() throws NvmlException {
        play(TrayPreset.NO_FABRIC.tray());

        assertThat(fabrics()).hasSize(4).allSatisfy(answer -> {
            assertThat(NvmlStage.reported(answer).state()).isEqualTo(Numbered.of(FabricState.NOT_SUPPORTED));
            assertThat(NvmlStage.reported(answer).clusterUuid()).isEqualTo(new UUID(0, 0));
        });
    }

    @Test
    default void gpusThatRefuseTheQuestionHaveNoFabric() throws NvmlException {
        play(TrayPreset.FABRIC_CALL_NOT_SUPPORTED.tray());

        assertThat(fabrics()).hasSize(4).containsOnly(new FabricAnswer.NotSupported());
    }

    @Test
    default void aZeroUuidIsReportedAsItIs() throws NvmlException {
        play(TrayPreset.ZERO_UUID.tray());

        assertThat(fabrics()).hasSize(4).allSatisfy(answer -> {
            assertThat(NvmlStage.reported(answer).state()).isEqualTo(Numbered.of(FabricState.COMPLETED));
            assertThat(NvmlStage.reported(answer).clusterUuid()).isEqualTo(new UUID(0, 0));
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"FABRIC_NOT_STARTED", "FABRIC_IN_PROGRESS"})
    default void anUnfinishedRegistrationShowsItsState(TrayPreset preset) throws NvmlException {
        play(preset.tray());

        FabricState expected =
                preset == TrayPreset.FABRIC_NOT_STARTED ? FabricState.NOT_STARTED : FabricState.IN_PROGRESS;
        assertThat(fabrics())
                .hasSize(4)
                .allSatisfy(
                        answer -> assertThat(NvmlStage.reported(answer).state()).isEqualTo(Numbered.of(expected)));
    }

    @Test
    default void aFailedRegistrationShowsItsStatusAndTheReason() throws NvmlException {
        play(TrayPreset.REGISTRATION_FAILED.tray());

        assertThat(fabrics()).hasSize(4).allSatisfy(answer -> {
            FabricInfo info = NvmlStage.reported(answer);
            assertThat(info.state()).isEqualTo(Numbered.of(FabricState.COMPLETED));
            assertThat(info.status()).isEqualTo(Numbered.of(NvmlReturn.UNKNOWN));
            assertThat(info.health().orElseThrow().incorrectConfiguration())
                    .isEqualTo(Numbered.of(FabricHealth.IncorrectConfiguration.CHASSIS_SERIAL));
            assertThat(info.healthSummary()).contains(Numbered.of(FabricInfo.HealthSummary.UNHEALTHY));
        });
    }

    @Test
    default void oneGpuMayDifferFromTheOthers() throws NvmlException {
        play(TrayPreset.GPU_OUTSIDE_FABRIC.tray());
        assertThat(fabrics())
                .extracting(answer -> NvmlStage.reported(answer).state().number())
                .containsExactly(3L, 3L, 0L, 3L);

        play(TrayPreset.GPU_WITHOUT_CLIQUE.tray());
        assertThat(fabrics())
                .extracting(answer -> NvmlStage.reported(answer).clusterUuid().equals(new UUID(0, 0)))
                .containsExactly(false, false, true, false);

        play(TrayPreset.FABRIC_UNHEALTHY.tray());
        assertThat(fabrics())
                .extracting(answer ->
                        NvmlStage.reported(answer).healthSummary().orElseThrow().number())
                .containsExactly(1L, 1L, 2L, 1L);
    }

    @Test
    default void aResultIsToldInTheVendorsWordsOrElseAsANumber() throws NvmlException {
        play(TrayPreset.GB200.tray());

        try (NvmlSession session = nvml().open()) {
            assertThat(session.words(Numbered.of(23, NvmlReturn.values()))).isEqualTo("Insufficient Resources (23)");
            // The fake library has no words for it.
            assertThat(session.words(Numbered.of(27, NvmlReturn.values()))).isEqualTo("Not Ready (27)");
            assertThat(session.words(Numbered.of(999, NvmlReturn.values()))).isEqualTo("Unknown Error (999)");
            assertThat(session.words(Numbered.of(77, NvmlReturn.values()))).isEqualTo("nvmlReturn_t 77");
            assertThat(session.words(Numbered.of(-5, NvmlReturn.values()))).isEqualTo("nvmlReturn_t -5");
        }
    }

    @Test
    default void twoCliquesOnOneHostAreBothReported() throws NvmlException {
        play(TrayPreset.TWO_CLIQUES.tray());

        assertThat(fabrics())
                .extracting(answer -> NvmlStage.reported(answer).cliqueId())
                .containsExactly(32766L, 32766L, 32765L, 32765L);
    }

    @Test
    default void aCliqueKeepsAll32Bits() throws NvmlException {
        FabricAnswer highest = SimulatedFabric.healthy(new UUID(1, -1), 0xffff_ffffL);
        play(TrayPreset.GB200.tray().withEveryGpu(gpu -> gpu.withFabric(highest)));

        assertThat(fabrics()).hasSize(4).allSatisfy(answer -> {
            assertThat(NvmlStage.reported(answer).cliqueId()).isEqualTo(4_294_967_295L);
            assertThat(NvmlStage.reported(answer).clusterUuid()).hasToString("00000000-0000-0001-ffff-ffffffffffff");
        });
    }

    @Test
    default void numbersOfANewerDriverAreKept() throws NvmlException {
        FabricInfo newer = new FabricInfo(
                Numbered.of(200, FabricState.values()),
                Numbered.of(31, NvmlReturn.values()),
                new UUID(0, 0),
                0,
                Optional.of(new FabricHealth(0xffff_ffff)),
                Optional.of(Numbered.of(255, FabricInfo.HealthSummary.values())),
                List.of());
        play(TrayPreset.GB200
                .tray()
                .withEveryGpu(gpu -> SickGpus.withRecoveryAction(
                                gpu, Optional.of(Numbered.of(77, RecoveryAction.values())))
                        .withFabric(new FabricAnswer.Reported(newer))));

        try (NvmlSession session = nvml().open()) {
            NvmlDevice device = session.device(0);
            assertThat(device.recoveryAction()).contains(Numbered.of(77, RecoveryAction.values()));
            assertThat(NvmlStage.reported(device.fabric())).isEqualTo(newer);
        }
    }

    @Test
    default void aDriverThatKnowsVersionTwoTellsNoSummary() throws NvmlException {
        play(TrayPreset.FABRIC_V2_ONLY.tray());

        assertThat(fabrics()).hasSize(4).allSatisfy(answer -> {
            FabricInfo info = NvmlStage.reported(answer);
            assertThat(info.cliqueId()).isEqualTo(32766);
            assertThat(info.health()).contains(new FabricHealth(0x1AA));
            assertThat(info.healthSummary()).isEmpty();
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"FABRIC_V1_ONLY", "WITHOUT_FABRIC_V"})
    default void anOlderDriverTellsNoHealth(TrayPreset preset) throws NvmlException {
        play(preset.tray());

        assertThat(fabrics()).hasSize(4).allSatisfy(answer -> {
            FabricInfo info = NvmlStage.reported(answer);
            assertThat(info.state()).isEqualTo(Numbered.of(FabricState.COMPLETED));
            assertThat(info.clusterUuid()).hasToString("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153");
            assertThat(info.cliqueId()).isEqualTo(32766);
            assertThat(info.health()).isEmpty();
            assertThat(info.healthSummary()).isEmpty();
        });
    }

    @Test
    default void aDriverFromBeforeTheFabricCannotTell() throws NvmlException {
        play(TrayPreset.WITHOUT_FABRIC_CALLS.tray());
        assertThat(fabrics()).hasSize(4).containsOnly(new FabricAnswer.DriverTooOld());

        play(TrayPreset.GB200.tray().withFabricVersion(0));
        assertThat(fabrics()).hasSize(4).containsOnly(new FabricAnswer.DriverTooOld());
    }

    @Test
    default void aCliqueThatAppearsLaterIsSeenByAnOpenSession() throws NvmlException {
        play(TrayPreset.FABRIC_IN_PROGRESS.tray());

        try (NvmlSession session = nvml().open()) {
            NvmlDevice device = session.device(0);
            assertThat(NvmlStage.reported(device.fabric()).clusterUuid()).isEqualTo(new UUID(0, 0));

            play(TrayPreset.GB200.tray());

            assertThat(NvmlStage.reported(device.fabric()).cliqueId()).isEqualTo(32766);
        }
    }
}
