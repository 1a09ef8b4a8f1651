package io.imexagent.checkpoint;

import io.imexagent.core.ledger.Ledger;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Keeps the ledger across the life of the process, in two generations. The ledger in the caller's memory stays
 * authoritative: a save that fails changes nothing of what {@link #load} would find, or, where only the last flush
 * failed, has happened; it is tried again. Not for several threads at a time; other processes are kept out by
 * {@link PluginLock}.
 */
public interface CheckpointStore {

    /**
     * Looks for the ledger, once at start.
     *
     * @throws IOException where the files cannot be read at all, or a broken one cannot be moved aside; the message
     *     names path, reason and remedy
     */
    LoadOutcome load() throws IOException;

    /**
     * The ledger, where {@link #load} would find it whole and change nothing; empty where it would. Changes nothing
     * itself, so it needs no lock.
     *
     * @throws IOException where the files cannot be read
     */
    Optional<Ledger> intact() throws IOException;

    /**
     * Makes this the ledger that {@link #load} finds, durably, and keeps the present one as the backup.
     *
     * @throws IOException where that failed; the message names path, reason and remedy
     */
    void save(Ledger ledger) throws IOException;

    /**
     * Why the checkpoint has no room for a further claim, a sentence; empty where it has. A claim that is over, and one
     * that goes on, is saved all the same.
     *
     * @throws IOException where the file cannot be looked at
     */
    Optional<String> full() throws IOException;

    /**
     * Moves aside the generations that are broken, so that the node can begin anew after
     * {@link LoadOutcome.Unreadable}. Whole ones stay.
     *
     * @return where they are now
     * @throws IOException where one cannot be moved
     */
    List<Path> setAside() throws IOException;
}
