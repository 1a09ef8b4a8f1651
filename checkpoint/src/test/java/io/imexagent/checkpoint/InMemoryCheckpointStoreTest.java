package io.imexagent.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InMemoryCheckpointStoreTest extends CheckpointStoreContract {

    private final InMemoryCheckpointStore store = new InMemoryCheckpointStore();

    @Override
    CheckpointStore open() {
        return store;
    }

    @Override
    Optional<byte[]> content(Which which) {
        return switch (which) {
            case CURRENT -> store.current();
            case BACKUP -> store.backup();
        };
    }

    @Override
    void put(Which which, Optional<byte[]> content) {
        switch (which) {
            case CURRENT -> store.current(content);
            case BACKUP -> store.backup(content);
        }
    }

    @Test
    void failsASaveOnceAndChangesNothing() throws IOException {
        store.save(LedgerSpecimens.oneClaim());
        store.failSave(new IOException("full"));

        assertThatThrownBy(() -> store.save(LedgerSpecimens.twoClaims())).hasMessage("full");
        assertThat(store.load()).isEqualTo(loaded(LedgerSpecimens.oneClaim()));

        store.save(LedgerSpecimens.twoClaims());
        assertThat(store.load()).isEqualTo(loaded(LedgerSpecimens.twoClaims()));
    }
}
