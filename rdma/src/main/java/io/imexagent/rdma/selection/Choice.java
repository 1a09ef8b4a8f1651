package io.imexagent.rdma.selection;

/** Whether a NIC is offered to containers. */
public sealed interface Choice {

    /** It is, as this rail. */
    record Kept(Rail rail) implements Choice {}

    /**
     * It is not.
     *
     * @param rule the rule that drops it
     * @param reason why, as a clause
     * @param remedy what to do where it should be offered after all
     */
    record Dropped(Rule rule, String reason, String remedy) implements Choice {}

    /** The rules that drop a NIC. */
    enum Rule {
        /** It carries the host's own traffic. */
        UPLINK("uplink"),
        /** Its interface matches the exclude pattern. */
        EXCLUDED("excluded"),
        /** It is for storage. */
        STORAGE("storage"),
        /** It is a virtual function. */
        VIRTUAL_FUNCTION("virtual-function"),
        /** It cannot carry RDMA traffic now. */
        UNUSABLE("unusable"),
        /** The include list does not name it. */
        NOT_INCLUDED("not-included"),
        /** The peer does not have it. */
        NOT_AT_PEER("not-at-peer");

        private final String text;

        Rule(String text) {
            this.text = text;
        }

        /** The rule in lower-case words joined by hyphens, fit for a label. */
        public String text() {
            return text;
        }
    }
}
