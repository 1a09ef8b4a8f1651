package io.imexagent.rdma.inventory;

/** Whether NICs can reach the memory of GPUs without a copy through the host's. */
public sealed interface GpuDirect {

    /** Why, as a clause. */
    String reason();

    /**
     * By dma-buf: kernel 5.12 or later and the open kernel modules.
     *
     * @param reason what shows it
     */
    record DmaBuf(String reason) implements GpuDirect {}

    /**
     * By the module nvidia-peermem.
     *
     * @param reason what shows it
     */
    record Peermem(String reason) implements GpuDirect {}

    /**
     * Not at all.
     *
     * @param reason what is missing for either way
     */
    record None(String reason) implements GpuDirect {}

    /** The way in a word. */
    default String text() {
        return switch (this) {
            case DmaBuf dmaBuf -> "dma-buf";
            case Peermem peermem -> "peermem";
            case None none -> "none";
        };
    }
}
