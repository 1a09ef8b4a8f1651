package io.imexagent.imex.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Severity;
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

    private static final Finding LOST = finding("gpu-lost", Severity.CRITICAL);
    private static final Finding HANGS = finding("nvml-hangs", Severity.CRITICAL);
    private static final Finding CLOSED = finding("channel-node-closed", Severity.INFO);
    private static final Finding STALE = finding("channel-node-mismatch", Severity.WARNING);

    @Test
    void isHealthyWhereNothingIsWrong() {
        assertThat(ChannelStatus.of(Inventories.gb200())).isEqualTo(ChannelStatus.WELL);
    }

    @Test
    void isHealthyInSpiteOfWarnings() {
        assertThat(ChannelStatus.of(Inventories.with(Inventories.gb200(), CLOSED, STALE)))
                .isEqualTo(ChannelStatus.WELL);
    }

    @Test
    void isUnhealthyWithTheFirstErrorThatWasFound() {
        assertThat(ChannelStatus.of(Inventories.with(Inventories.gb200(), STALE, LOST, HANGS)))
                .isEqualTo(new ChannelStatus(ChannelStatus.ChannelCondition.UNHEALTHY, "gpu-lost as the test wants"));
    }

    static List<CliqueState> undecided() {
        return List.of(
                new CliqueState.UnknownClique("NVML has not been read yet"),
                new CliqueState.RegisteringClique("in_progress"));
    }

    @ParameterizedTest
    @MethodSource("undecided")
    void isUnknownWhileNobodyCanTellTheFabric(CliqueState clique) {
        assertThat(ChannelStatus.of(Inventories.with(Inventories.gb200(), clique))
                        .status())
                .isEqualTo(ChannelStatus.ChannelCondition.UNKNOWN);
    }

    @Test
    void isUnhealthyWhenSomethingIsWrongWhileTheFabricIsUnknown() {
        NodeInventory hung = Inventories.with(
                Inventories.with(Inventories.gb200(), new CliqueState.UnknownClique("NVML hangs")), HANGS);

        assertThat(ChannelStatus.of(hung).status()).isEqualTo(ChannelStatus.ChannelCondition.UNHEALTHY);
    }

    @Test
    void isUnhealthyWithAGpuThatAsksToBeRecovered() {
        assertThat(ChannelStatus.of(withGpu(new GpuHealth(List.of(), Optional.empty(), Optional.of("reboot")))))
                .isEqualTo(new ChannelStatus(
                        ChannelStatus.ChannelCondition.UNHEALTHY,
                        "GPU 0 (0008:06:00.0, GPU-0): recovery action: reboot"));
    }

    @Test
    void isDegradedWithAGpuThatHasLessThanItCould() {
        var slow = new GpuHealth.FabricBit("degraded_bandwidth", "yes", GpuHealth.Weight.DEGRADED);

        assertThat(ChannelStatus.of(withGpu(new GpuHealth(List.of(slow), Optional.empty(), Optional.of("none")))))
                .isEqualTo(new ChannelStatus(
                        ChannelStatus.ChannelCondition.DEGRADED, "GPU 0 (0008:06:00.0, GPU-0): degraded bandwidth"));
    }

    private static NodeInventory withGpu(GpuHealth health) {
        Gpu gpu = Inventories.gpu("NVIDIA GB200");
        return Inventories.with(
                Inventories.gb200(),
                List.of(new Gpu(gpu.index(), gpu.name(), gpu.uuid(), gpu.pci(), gpu.fabric(), health)));
    }

    @Test
    void joinsToTheWorseOfTwo() {
        ChannelStatus well = ChannelStatus.WELL;
        ChannelStatus degraded = new ChannelStatus(ChannelStatus.ChannelCondition.DEGRADED, "d");
        ChannelStatus unknown = new ChannelStatus(ChannelStatus.ChannelCondition.UNKNOWN, "a");
        ChannelStatus bad = new ChannelStatus(ChannelStatus.ChannelCondition.UNHEALTHY, "b");

        assertThat(well.and(well)).isEqualTo(well);
        assertThat(well.and(unknown)).isEqualTo(unknown).isEqualTo(unknown.and(well));
        assertThat(well.and(degraded)).isEqualTo(degraded).isEqualTo(degraded.and(well));
        assertThat(degraded.and(unknown)).isEqualTo(unknown).isEqualTo(unknown.and(degraded));
        assertThat(unknown.and(bad)).isEqualTo(bad).isEqualTo(bad.and(unknown));
        assertThat(bad.and(new ChannelStatus(ChannelStatus.ChannelCondition.UNHEALTHY, "c")))
                .isEqualTo(bad);
    }

    private static Finding finding(String code, Severity severity) {
        return new Finding(code, severity, code + " as the test wants", "none");
    }
}
