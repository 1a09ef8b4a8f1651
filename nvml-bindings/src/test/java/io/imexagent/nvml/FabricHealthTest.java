package io.imexagent.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.nvml.FabricHealth.HealthFlag;
import io.imexagent.nvml.FabricHealth.IncorrectConfiguration;
import io.imexagent.nvml.FabricHealth.Statement;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FabricHealthTest {
    @Test
    void readsAHealthyMask() {
        FabricHealth health = new FabricHealth(0x1AA);

        assertThat(health.flag(Statement.DEGRADED_BANDWIDTH)).isEqualTo(HealthFlag.NO);
        assertThat(health.flag(Statement.ROUTE_RECOVERY)).isEqualTo(HealthFlag.NO);
        assertThat(health.flag(Statement.ROUTE_UNHEALTHY)).isEqualTo(HealthFlag.NO);
        assertThat(health.flag(Statement.ACCESS_TIMEOUT_RECOVERY)).isEqualTo(HealthFlag.NO);
        assertThat(health.incorrectConfiguration()).isEqualTo(Numbered.of(IncorrectConfiguration.NONE));
        assertThat(health.flag(Statement.PARTITION_ASSIGNED)).isEqualTo(HealthFlag.NOT_SUPPORTED);
        assertThat(new FabricHealth(0x11AA).flag(Statement.PARTITION_ASSIGNED)).isEqualTo(HealthFlag.YES);
    }

    @Test
    void readsEachStatementFromItsOwnBits() {
        assertThat(new FabricHealth(0x1))
                .satisfies(health ->
                        assertThat(health.flag(Statement.DEGRADED_BANDWIDTH)).isEqualTo(HealthFlag.YES));
        assertThat(new FabricHealth(0x4))
                .satisfies(health ->
                        assertThat(health.flag(Statement.ROUTE_RECOVERY)).isEqualTo(HealthFlag.YES));
        assertThat(new FabricHealth(0x10))
                .satisfies(health ->
                        assertThat(health.flag(Statement.ROUTE_UNHEALTHY)).isEqualTo(HealthFlag.YES));
        assertThat(new FabricHealth(0x40))
                .satisfies(health -> assertThat(health.flag(Statement.ACCESS_TIMEOUT_RECOVERY))
                        .isEqualTo(HealthFlag.YES));
        assertThat(new FabricHealth(0x4000).flag(Statement.FABRIC_MANAGER_CONNECTED))
                .isEqualTo(HealthFlag.YES);
        assertThat(new FabricHealth(0x8000).flag(Statement.FABRIC_MANAGER_CONNECTED))
                .isEqualTo(HealthFlag.NO);
        assertThat(new FabricHealth(0x3000).flag(Statement.PARTITION_ASSIGNED)).isEqualTo(HealthFlag.UNDEFINED);
        assertThat(new FabricHealth(0xF00).incorrectConfiguration())
                .isEqualTo(Numbered.of(15, IncorrectConfiguration.values()));
    }

    @ParameterizedTest
    @CsvSource({
        "0, NOT_SUPPORTED",
        "1, NONE",
        "2, SYSTEM_GUID",
        "3, CHASSIS_SERIAL",
        "4, NO_PARTITION",
        "5, TOO_FEW_NVLINKS",
        "6, INCOMPATIBLE_FIRMWARE",
        "7, INVALID_LOCATION",
        "8, GPU_STATE"
    })
    void readsEachFaultOfTheConfiguration(int number, IncorrectConfiguration expected) {
        assertThat(new FabricHealth(number << 8).incorrectConfiguration()).isEqualTo(Numbered.of(expected));
    }

    @Property
    void readsAnyMask(@ForAll int mask) {
        FabricHealth health = new FabricHealth(mask);

        assertThat(health.incorrectConfiguration().number()).isEqualTo((mask >> 8) & 15);
    }
}
