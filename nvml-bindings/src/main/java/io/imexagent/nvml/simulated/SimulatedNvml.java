package io.imexagent.nvml.simulated;

import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlException.CallFailed;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.NvmlSession;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** NVML over a {@link SimulatedTray}, whose GPUs never report an event; unlike its sessions, safe for any thread. */
public class SimulatedNvml implements Nvml {
    private final SimulatedTray tray;

    public SimulatedNvml(SimulatedTray tray) {
        this.tray = tray;
    }

    /** Returns what is simulated at present. */
    public SimulatedTray tray() {
        return tray;
    }

    @Override
    public NvmlSession open() throws NvmlException {
        enter(NvmlCall.INIT);
        return new SimulatedSession(this);
    }

    /** Goes into a call: hangs or fails as the tray says, and otherwise returns the tray to answer from. */
    SimulatedTray enter(NvmlCall call) throws NvmlException {
        hang(call);
        SimulatedTray current = tray();
        fail(call, current.failures());
        return current;
    }

    /** Goes into a call on a GPU, whose own failures go before those of the tray. */
    SimulatedGpu enter(NvmlCall call, int index) throws NvmlException {
        hang(call);
        SimulatedTray current = tray();
        if (index < 0 || index >= current.gpus().size()) {
            fail(call, Map.of(call, NvmlReturn.INVALID_ARGUMENT));
        }
        SimulatedGpu gpu = current.gpus().get(index);
        fail(call, gpu.failures());
        fail(call, current.failures());
        return gpu;
    }

    /** Does not return while the call hangs; a call that hangs in the driver cannot be interrupted either. */
    void hang(NvmlCall call) {
        while (tray().hanging().contains(call)) {
            LockSupport.park(this);
        }
    }

    SimulatedSession.EventSet eventSet(SimulatedSession session) {
        return new SimulatedSession.EventSet(session);
    }

    private static void fail(NvmlCall call, Map<NvmlCall, NvmlReturn> failures) throws CallFailed {
        NvmlReturn result = failures.get(call);
        if (result != null) {
            throw new CallFailed(call, Numbered.of(result), Optional.empty());
        }
    }
}
