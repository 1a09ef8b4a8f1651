package io.imexagent.checkpoint;

import io.imexagent.core.ledger.Ledger;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** One generation of the checkpoint, as it was found. */
sealed interface Generation {

    /** It is not there. */
    record Missing() implements Generation {}

    /** It is whole. */
    record Intact(Ledger ledger, boolean beforeV2) implements Generation {}

    /** It is not to be trusted. */
    record Broken(String reason) implements Generation {}

    /** The generation with the content that this came of. */
    static Generation of(CheckpointCodec.Decoded content) {
        return switch (content) {
            case CheckpointCodec.Decoded.Intact intact -> new Intact(intact.ledger(), intact.beforeV2());
            case CheckpointCodec.Decoded.Broken broken -> new Broken(broken.reason());
        };
    }

    /**
     * What both generations come to, with nothing moved aside yet.
     *
     * @param file the name of the checkpoint, for messages
     * @param backupFile the name of its backup
     * @param backupAge a clause that says when the backup was written
     */
    static LoadOutcome outcome(Generation current, Generation backup, Path file, Path backupFile, String backupAge) {
        if (current instanceof Intact intact) {
            return new LoadOutcome.Loaded(
                    intact.ledger,
                    intact.beforeV2
                            ? Optional.of("it is of a driver before format V2; its claims are adopted without names")
                            : Optional.empty());
        }
        if (backup instanceof Intact intact) {
            String what = current.fault(file).orElse(file + " is missing");
            return new LoadOutcome.RecoveredFromBackup(intact.ledger, what + "; " + backupAge, Optional.empty());
        }
        List<String> reasons = Stream.of(current.fault(file), backup.fault(backupFile))
                .flatMap(Optional::stream)
                .toList();
        return reasons.isEmpty() ? new LoadOutcome.Fresh() : new LoadOutcome.Unreadable(reasons);
    }

    /** What is wrong with it, as a sentence. */
    default Optional<String> fault(Path file) {
        return switch (this) {
            case Broken broken -> Optional.of(file + " is no whole checkpoint: " + broken.reason);
            case Missing missing -> Optional.empty();
            case Intact intact -> Optional.empty();
        };
    }
}
