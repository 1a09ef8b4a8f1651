package io.imexagent.nvml.simulated;

import io.imexagent.nvml.EventType;
import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.NvmlContract;

class SimulatedNvmlTest extends NvmlContract {
    private final SimulatedNvml nvml = new SimulatedNvml(TrayPreset.GB200.tray());

    @Override
    protected void play(SimulatedTray tray) {
        nvml.update(_ -> tray);
    }

    @Override
    protected void emit(int deviceIndex, EventType type, long data) {
        nvml.emit(deviceIndex, type, data);
    }

    @Override
    protected Nvml nvml() {
        return nvml;
    }
}
