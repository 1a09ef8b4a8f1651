package io.imexagent.rdma.dra;

/** Whether a published rail can carry traffic, as far as it was looked at last. */
public sealed interface RailState {

    /** It can. */
    record Up() implements RailState {}

    /**
     * It cannot now, and may again without anybody changing the node.
     *
     * @param cause why, in lower-case words joined by hyphens
     * @param reason why, as a clause
     */
    record Down(String cause, String reason) implements RailState {}

    /**
     * It is not to be handed out any more; it is there for the claims that have it.
     *
     * @param reason why, as a clause
     */
    record Withdrawn(String reason) implements RailState {}
}
