package io.imexagent.nvml.jna;

import com.sun.jna.Pointer;
import io.imexagent.nvml.Architecture;
import io.imexagent.nvml.FabricAnswer;
import io.imexagent.nvml.NvmlDevice;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.PciInfo;
import io.imexagent.nvml.PlatformInfo;
import io.imexagent.nvml.RecoveryAction;
import java.util.Optional;

/**
 * A GPU of an open session.
 *
 * @param session the session, which may be closed in the meantime
 * @param index the index that it was asked for by
 * @param handle NVML's own reference to it
 */
record JnaNvmlDevice(JnaNvmlSession session, int index, Pointer handle) implements NvmlDevice {
    @Override
    public String name() throws NvmlException {
        return session.calls().name(handle);
    }

    @Override
    public String uuid() throws NvmlException {
        return session.calls().uuid(handle);
    }

    @Override
    public PciInfo pciInfo() throws NvmlException {
        return session.calls().pciInfo(handle);
    }

    @Override
    public int minorNumber() throws NvmlException {
        return session.calls().minorNumber(handle);
    }

    @Override
    public Optional<Architecture> architecture() throws NvmlException {
        return session.calls().architecture(handle);
    }

    @Override
    public FabricAnswer fabric() throws NvmlException {
        return session.calls().fabric(handle);
    }

    @Override
    public Optional<PlatformInfo> platformInfo() throws NvmlException {
        return session.calls().platformInfo(handle);
    }

    @Override
    public Optional<RecoveryAction> recoveryAction() throws NvmlException {
        return session.calls().recoveryAction(handle);
    }
}
