package io.imexagent.rdma.inventory;

/**
 * Whether NICs can reach the memory of GPUs without a copy through the host's.
 *
 * @param reason what shows it, or what is missing for either way; a clause
 */
public record GpuDirect(Way way, String reason) {

    /** The way in a word. */
    public String text() {
        return way.text;
    }

    /** How NICs reach that memory. */
    public enum Way {
        /** Kernel 5.12 or later and the open kernel modules. */
        DMA_BUF("dma-buf"),
        /** The module nvidia-peermem. */
        PEERMEM("peermem"),
        NONE("none");

        private final String text;

        Way(String text) {
            this.text = text;
        }
    }
}
