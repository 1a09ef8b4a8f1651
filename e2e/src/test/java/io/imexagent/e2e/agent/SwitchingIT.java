package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.AgentProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Another mode, while claims of this one are prepared. */
@ExtendWith(Worlds.class)
class SwitchingIT {

    @Test
    void anAgentThatStopsToServeIsRefusedWhileItsClaimsArePrepared(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        AgentProcess serving = world.startServing();
        world.awaitPrepared(serving, workload);
        assertThat(serving.terminate()).isZero();
        world.with("featureGates.HostManagedIMEX", "false");

        AgentProcess refused = world.start(world.launch());
        assertThat(refused.awaitExit()).isEqualTo(1);
        assertThat(String.join("\n", refused.log()))
                .contains("HostManagedIMEX is off now", workload.claim().uid(), "Way out:", "run --force");

        AgentProcess forced = world.start(world.launch().arguments("--force"));
        forced.awaitLine("claims are left behind by --force");
        forced.awaitLine("observing only");
        assertThat(forced.terminate()).isZero();

        AgentProcess back = world.with("featureGates.HostManagedIMEX", "true").startRegistered(world.launch());
        world.awaitUnprepared(back, workload);
        assertThat(back.terminate()).isZero();
        AgentProcess observing =
                world.with("featureGates.HostManagedIMEX", "false").start(world.launch());
        observing.awaitLine("observing only");
    }

    @Test
    void aRebootVoidsTheClaimsAndWithThemTheObjection(World world) throws Exception {
        AgentProcess serving = world.startServing();
        world.awaitPrepared(serving, world.schedule(1));
        assertThat(serving.terminate()).isZero();

        world.host().reboot();
        AgentProcess observing =
                world.with("featureGates.HostManagedIMEX", "false").start(world.launch());

        observing.awaitLine("observing only");
    }
}
