package io.imexagent.nvml.simulated;

import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.NvmlContract;
import io.imexagent.nvml.NvmlEventSet.EventType;

class SimulatedNvmlTest implements NvmlContract {
    private final StagedNvml nvml = new StagedNvml(TrayPreset.GB200.tray());

    @Override
    public void play(SimulatedTray tray) {
        nvml.update(_ -> tray);
    }

    @Override
    public void emit(int deviceIndex, EventType type, long data) {
        nvml.emit(deviceIndex, type, data);
    }

    @Override
    public Nvml nvml() {
        return nvml;
    }
}
