package io.imexagent.imex.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.fake.Inventories;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class InventoryHealthTest {

    private static final Finding LOST = finding("gpu-lost", Finding.Severity.ERROR);
    private static final Finding HANGS = finding("nvml-hangs", Finding.Severity.ERROR);
    private static final Finding CLOSED = finding("channel-node-closed", Finding.Severity.INFO);
    private static final Finding STALE = finding("channel-node-mismatch", Finding.Severity.WARNING);

    @Test
    void isHealthyWhereNothingIsWrong() {
        assertThat(Health.of(Inventories.gb200())).isEqualTo(Health.WELL);
    }

    @Test
    void isHealthyInSpiteOfWarnings() {
        assertThat(Health.of(Inventories.with(Inventories.gb200(), CLOSED, STALE)))
                .isEqualTo(Health.WELL);
    }

    @Test
    void isUnhealthyWithTheFirstErrorThatWasFound() {
        assertThat(Health.of(Inventories.with(Inventories.gb200(), STALE, LOST, HANGS)))
                .isEqualTo(new Health(Health.Status.UNHEALTHY, "gpu-lost as the test wants"));
    }

    static List<CliqueState> undecided() {
        return List.of(
                new CliqueState.Unknown("NVML has not been read yet"), new CliqueState.Registering("in_progress"));
    }

    @ParameterizedTest
    @MethodSource("undecided")
    void isUnknownWhileNobodyCanTellTheFabric(CliqueState clique) {
        assertThat(Health.of(Inventories.with(Inventories.gb200(), clique)).status())
                .isEqualTo(Health.Status.UNKNOWN);
    }

    @Test
    void isUnhealthyWhenSomethingIsWrongWhileTheFabricIsUnknown() {
        NodeInventory hung =
                Inventories.with(Inventories.with(Inventories.gb200(), new CliqueState.Unknown("NVML hangs")), HANGS);

        assertThat(Health.of(hung).status()).isEqualTo(Health.Status.UNHEALTHY);
    }

    @Test
    void isUnhealthyWithAGpuThatAsksToBeRecovered() {
        assertThat(Health.of(withGpu(new GpuHealth(List.of(), Optional.empty(), Optional.of("reboot")))))
                .isEqualTo(new Health(Health.Status.UNHEALTHY, "GPU 0 (0008:06:00.0, GPU-0): recovery action: reboot"));
    }

    @Test
    void isDegradedWithAGpuThatHasLessThanItCould() {
        var slow = new GpuHealth.FabricBit("degraded_bandwidth", "yes", GpuHealth.Weight.DEGRADED);

        assertThat(Health.of(withGpu(new GpuHealth(List.of(slow), Optional.empty(), Optional.of("none")))))
                .isEqualTo(new Health(Health.Status.DEGRADED, "GPU 0 (0008:06:00.0, GPU-0): degraded bandwidth"));
    }

    private static NodeInventory withGpu(GpuHealth health) {
        Gpu gpu = Inventories.gpu("NVIDIA GB200");
        return Inventories.with(
                Inventories.gb200(),
                List.of(new Gpu(gpu.index(), gpu.name(), gpu.uuid(), gpu.pci(), gpu.fabric(), health)));
    }

    @Test
    void joinsToTheWorseOfTwo() {
        Health well = Health.WELL;
        Health degraded = new Health(Health.Status.DEGRADED, "d");
        Health unknown = new Health(Health.Status.UNKNOWN, "a");
        Health bad = new Health(Health.Status.UNHEALTHY, "b");

        assertThat(well.and(well)).isEqualTo(well);
        assertThat(well.and(unknown)).isEqualTo(unknown).isEqualTo(unknown.and(well));
        assertThat(well.and(degraded)).isEqualTo(degraded).isEqualTo(degraded.and(well));
        assertThat(degraded.and(unknown)).isEqualTo(unknown).isEqualTo(unknown.and(degraded));
        assertThat(unknown.and(bad)).isEqualTo(bad).isEqualTo(bad.and(unknown));
        assertThat(bad.and(new Health(Health.Status.UNHEALTHY, "c"))).isEqualTo(bad);
    }

    private static Finding finding(String code, Finding.Severity severity) {
        return new Finding(code, severity, code + " as the test wants", "none");
    }
}
