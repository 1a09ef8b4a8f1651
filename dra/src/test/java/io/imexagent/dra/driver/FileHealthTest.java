package io.imexagent.dra.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.Operation;
import io.imexagent.dra.claim.PrepareObserver;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FileHealthTest {

    private final FileHealth health = new FileHealth();
    private final PrepareObserver observer = health.before(PrepareObserver.NONE);

    @Test
    void isNotKnownUntilSomebodyHasLooked() {
        assertThat(health.condition().holds()).isFalse();
        assertThat(health.condition().detail()).contains("not been looked at yet");

        health.looked(Optional.empty());

        assertThat(health.condition().holds()).isTrue();
    }

    @Test
    void isWellUntilAWriteFails() {
        health.looked(Optional.empty());
        observer.refused(Operation.PREPARE, RefusalCode.NO_CLIQUE);

        assertThat(health.condition().holds()).isTrue();
    }

    @Test
    void isBadAfterAFailedWriteUntilOneSucceeds() {
        health.looked(Optional.empty());
        observer.refused(Operation.UNPREPARE, RefusalCode.EFFECT_FAILED);
        assertThat(health.condition().holds()).isFalse();

        observer.ledger(Ledger.empty(Optional.empty()));
        assertThat(health.condition().holds()).isTrue();
    }

    @Test
    void aFailedWriteDoesNotStickWhereALookAfterItWentWell() {
        var doubts = new AtomicInteger();
        health.onDoubt(doubts::incrementAndGet);
        observer.refused(Operation.PREPARE, RefusalCode.EFFECT_FAILED);
        assertThat(doubts).hasValue(1);

        health.looked(Optional.empty());

        assertThat(health.condition().holds()).isTrue();
    }

    @Test
    void namesWhatALookHasFound() {
        health.looked(Optional.of("cannot write /var/lib/x: No space left on device; free space there"));
        observer.refused(Operation.PREPARE, RefusalCode.EFFECT_FAILED);

        assertThat(health.condition().detail()).contains("/var/lib/x", "free space there");
    }
}
