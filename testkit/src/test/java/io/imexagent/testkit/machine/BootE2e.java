package io.imexagent.testkit.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.nvml.simulated.TrayPreset;
import org.junit.jupiter.api.Test;

/** Boots of hosts on which nvidia-imex is enabled: it starts where it belongs, and nowhere is systemd degraded. */
class BootE2e {

    @Test
    void onAHostWithoutGpuItIsSkipped() throws Exception {
        try (Machine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA");
            skipped(machine);
        }
    }

    @Test
    void onAB200ItIsSkipped() throws Exception {
        try (Machine machine = Machines.installed()) {
            Tray.in(machine, "NVIDIA").pciDevice("0000:01:00.0", "2901").load(TrayPreset.NO_FABRIC);
            skipped(machine);
        }
    }

    @Test
    void withoutADriverItIsSkippedAndTheAgentTellsWhenItComes() throws Exception {
        try (Machine machine = Machines.installed()) {
            Tray tray = Tray.in(machine, "NVIDIA").gb200();
            ImexDaemon imex = skipped(machine);

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
        try (Machine machine = Machines.installed()) {
            Tray.in(machine, "QEMU").gb200().load(TrayPreset.GB200);
            machine.write("/etc/imex-agent/config.yaml", """
                    imex:
                      service:
                        vendors: Microsoft Corporation
                    """);
            skipped(machine);
        }
    }

    @Test
    void switchedOffTheGateLetsItStartAnywhere() throws Exception {
        try (Machine machine = Machines.installed()) {
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

    private static ImexDaemon skipped(Machine machine) throws Exception {
        ImexDaemon imex = ImexDaemon.in(machine);
        assertThat(machine.boot()).as(machine.console()).isEqualTo("running");
        assertThat(machine.property(ImexDaemon.UNIT, "ActiveState")).isEqualTo("inactive");
        assertThat(machine.property(ImexDaemon.UNIT, "Result")).isEqualTo("exec-condition");
        assertThat(machine.succeed("systemctl", "list-units", "--failed", "--plain", "--no-legend"))
                .isEmpty();
        assertThat(imex.starts()).isZero();
        assertThat(machine.property(HostNode.AGENT, "ActiveState")).isEqualTo("active");
        return imex;
    }
}
