package io.imexagent.checkpoint;

import io.imexagent.core.ledger.Ledger;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;

/**
 * A store for tests: two generations in memory, encoded as files would be, so that it loses what they
 * lose. Its content can be bent, and its saves can be made to fail.
 */
public final class InMemoryCheckpointStore implements CheckpointStore {

    private static final Path CURRENT = Path.of("checkpoint.json");
    private static final Path BACKUP = Path.of("checkpoint.json.bak");

    private Optional<byte[]> current = Optional.empty();
    private Optional<byte[]> backup = Optional.empty();
    private int aside;
    private final Queue<IOException> failures = new ArrayDeque<>();

    /** A store that never saved anything. */
    public InMemoryCheckpointStore() {}

    /** Puts content in the place of the checkpoint; empty for none. */
    public void current(Optional<byte[]> content) {
        current = content;
    }

    /** The content of the checkpoint. */
    public Optional<byte[]> current() {
        return current;
    }

    /** Puts content in the place of the backup; empty for none. */
    public void backup(Optional<byte[]> content) {
        backup = content;
    }

    /** The content of the backup. */
    public Optional<byte[]> backup() {
        return backup;
    }

    /** Lets one further save fail so. */
    public void failSave(IOException failure) {
        failures.add(failure);
    }

    @Override
    public LoadOutcome load() {
        Generation now = generation(current);
        LoadOutcome outcome =
                Generation.outcome(now, generation(backup), CURRENT, BACKUP, "the backup in memory is used");
        if (outcome instanceof LoadOutcome.RecoveredFromBackup recovered && now instanceof Generation.Broken) {
            current = Optional.empty();
            return new LoadOutcome.RecoveredFromBackup(recovered.ledger(), recovered.reason(), Optional.of(next()));
        }
        return outcome;
    }

    @Override
    public Optional<Ledger> intact() {
        return generation(current) instanceof Generation.Intact intact && !intact.beforeV2()
                ? Optional.of(intact.ledger())
                : Optional.empty();
    }

    @Override
    public void save(Ledger ledger) throws IOException {
        IOException failure = failures.poll();
        if (failure != null) {
            throw failure;
        }
        backup = current.isPresent() ? current : backup;
        current = Optional.of(CheckpointCodec.encode(ledger));
    }

    @Override
    public List<Path> setAside() {
        var moved = new ArrayList<Path>();
        if (generation(current) instanceof Generation.Broken) {
            current = Optional.empty();
            moved.add(next());
        }
        if (generation(backup) instanceof Generation.Broken) {
            backup = Optional.empty();
            moved.add(next());
        }
        return List.copyOf(moved);
    }

    private static Generation generation(Optional<byte[]> content) {
        return content.map(CheckpointCodec::decode).map(Generation::of).orElseGet(Generation.Missing::new);
    }

    private Path next() {
        aside++;
        return Path.of("checkpoint.json.corrupt-" + aside);
    }
}
