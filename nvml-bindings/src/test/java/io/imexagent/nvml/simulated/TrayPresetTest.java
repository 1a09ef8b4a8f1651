package io.imexagent.nvml.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TrayPresetTest {
    @Test
    void haveLabelsOfTheirOwnInLowerCaseWithHyphens() {
        assertThat(TrayPreset.values())
                .extracting(TrayPreset::label)
                .doesNotHaveDuplicates()
                .allSatisfy(label -> assertThat(label).matches("[a-z0-9-]+"))
                .contains("fabric-in-progress");
    }

    @ParameterizedTest
    @EnumSource
    void hasGpusThatDifferInIdentity(TrayPreset preset) {
        SimulatedTray tray = preset.tray();

        assertThat(tray.gpus()).extracting(SimulatedGpu::uuid).doesNotHaveDuplicates();
        assertThat(tray.gpus()).extracting(SimulatedGpu::pciAddress).doesNotHaveDuplicates();
    }

    @Test
    void differsFromTheHealthyTrayByWhatItIsNamedFor() {
        SimulatedTray healthy = TrayPreset.GB200.tray();

        assertThat(TrayPreset.values())
                .filteredOn(preset -> preset != TrayPreset.GB200)
                .allSatisfy(preset -> assertThat(preset.tray()).isNotEqualTo(healthy));
    }
}
