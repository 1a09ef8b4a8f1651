package io.imexagent.nvml.simulated;

import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlDevice;
import io.imexagent.nvml.NvmlEventSet;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlSession;

/** A session of a {@link SimulatedNvml}. */
final class SimulatedSession implements NvmlSession {
    private final SimulatedNvml nvml;
    private boolean closed;

    SimulatedSession(SimulatedNvml nvml) {
        this.nvml = nvml;
    }

    /** Returns the simulation, as long as the session is open. */
    SimulatedNvml nvml() {
        if (closed) {
            throw new IllegalStateException("the NVML session is closed");
        }
        return nvml;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public String driverVersion() throws NvmlException {
        return nvml().enter(NvmlCall.DRIVER_VERSION).driverVersion();
    }

    @Override
    public String nvmlVersion() throws NvmlException {
        return nvml().enter(NvmlCall.NVML_VERSION).nvmlVersion();
    }

    @Override
    public int deviceCount() throws NvmlException {
        return nvml().enter(NvmlCall.DEVICE_COUNT).gpus().size();
    }

    @Override
    public NvmlDevice device(int index) throws NvmlException {
        // The answer is looked at later; asking shows a missing or lost GPU now.
        nvml().enter(NvmlCall.DEVICE_HANDLE, index);
        return new SimulatedDevice(this, index);
    }

    @Override
    public NvmlEventSet createEventSet() throws NvmlException {
        nvml().enter(NvmlCall.EVENT_SET_CREATE);
        return nvml.eventSet(this);
    }

    @Override
    public void close() throws NvmlException {
        if (closed) {
            return;
        }
        closed = true;
        nvml.enter(NvmlCall.SHUTDOWN);
    }
}
