package io.imexagent.imex.probe;

/** Is told of the events of GPUs, for metrics. Called on the thread that listens; must not block. */
public interface GpuEventObserver {

    /** Events are heard from now on, or no more. */
    void listening(boolean listens);

    /**
     * A GPU reported an Xid.
     *
     * @param gpu NVML's index of it; {@code unknown} where the driver named another
     * @param number the Xid
     */
    void xid(String gpu, long number);
}
