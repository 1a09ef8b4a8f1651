package io.imexagent.nvml.jna;

import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlDevice;
import io.imexagent.nvml.NvmlEventSet;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlSession;

/** A session over an initialised library. */
final class JnaNvmlSession implements NvmlSession {
    private static final int TEXT_BYTES = 80;

    private final NvmlFunctions functions;
    private boolean closed;

    JnaNvmlSession(NvmlFunctions functions) {
        this.functions = functions;
    }

    /** Returns the functions, as long as the library behind them is loaded: a call later would end the process. */
    NvmlFunctions functions() {
        if (closed) {
            throw new IllegalStateException("the NVML session is closed");
        }
        return functions;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public String driverVersion() throws NvmlException {
        return functions().text(NvmlCall.DRIVER_VERSION, TEXT_BYTES);
    }

    @Override
    public String nvmlVersion() throws NvmlException {
        return functions().text(NvmlCall.NVML_VERSION, TEXT_BYTES);
    }

    @Override
    public int deviceCount() throws NvmlException {
        return functions().natural(NvmlCall.DEVICE_COUNT);
    }

    @Override
    public NvmlDevice device(int index) throws NvmlException {
        return new JnaNvmlDevice(this, functions().device(index));
    }

    @Override
    public NvmlEventSet createEventSet() throws NvmlException {
        return new JnaNvmlEventSet(this, functions().createEventSet());
    }

    @Override
    public void close() throws NvmlException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            functions.call(NvmlCall.SHUTDOWN);
        } finally {
            functions.unload();
        }
    }
}
