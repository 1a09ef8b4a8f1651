package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.nvml.simulated.TrayPreset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What an operator and systemd ask of a host, over the compiled fake of NVML: its GPUs, and whether nvidia-imex may start. */
@ExtendWith(Worlds.class)
class HostCommandsE2e {

    private static final String UNLISTED = "2b85";

    @Test
    void theProbeReadsTheDriversLibrary(World world) throws Exception {
        driver(world);

        assertThat(world.run(0, "probe", "-o", "json")).contains("\"GPU-", "\"fabricSummary\" : \"healthy\"");
    }

    @Test
    void theGateOpensOnATrayAndClosesOnGpusWithoutAFabric(World world) throws Exception {
        FakeNvmlLibrary driver = driver(world);
        gate(world, 0);

        world.host().withoutPciGpus();
        world.host().pciGpu(0, UNLISTED);
        driver.write(TrayPreset.NO_FABRIC);
        gate(world, 13);
    }

    /** An emulated machine that is busy may need longer than the gate has. It cannot tell then, and is asked again. */
    private static void gate(World world, int exitCode) throws Exception {
        for (int left = 4; ; left--) {
            try {
                world.run(exitCode, "gate");
                return;
            } catch (AssertionError other) {
                if (left == 0 || !String.valueOf(other.getMessage()).contains("did not answer within")) {
                    throw other;
                }
            }
        }
    }

    private static FakeNvmlLibrary driver(World world) {
        FakeNvmlLibrary driver = FakeNvmlLibrary.compile(world.directory().resolve("driver"));
        world.without("nvml.simulate")
                .with("host.driverRoot", driver.driverRoot().toString());
        return driver;
    }
}
