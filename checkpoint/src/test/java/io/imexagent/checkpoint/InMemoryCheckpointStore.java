package io.imexagent.checkpoint;

import io.imexagent.checkpoint.CheckpointFormat.Decoded;
import io.imexagent.core.ledger.Ledger;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

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
    private @Nullable String full;
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

    /** From now on there is no room for a further claim. */
    public void fill(String why) {
        full = why;
    }

    @Override
    public LoadOutcome load() {
        LoadOutcome outcome = FileCheckpointStore.outcome(
                decoded(current), decoded(backup), CURRENT, BACKUP, "the backup in memory is used");
        if (outcome instanceof LoadOutcome.RecoveredFromBackup recovered && isBroken(current)) {
            current = Optional.empty();
            return new LoadOutcome.RecoveredFromBackup(recovered.ledger(), recovered.reason(), Optional.of(next()));
        }
        return outcome;
    }

    @Override
    public Optional<Ledger> intact() {
        return decoded(current)
                .flatMap(found -> found instanceof Decoded.Intact intact && !intact.beforeV2()
                        ? Optional.of(intact.ledger())
                        : Optional.empty());
    }

    @Override
    public void save(Ledger ledger) throws IOException {
        IOException failure = failures.poll();
        if (failure != null) {
            throw failure;
        }
        backup = current.isPresent() ? current : backup;
        current = Optional.of(CheckpointFormat.PUBLIC_DRIVER.encode(ledger));
    }

    @Override
    public Optional<String> full() {
        return Optional.ofNullable(full);
    }

    @Override
    public List<Path> setAside() {
        var moved = new ArrayList<Path>();
        if (isBroken(current)) {
            current = Optional.empty();
            moved.add(next());
        }
        if (isBroken(backup)) {
            backup = Optional.empty();
            moved.add(next());
        }
        return List.copyOf(moved);
    }

    private static Optional<Decoded> decoded(Optional<byte[]> content) {
        return content.map(CheckpointFormat.PUBLIC_DRIVER::decode);
    }

    private static boolean isBroken(Optional<byte[]> content) {
        return decoded(content).filter(Decoded.Broken.class::isInstance).isPresent();
    }

    private Path next() {
        aside++;
        return Path.of("checkpoint.json.corrupt-" + aside);
    }
}
