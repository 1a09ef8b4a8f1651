package io.imexagent.dra.driver;

import io.imexagent.core.check.Condition;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.Operation;
import io.imexagent.dra.claim.PrepareObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Knows whether the files of claims can be changed: from the claims, whose files were written or were not, and from
 * whoever looks in between. A fault of a claim stands until a change was written, or a look after it went well.
 */
final class FileHealth {

    private static final String OF_A_CLAIM = "a claim's files could not be written; see the log";

    private final AtomicReference<Optional<String>> fault =
            new AtomicReference<>(Optional.of("the files have not been looked at yet"));
    private volatile Runnable doubted = () -> {};

    /** Calls the listener when a claim's files have failed. */
    void onDoubt(Runnable listener) {
        doubted = listener;
    }

    /** Somebody has looked, and found this, or nothing, to be wrong. */
    void looked(Optional<String> found) {
        fault.set(found);
    }

    /** An observer that looks for failed and successful writes, and tells the next one everything. */
    PrepareObserver before(PrepareObserver next) {
        return new PrepareObserver() {
            @Override
            public void began(Operation operation) {
                next.began(operation);
            }

            @Override
            public void ended(Operation operation, Duration took, Optional<RefusalCode> failure) {
                next.ended(operation, took, failure);
            }

            @Override
            public void refused(Operation operation, RefusalCode code) {
                if (code == RefusalCode.EFFECT_FAILED) {
                    // What a look has found names the file, and stands.
                    fault.updateAndGet(found -> found.or(() -> Optional.of(OF_A_CLAIM)));
                    doubted.run();
                }
                next.refused(operation, code);
            }

            @Override
            public void endedAsGone() {
                next.endedAsGone();
            }

            @Override
            public void ledger(Ledger ledger) {
                fault.set(Optional.empty());
                next.ledger(ledger);
            }
        };
    }

    /** How it stands. */
    Condition condition() {
        Optional<String> wrong = fault.get();
        return new Condition(
                "checkpoint-writable", wrong.isEmpty(), wrong.orElse("checkpoint, CDI specs and lock can be changed"));
    }
}
