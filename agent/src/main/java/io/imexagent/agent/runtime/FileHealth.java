package io.imexagent.agent.runtime;

import io.imexagent.agent.http.Condition;
import io.imexagent.agent.prepare.Operation;
import io.imexagent.agent.prepare.PrepareObserver;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.prepare.RefusalCode;
import java.time.Duration;
import java.util.Optional;

/** Remembers whether the files of claims could be written the last time that somebody tried. */
final class FileHealth {

    private volatile boolean failed;

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
                failed |= code == RefusalCode.EFFECT_FAILED;
                next.refused(operation, code);
            }

            @Override
            public void ledger(Ledger ledger) {
                failed = false;
                next.ledger(ledger);
            }
        };
    }

    /** How it stands. */
    Condition condition() {
        return failed
                ? new Condition(
                        "checkpoint-writable", false, "the last claim's files could not be written; see the log")
                : new Condition("checkpoint-writable", true, "the last change was written");
    }
}
