package io.imexagent.dra.kubelet;

import java.util.List;

/** The source of the health of the node's devices. Safe for any thread. */
public interface DeviceHealthSource {

    /** The health of every published device. Never blocks. */
    List<DeviceHealth> current();

    /** Calls the listener after each change, on any thread. The listener returns at once. */
    void onChange(Runnable listener);
}
