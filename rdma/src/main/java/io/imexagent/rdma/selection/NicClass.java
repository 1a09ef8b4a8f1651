package io.imexagent.rdma.selection;

import java.util.Locale;

/** What a NIC is for. */
public enum NicClass {
    /** The traffic between GPUs. */
    RAIL,
    /** The host's own traffic. */
    UPLINK,
    /** Storage and the front-end network. */
    STORAGE,
    /** A virtual machine or a pod of its own. */
    VIRTUAL_FUNCTION,
    /** EFA of AWS, which NCCL reaches by libfabric and not by verbs. */
    EFA,
    /** Management of another RDMA device of its function, such as {@code smi1} of a ConnectX-8. */
    MANAGEMENT,
    /** Tests and development: RDMA in software. */
    SOFTWARE,
    /** Nothing now: it cannot carry RDMA traffic. */
    UNUSABLE;

    /** The class in lower-case words joined by hyphens, fit for a label. */
    public String text() {
        return text(this);
    }

    static String text(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
