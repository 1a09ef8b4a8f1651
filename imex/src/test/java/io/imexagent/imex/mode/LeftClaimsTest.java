package io.imexagent.imex.mode;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Objection;
import io.imexagent.files.FileSteps;
import io.imexagent.imex.fake.HostTree;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Collections;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeftClaimsTest {

    private static final Optional<BootId> BOOT = Optional.of(new BootId("boot"));
    private static final Ledger PREPARED = Ledger.empty(BOOT).with(DraSpecimens.completed(DraSpecimens.ref("a"), 0));

    @TempDir
    Path folder;

    @Test
    void objectsWhileClaimsOfThisAgentArePrepared() throws IOException {
        given(PREPARED, true);

        assertThat(objection(BOOT))
                .hasValueSatisfying(objection -> assertThat(objection.text())
                        .contains("HostManagedIMEX is off now", "uid uid-a", "Way out:", "run --force"));
    }

    @Test
    void doesNotObjectWhereNothingIsPrepared() throws IOException {
        assertThat(objection(BOOT)).isEmpty();
        given(Ledger.empty(BOOT), true);
        assertThat(objection(BOOT)).isEmpty();
    }

    @Test
    void claimsOfThePublicDriverAreNotThisAgents() throws IOException {
        given(PREPARED, false);

        assertThat(objection(BOOT)).isEmpty();
    }

    @Test
    void claimsOfAnEarlierBootAreVoid() throws IOException {
        given(PREPARED, true);

        assertThat(objection(Optional.of(new BootId("next")))).isEmpty();
    }

    @Test
    void whatCannotBeReadKeepsNobodyFromObserving() throws IOException {
        given(PREPARED, true);
        new HostTree(folder).with("plugin/checkpoint.json", "not a checkpoint");
        assertThat(objection(BOOT)).isEmpty();

        new HostTree(folder).unreadable("plugin/checkpoint.json");
        assertThat(objection(BOOT)).isEmpty();
    }

    private void given(Ledger ledger, boolean byThisAgent) throws IOException {
        new HostTree(folder).with("plugin/.keep", "");
        new FileCheckpointStore(
                        folder.resolve("plugin"), CheckpointFormat.PUBLIC_DRIVER, Clock.systemUTC(), FileSteps.ALL_PASS)
                .save(ledger);
        if (byThisAgent) {
            new ModeFile(folder).write(ServingMode.HOST_MANAGED_NONE, Collections.emptySortedSet());
        }
    }

    private Optional<Objection> objection(Optional<BootId> boot) {
        return ModeGuard.leftBehind(new ModeFile(folder), folder.resolve("plugin/checkpoint.json"), boot);
    }
}
