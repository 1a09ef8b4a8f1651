package io.imexagent.checkpoint;

import io.imexagent.core.ledger.Ledger;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What a {@link FileCheckpointStore} found. */
public sealed interface LoadOutcome {

    /**
     * The checkpoint as it was saved last.
     *
     * @param ledger what it says; under another boot than the running one its claims are void, which the caller judges
     * @param note what is worth a line in the log: that it is of a driver before format V2
     */
    record Loaded(Ledger ledger, Optional<String> note) implements LoadOutcome {}

    /** There is neither a checkpoint nor a backup: this node never prepared a claim. */
    record Fresh() implements LoadOutcome {}

    /**
     * The checkpoint is missing or broken, its backup is whole: the last change is lost, perhaps more where another
     * driver wrote in between, so CDI specs and ledger have to be brought together with care.
     *
     * @param ledger what the backup says
     * @param reason what is wrong with the checkpoint, and how old the backup is
     * @param movedAside where the broken checkpoint is now; empty where it was missing
     */
    record RecoveredFromBackup(Ledger ledger, String reason, Optional<Path> movedAside) implements LoadOutcome {}

    /**
     * There is no generation to trust. Nothing was moved, so that the next start finds the same. Where there is no CDI
     * spec of ours, the node may begin again: {@link FileCheckpointStore#setAside()}. Otherwise containers may hold
     * channels that no ledger knows.
     *
     * @param reasons what is wrong, a sentence for each generation that begins with its path
     */
    record Unreadable(List<String> reasons) implements LoadOutcome {

        public Unreadable {
            reasons = List.copyOf(reasons);
        }
    }
}
