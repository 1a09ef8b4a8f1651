package io.imexagent.kubernetes.http;

import io.imexagent.kubernetes.ApiException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Finds objects of a collection by UID for many threads at a time. Calls that arrive while a list is under way share
 * the next list, so that any number of calls at a time costs two lists. Thread-safe.
 */
final class SharedLists<T> {

    private final Collection<T> collection;

    /** Admits one list at a time; waiting calls are served in order of arrival. */
    private final ReentrantLock turn = new ReentrantLock(true);

    /** The round that new calls join; guarded by this. */
    private ListRound<T> next = new ListRound<>();

    SharedLists(Collection<T> collection) {
        this.collection = collection;
    }

    /**
     * A list with the UIDs that it looks for and its result. Guarded by {@code turn}; until the list begins, the UIDs
     * are guarded by the outer object.
     */
    private static final class ListRound<T> {

        private final Set<String> uids = new HashSet<>();
        private Optional<CachedObjects<T>> found = Optional.empty();
        private Optional<ApiException> failure = Optional.empty();
    }

    /**
     * Finds the object of this UID in a list that began after the call; fails also if it may be one that cannot be
     * read.
     */
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
                // This caller was interrupted; the next one of the round lists again.
                throw e;
            }
            round.failure = Optional.of(e);
        }
    }
}
