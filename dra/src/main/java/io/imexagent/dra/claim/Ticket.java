package io.imexagent.dra.claim;

import java.util.concurrent.CompletableFuture;

/**
 * The place of one claim in a call.
 *
 * @param answer its answer; never completes exceptionally
 * @param check looks whether something takes too long
 * @param expire answers it now, with the reason for which it is not done
 */
record Ticket<A>(CompletableFuture<A> answer, Runnable check, Runnable expire) {

    /** A ticket that needs no waiting. */
    static <A> Ticket<A> settled(A answer) {
        return new Ticket<>(CompletableFuture.completedFuture(answer), () -> {}, () -> {});
    }
}
