package io.imexagent.core.slice;

import io.imexagent.core.inventory.Finding;
import java.util.List;

/** What the node wants to publish. */
public sealed interface DesiredPool {

    /**
     * These devices.
     *
     * @param pool the pool's name
     * @param devices the devices, in a stable order
     */
    record Publish(String pool, List<Device> devices) implements DesiredPool {

        /** Copies the list in. */
        public Publish {
            devices = List.copyOf(devices);
        }
    }

    /**
     * Nothing; slices of before are removed.
     *
     * @param why what is missing, for the operator
     */
    record Withdraw(Finding why) implements DesiredPool {}

    /**
     * What there is stays as it is: the node could not tell what it has, and a probe that failed takes no device away.
     *
     * @param why what could not be told, for the operator
     */
    record Keep(Finding why) implements DesiredPool {}
}
