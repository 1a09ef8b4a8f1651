package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.prepare.Operation;
import io.imexagent.agent.prepare.PrepareObserver;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.prepare.RefusalCode;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FileHealthTest {

    private final FileHealth health = new FileHealth();
    private final PrepareObserver observer = health.before(PrepareObserver.NONE);

    @Test
    void isWellUntilAWriteFails() {
        observer.refused(Operation.PREPARE, RefusalCode.NO_CLIQUE);

        assertThat(health.condition().holds()).isTrue();
    }

    @Test
    void isBadAfterAFailedWriteUntilOneSucceeds() {
        observer.refused(Operation.UNPREPARE, RefusalCode.EFFECT_FAILED);
        assertThat(health.condition().holds()).isFalse();

        observer.ledger(Ledger.empty(Optional.empty()));
        assertThat(health.condition().holds()).isTrue();
    }
}
