package io.imexagent.core.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.GpuHealth.FabricBit;
import io.imexagent.core.inventory.GpuHealth.Weight;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GpuHealthTest {

    private static final FabricBit GOOD = new FabricBit("route_unhealthy", "no", Weight.GOOD);
    private static final FabricBit SLOW = new FabricBit("degraded_bandwidth", "yes", Weight.DEGRADED);
    private static final FabricBit MISPLACED = new FabricBit("incorrect_configuration", "invalid_location", Weight.BAD);

    private static GpuHealth health(Optional<String> summary, Optional<String> action, FabricBit... bits) {
        return new GpuHealth(List.of(bits), summary, action);
    }

    @Test
    void nothingToldIsNoComplaint() {
        assertThat(GpuHealth.UNTOLD.weight()).isEqualTo(Weight.GOOD);
        assertThat(GpuHealth.UNTOLD.complaints()).isEmpty();
    }

    @Test
    void aGpuThatIsWellHasNoComplaint() {
        GpuHealth well = health(Optional.of("healthy"), Optional.of("none"), GOOD);

        assertThat(well.weight()).isEqualTo(Weight.GOOD);
        assertThat(well.neededAction()).isEmpty();
        assertThat(well.complaints()).isEmpty();
    }

    @Test
    void theWorstStatementDecidesAndIsToldFirst() {
        GpuHealth both = health(Optional.of("limited_capacity"), Optional.empty(), SLOW, MISPLACED, GOOD);

        assertThat(both.weight()).isEqualTo(Weight.BAD);
        assertThat(both.complaints())
                .containsExactly(
                        "incorrect configuration: invalid location",
                        "degraded bandwidth",
                        "overall fabric health: limited capacity");
        assertThat(health(Optional.empty(), Optional.empty(), SLOW, GOOD).weight())
                .isEqualTo(Weight.DEGRADED);
    }

    @Test
    void theSummaryCountsWithoutBits() {
        assertThat(health(Optional.of("unhealthy"), Optional.empty()).weight()).isEqualTo(Weight.BAD);
        assertThat(health(Optional.of("limited_capacity"), Optional.empty()).weight())
                .isEqualTo(Weight.DEGRADED);
        assertThat(health(Optional.of("not_supported"), Optional.empty()).weight())
                .isEqualTo(Weight.GOOD);
    }

    @Test
    void aNumberWithoutAMeaningIsUnknownAndToldAsANumber() {
        GpuHealth sum = health(Optional.of("summary_9"), Optional.empty(), GOOD, SLOW);
        GpuHealth bit = health(
                Optional.of("healthy"),
                Optional.empty(),
                new FabricBit("route_unhealthy", "undefined", Weight.UNKNOWN));

        assertThat(sum.weight()).isEqualTo(Weight.UNKNOWN);
        assertThat(sum.complaints()).containsExactly("degraded bandwidth", "overall fabric health: summary 9");
        assertThat(bit.weight()).isEqualTo(Weight.UNKNOWN);
        assertThat(bit.complaints()).containsExactly("route unhealthy: 3, which has no meaning");
        assertThat(health(Optional.of("summary_9"), Optional.empty(), MISPLACED).weight())
                .isEqualTo(Weight.BAD);
    }

    @Test
    void aRecoveryActionIsBad() {
        GpuHealth asks = health(Optional.of("healthy"), Optional.of("drain_and_reset"), GOOD);

        assertThat(asks.weight()).isEqualTo(Weight.BAD);
        assertThat(asks.neededAction()).contains("drain_and_reset");
        assertThat(asks.complaints()).containsExactly("recovery action: drain and reset");
    }
}
