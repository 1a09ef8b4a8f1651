package io.imexagent.e2e.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.nvml.FabricInfo.FabricState;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.nvml.simulated.SimulatedFabric;
import io.imexagent.nvml.simulated.TrayPreset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Boots of hosts on which nvidia-imex is enabled: it starts where it belongs, and nowhere is systemd degraded. */
class BootE2e {
    private static final String LATE_DRIVER = "imex-agent-late-driver.service";

    @Test
    void onAHostWithoutGpuItIsSkipped() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA");
            skipped(machine, "no GPU");
        }
    }

    @Test
    void onAB200ItIsSkipped() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA").pciDevice("0000:01:00.0", "2901").load(TrayPreset.NO_FABRIC);
            skipped(machine, "GPU without IMEX: NVIDIA B200");
        }
    }

    @Test
    void onAnUnlistedGpuWithoutADriverItIsSkippedAtOnce() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA").pciDevice("0000:01:00.0", "2b85");
            skipped(machine, "no driver: 10de:2b85 is not in imex.service.pciDevices");
        }
    }

    /** A rack that no list knows, whose fabric registers its GPUs after the boot. */
    @Test
    void aFabricThatComesLateIsWaitedFor() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            FakeNvmlLibrary driver =
                    Tray.in(machine, "NVIDIA").pciDevice("0008:06:00.0", "3fff").load(TrayPreset.VR200);
            driver.write(driver.tray()
                    .withEveryGpu(
                            gpu -> gpu.withFabric(SimulatedFabric.outside(Numbered.of(FabricState.IN_PROGRESS)))));
            ImexDaemon imex = ImexDaemon.in(machine);
            assertThat(machine.boot()).as(machine.console()).isEqualTo("running");
            // The driver is up, so the tries begin with the first skip, and the unit may be in one of them by now.
            machine.await(
                    "the tries to begin",
                    () -> machine.property(LATE_DRIVER, "ActiveState").equals("active"));
            assertThat(machine.journal(ImexDaemon.UNIT)).contains("fabric not ready: GPU 0");
            assertThat(imex.starts()).isZero();

            driver.write(TrayPreset.VR200);

            machine.await("nvidia-imex to be started", () -> imex.starts() == 1);
            machine.await(
                    "the tries to end",
                    () -> machine.property(LATE_DRIVER, "ActiveState").equals("inactive"));
            assertThat(machine.property(ImexDaemon.UNIT, "ActiveState")).isEqualTo("active");
        }
    }

    @Test
    void aDriverThatComesLateIsWaitedFor() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray tray = Tray.in(machine, "NVIDIA").gb200();
            ImexDaemon imex = skipped(machine, "no driver: GPU 10de:2941");
            machine.await(
                    "the tries to begin",
                    () -> machine.property(LATE_DRIVER, "ActiveState").equals("active"));

            tray.load(TrayPreset.GB200);

            machine.await("nvidia-imex to be started", () -> imex.starts() == 1);
            machine.await(
                    "the tries to end",
                    () -> machine.property(LATE_DRIVER, "ActiveState").equals("inactive"));
            assertThat(machine.property(ImexDaemon.UNIT, "ActiveState")).isEqualTo("active");
            assertThat(machine.property(LATE_DRIVER, "Result")).isEqualTo("success");

            // Whoever stops it now means it.
            machine.succeed("systemctl", "stop", ImexDaemon.UNIT);
            assertThat(machine.run("test", "-e", "/run/imex-agent/driver-late").exitCode())
                    .isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"disable", "mask"})
    void whatAnAdministratorHasDisabledOrMaskedSinceIsNotStarted(String how) throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray tray = Tray.in(machine, "NVIDIA").gb200();
            ImexDaemon imex = skipped(machine, "no driver: GPU 10de:2941");

            machine.succeed("systemctl", how, ImexDaemon.UNIT);
            tray.load(TrayPreset.GB200);

            machine.await(
                    "the tries to end",
                    () -> machine.property(LATE_DRIVER, "ActiveState").equals("inactive"));
            assertThat(imex.starts()).isZero();
        }
    }

    /** Also of a unit that does not run yet: whoever stops it means it. */
    @Test
    void whatAnAdministratorHasStoppedSinceIsNotStarted() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray tray = Tray.in(machine, "NVIDIA").gb200();
            ImexDaemon imex = skipped(machine, "no driver: GPU 10de:2941");
            machine.await(
                    "the tries to begin",
                    () -> machine.property(LATE_DRIVER, "ActiveState").equals("active"));

            machine.succeed("systemctl", "start", ImexDaemon.UNIT);
            assertThat(machine.property(LATE_DRIVER, "ActiveState"))
                    .as("tries after one more start that was skipped")
                    .isEqualTo("active");

            machine.succeed("systemctl", "stop", ImexDaemon.UNIT);
            tray.load(TrayPreset.GB200);

            machine.await(
                    "the tries to end",
                    () -> machine.property(LATE_DRIVER, "ActiveState").equals("inactive"));
            assertThat(machine.run("test", "-e", "/run/imex-agent/driver-late").exitCode())
                    .isEqualTo(1);
            assertThat(imex.starts()).isZero();
        }
    }

    @Test
    void withoutTriesItStaysSkippedAndTheAgentTellsWhenTheDriverComes() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray tray = Tray.in(machine, "NVIDIA").gb200();
            machine.write("/etc/imex-agent/config.yaml", """
                    imex:
                      service:
                        keepTrying: 0s
                    """);
            ImexDaemon imex = skipped(machine, "no driver: GPU 10de:2941");

            tray.load(TrayPreset.GB200);

            machine.await(
                    "the agent to find that nvidia-imex may be started",
                    () -> machine.run("imex-agent", "probe").output().contains("systemctl start nvidia-imex"));
            assertThat(imex.starts())
                    .as("starts of nvidia-imex, which is the operator's")
                    .isZero();
            machine.succeed("systemctl", "start", ImexDaemon.UNIT);
            assertThat(machine.property(ImexDaemon.UNIT, "ActiveState")).isEqualTo("active");
        }
    }

    @Test
    void onAMachineOfAnotherVendorItIsSkippedWhereTheVendorCounts() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "QEMU").gb200().load(TrayPreset.GB200);
            machine.write("/etc/imex-agent/config.yaml", """
                    imex:
                      service:
                        vendors: Microsoft Corporation
                    """);
            skipped(machine, "vendor not in the list");

            // All else would do, and nobody is told to start what the gate would skip again.
            machine.await(
                    "the agent to know the tray",
                    () -> machine.property(HostNode.AGENT, "StatusText").contains("GB200"));
            assertThat(machine.run("imex-agent", "probe").output())
                    .contains("GB200")
                    .doesNotContain("systemctl start nvidia-imex");
        }
    }

    @Test
    void switchedOffTheGateLetsItStartAnywhere() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA");
            ImexDaemon imex = ImexDaemon.in(machine);
            machine.write("/etc/imex-agent/config.yaml", """
                    imex:
                      service:
                        gate: false
                    """);

            assertThat(machine.boot()).as(machine.console()).isEqualTo("running");

            assertThat(machine.property(ImexDaemon.UNIT, "ActiveState")).isEqualTo("active");
            assertThat(imex.starts()).isEqualTo(1);
        }
    }

    @Test
    void aMaskedUnitStaysMaskedAndTheAgentSaysSo() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA").gb200().load(TrayPreset.GB200);
            ImexDaemon imex = ImexDaemon.in(machine);
            imex.says("Query Status returned error code: 14", "DOWN");
            imex.mask();
            try (HostNode node = HostNode.of(machine)) {
                assertThat(machine.boot()).as(machine.console()).isEqualTo("running");

                assertThat(machine.property(ImexDaemon.UNIT, "LoadState")).isEqualTo("masked");
                Commands.Result start = machine.run("systemctl", "start", ImexDaemon.UNIT);
                assertThat(start.exitCode()).as(start.output()).isNotZero();
                assertThat(start.output()).contains("is masked");
                assertThat(machine.property(ImexDaemon.UNIT, "ActiveState")).isEqualTo("inactive");
                assertThat(imex.starts()).isZero();
                assertThat(machine.run("test", "-e", "/run/imex-agent/gate-skipped")
                                .exitCode())
                        .as("the gate was not asked")
                        .isEqualTo(1);

                assertThat(node.awaitStatus("nvidia-imex masked")).contains("registered");
                Commands.Result health = machine.run("imex-agent", "health", "--output", "json");
                assertThat(health.exitCode()).as(health.output()).isEqualTo(1);
                assertThat(health.output()).contains("\"masked\"", "systemctl unmask nvidia-imex");
                assertThat(machine.run("imex-agent", "probe").output())
                        .as("nobody is told to start what is masked")
                        .doesNotContain("imex-skipped-at-boot");
            }
        }
    }

    @Test
    void aMistakeInTheAgentsConfigurationKeepsTheAgentFromStartingAndNothingElse() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA").gb200().load(TrayPreset.GB200);
            ImexDaemon imex = ImexDaemon.in(machine);
            machine.write("/etc/imex-agent/config.yaml", "http:\n  prt: 9500\n");

            assertThat(machine.boot()).as(machine.console()).isEqualTo("degraded");

            assertThat(machine.property(ImexDaemon.UNIT, "ActiveState")).isEqualTo("active");
            assertThat(imex.starts()).isEqualTo(1);
            assertThat(machine.journal(ImexDaemon.UNIT)).contains("that the gate does not go by", "http.prt");
            assertThat(machine.property(HostNode.AGENT, "ActiveState")).isEqualTo("failed");
            assertThat(machine.property(HostNode.AGENT, "ExecMainStatus")).isEqualTo("78");
        }
    }

    @Test
    void aDriversLibraryThatHangsHoldsNoBootUp() throws Exception {
        try (SystemdMachine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA").pciDevice("0000:01:00.0", "2b85").loadWithAHangingLibrary();
            ImexDaemon imex = ImexDaemon.in(machine);

            assertThat(machine.boot()).as(machine.console()).isEqualTo("degraded");

            assertThat(machine.property(ImexDaemon.UNIT, "ActiveState")).isEqualTo("failed");
            assertThat(imex.starts()).isZero();
            assertThat(machine.journal(ImexDaemon.UNIT)).contains("no answer within 10 s");
            machine.await(
                    "systemd to end what is left of the gate",
                    () -> machine.run("pgrep", "-f", "imex-agent.*gate --unit").exitCode() != 0);

            // The agent tries the library in another process first, and leaves it alone.
            assertThat(machine.property(HostNode.AGENT, "ActiveState")).isEqualTo("active");
            assertThat(machine.property(HostNode.AGENT, "StatusText")).startsWith("driver does not answer");
            assertThat(machine.run("imex-agent", "probe").output()).contains("driver-library-hangs");
            machine.succeed("systemctl", "stop", HostNode.AGENT);
            assertThat(machine.property(HostNode.AGENT, "Result")).isEqualTo("success");
        }
    }

    private static ImexDaemon skipped(SystemdMachine machine, String reason) throws Exception {
        ImexDaemon imex = ImexDaemon.in(machine);
        assertThat(machine.boot()).as(machine.console()).isEqualTo("running");
        assertThat(machine.property(ImexDaemon.UNIT, "ActiveState")).isEqualTo("inactive");
        assertThat(machine.property(ImexDaemon.UNIT, "Result")).isEqualTo("exec-condition");
        assertThat(machine.succeed("systemctl", "list-units", "--failed", "--plain", "--no-legend"))
                .isEmpty();
        assertThat(machine.journal(ImexDaemon.UNIT)).contains(reason);
        assertThat(imex.starts()).isZero();
        assertThat(machine.property(HostNode.AGENT, "ActiveState")).isEqualTo("active");
        return imex;
    }
}
