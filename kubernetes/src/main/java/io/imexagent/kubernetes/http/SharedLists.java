package io.imexagent.kubernetes.http;

import io.imexagent.kubernetes.ApiException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Finds objects of a collection by UID for many threads at a time. Those that come while a list is under way share the next
 * one, so that a crowd costs two lists, however large it is. Safe for any thread.
 */
final class SharedLists<T> {

    private final Collection<T> collection;

    /** One list at a time; those that wait are served in the order in which they came. */
    private final ReentrantLock turn = new ReentrantLock(true);

    /** Whom the next list is for; guarded by this. */
    private ListRound<T> next = new ListRound<>();

    SharedLists(Collection<T> collection) {
        this.collection = collection;
    }

    /** A list, the UIDs that it looks for, and what came of it. Guarded by the turn, but for the UIDs before it begins. */
    private static final class ListRound<T> {

        private final Set<String> uids = new HashSet<>();
        private Optional<CachedObjects<T>> found = Optional.empty();
        private Optional<ApiException> failure = Optional.empty();
    }

    /** The object of this UID, from a list that began after the call; fails also where it may be one that cannot be read. */
    Optional<T> find(String uid) throws ApiException {
        ListRound<T> round;
        synchronized (this) {
            round = next;
            round.uids.add(uid);
        }
        try {
            turn.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(collection.gaveUp());
        }
        try {
            begin(round);
            if (round.found.isEmpty() && round.failure.isEmpty()) {
                list(round);
            }
            if (round.failure.isPresent()) {
                throw new ApiException(round.failure.get().failure());
            }
            return collection.find(uid, round.found.orElseThrow());
        } finally {
            turn.unlock();
        }
    }

    private synchronized void begin(ListRound<T> round) {
        if (next == round) {
            next = new ListRound<>();
        }
    }

    private void list(ListRound<T> round) throws ApiException {
        try {
            round.found = Optional.of(collection.kept(round.uids::contains));
        } catch (ApiException e) {
            if (Thread.currentThread().isInterrupted()) {
                // This caller gave up; the next one of the round lists again.
                throw e;
            }
            round.failure = Optional.of(e);
        }
    }
}
