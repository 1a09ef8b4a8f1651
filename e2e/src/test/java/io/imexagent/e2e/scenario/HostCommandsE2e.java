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
    void theGateOpensOnATray(World world) throws Exception {
        driver(world);

        world.run(0, "gate");
    }

    @Test
    void theGateClosesOnGpusWithoutAFabric(World world) throws Exception {
        FakeNvmlLibrary driver = driver(world);
        world.host().withoutPciGpus();
        world.host().pciGpu(0, UNLISTED);
        driver.write(TrayPreset.NO_FABRIC);

        world.run(13, "gate");
    }

    private static FakeNvmlLibrary driver(World world) {
        FakeNvmlLibrary driver = FakeNvmlLibrary.compile(world.directory().resolve("driver"));
        world.without("nvml.simulate")
                .with("host.driverRoot", driver.driverRoot().toString());
        return driver;
    }
}
