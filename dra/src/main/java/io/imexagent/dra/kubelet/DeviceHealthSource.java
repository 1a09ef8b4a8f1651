package io.imexagent.dra.kubelet;

import java.util.List;

/** Knows how the node's devices are. Safe for any thread. */
public interface DeviceHealthSource {

    /** The health of every device that the node offers. Never blocks. */
    List<DeviceHealth> current();

    /** Calls the listener after each change, on any thread. The listener returns at once. */
    void onChange(Runnable listener);
}
