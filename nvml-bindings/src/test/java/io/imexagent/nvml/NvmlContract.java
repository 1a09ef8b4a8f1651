package io.imexagent.nvml;

import io.imexagent.nvml.simulated.TrayPreset;
import org.junit.jupiter.api.BeforeEach;

/** What every NVML does whose host a test can change, whatever is behind it. */
public interface NvmlContract extends NvmlHostContract, NvmlSessionContract, NvmlFabricContract, NvmlEventContract {

    @BeforeEach
    default void playAHealthyTray() {
        play(TrayPreset.GB200.tray());
    }
}
