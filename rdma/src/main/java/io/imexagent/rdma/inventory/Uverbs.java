package io.imexagent.rdma.inventory;

import java.util.OptionalInt;

/**
 * The device node through which a process uses an RDMA device.
 *
 * @param index the N of {@code uverbsN}; the kernel gives it out anew at each load of a driver
 * @param number its device number
 * @param abiVersion the version of its interface; empty where it is not told
 */
public record Uverbs(int index, DeviceNumber number, OptionalInt abiVersion) {

    /** The node's name. */
    public String name() {
        return "uverbs" + index;
    }

    /** Where the node stands. */
    public String path() {
        return "/dev/infiniband/" + name();
    }
}
