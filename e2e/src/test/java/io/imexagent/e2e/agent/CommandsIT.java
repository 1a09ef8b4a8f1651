package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.kubelet.ClaimResult;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The commands that stand beside the daemon, in processes of their own. */
@ExtendWith(Worlds.class)
class CommandsIT {

    @Test
    void claimsAreListedWithoutDisturbingTheDaemon(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        world.startServing();
        assertThat(world.prepare(workload)).isInstanceOf(ClaimResult.ClaimDone.class);

        assertThat(world.run(0, "claims", "list"))
                .contains(workload.claim().uid(), workload.claim().name());
        assertThat(world.run(0, "claims", "show", workload.claim().uid())).contains(workload.cdiDevice());

        assertThat(world.unprepare(workload)).isInstanceOf(ClaimResult.ClaimDone.class);
    }

    @Test
    void claimsAreListedFromTheBackupOfABrokenCheckpoint(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        AgentProcess agent = world.startServing();
        assertThat(world.prepare(workload)).isInstanceOf(ClaimResult.ClaimDone.class);
        agent.kill();
        Files.writeString(world.host().checkpoint(), "torn");
        Path backup = world.host().checkpoint().resolveSibling("checkpoint.json.bak");

        assertThat(world.run(0, "claims", "list"))
                .contains(
                        world.host().checkpoint() + " is no whole checkpoint",
                        "its backup " + backup + " is read",
                        workload.claim().uid());
        assertThat(world.host().checkpoint()).hasContent("torn");

        Files.delete(backup);
        assertThat(world.run(1, "claims", "list"))
                .contains(backup + " is missing")
                .doesNotContain("\tat ");
    }

    @Test
    void theHostIsToldWithoutADaemon(World world) throws Exception {
        String probe = world.run(3, "probe", "-o", "json");

        assertThat(probe.lines().findFirst())
                .hasValueSatisfying(line ->
                        assertThat(line).contains(" WARN ", "NVML is simulated").endsWith("tray=gb200"));
        assertThat(new ObjectMapper()
                        .readTree(probe.substring(probe.indexOf('{')))
                        .toString())
                .contains("NVIDIA GB200");
        assertThat(world.host().pluginDirectory()).doesNotExist();
    }

    @Test
    void aMissingPreconditionFailsTheCheckWithItsRemedy(World world) throws Exception {
        world.host().withoutChannelMajor();

        assertThat(world.run(1, "check")).contains("nvidia-caps-imex-channels", "NVreg_ImexChannelCount");
        assertThat(world.host().pluginDirectory()).doesNotExist();
    }

    @Test
    void theCheckIsContentBesideTheAgentThatServes(World world) throws Exception {
        world.startServing();

        // The warning is of the CDI directory, see below.
        assertThat(world.run(3, "check"))
                .contains("no other plugin of compute-domain.nvidia.com runs on this node", ", 0 critical");
    }

    @Test
    void theRulesThatServingNeedsAreChecked(World world) throws Exception {
        // A warning is left: the CDI directory of a test is none that runtimes read.
        assertThat(world.run(3, "check"))
                .contains("all 10 rules that serving uses are granted", "containers get one of their own")
                .contains(", 0 critical");

        world.api().revoke("system:nodes", ResourceType.COMPUTE_DOMAINS);

        assertThat(world.run(1, "check")).contains("this identity may not list computedomains.resource.nvidia.com");
    }
}
