package io.imexagent.nvml.jna;

import io.imexagent.nvml.NvmlDevice;
import io.imexagent.nvml.NvmlEventSet;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlSession;

/** A session over an initialised library. */
final class JnaNvmlSession implements NvmlSession {
    private final NvmlCalls calls;
    private boolean closed;

    JnaNvmlSession(NvmlCalls calls) {
        this.calls = calls;
    }

    /** Returns the calls, as long as the library behind them is loaded: one later would end the process. */
    NvmlCalls calls() {
        if (closed) {
            throw new IllegalStateException("the NVML session is closed");
        }
        return calls;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public String driverVersion() throws NvmlException {
        return calls().driverVersion();
    }

    @Override
    public String nvmlVersion() throws NvmlException {
        return calls().nvmlVersion();
    }

    @Override
    public int deviceCount() throws NvmlException {
        return calls().deviceCount();
    }

    @Override
    public NvmlDevice device(int index) throws NvmlException {
        return new JnaNvmlDevice(this, index, calls().deviceHandle(index));
    }

    @Override
    public NvmlEventSet createEventSet() throws NvmlException {
        return new JnaNvmlEventSet(this, calls().eventSetCreate());
    }

    @Override
    public void close() throws NvmlException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            calls.shutdown();
        } finally {
            calls.unload();
        }
    }
}
