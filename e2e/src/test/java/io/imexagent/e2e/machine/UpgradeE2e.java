package io.imexagent.e2e.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.nvml.simulated.TrayPreset;
import io.imexagent.testing.workload.Workload;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An upgrade on a node where a claim is prepared. */
class UpgradeE2e {

    @Test
    void restartsTheAgentAndLeavesTheClaimAlone() throws Exception {
        try (SystemdMachine machine = Machines.bare()) {
            Packages packages = Packages.find().into(machine);
            machine.offline(
                    "rpm",
                    "--force-debian",
                    "--install",
                    packages.base().toString(),
                    packages.previous().toString());
            Tray.in(machine, "NVIDIA").gb200().load(TrayPreset.GB200);
            try (HostNode node = HostNode.of(machine)) {
                machine.boot();
                Workload workload = node.schedule(1);
                List<String> devices = node.prepare(workload);
                String before = node.processId();
                int registrations = node.registrations();
                String spec = machine.succeed("sh", "-c", "stat --format '%i %Y %n' /run/cdi/*");

                machine.succeed(
                        "rpm", "--force-debian", "--upgrade", packages.agent().toString());

                node.awaitRegistrationAfter(registrations);
                assertThat(node.processId()).isNotEqualTo(before);
                assertThat(machine.property(HostNode.AGENT, "ActiveState")).isEqualTo("active");
                assertThat(machine.succeed("sh", "-c", "stat --format '%i %Y %n' /run/cdi/*"))
                        .as("the claim's CDI file, untouched")
                        .isEqualTo(spec);
                assertThat(node.prepare(workload)).isEqualTo(devices);
                node.unprepare(workload);
                assertThat(machine.shell("ls /run/cdi").output()).isEmpty();
            }
        }
    }
}
