package io.imexagent.rdma.dra;

import java.util.List;

/** Whether a published rail can carry traffic, as far as it was looked at last. */
public sealed interface RailState {

    /** All that {@link #text} can be. */
    List<String> TEXTS = List.of("up", "down", "withdrawn");

    /** The state in a word, fit for a label. */
    default String text() {
        return switch (this) {
            case Up up -> "up";
            case Down down -> "down";
            case Withdrawn withdrawn -> "withdrawn";
        };
    }

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
