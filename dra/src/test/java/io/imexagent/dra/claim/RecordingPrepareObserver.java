package io.imexagent.dra.claim;

import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimService.PrepareObserver;
import io.imexagent.dra.claim.ClaimService.PrepareObserver.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Writes down what it is told. */
public final class RecordingPrepareObserver implements PrepareObserver {

    public final List<String> events = new CopyOnWriteArrayList<>();
    public final List<Integer> prepared = new CopyOnWriteArrayList<>();

    @Override
    public void began(Operation operation) {
        events.add(operation.label() + " began");
    }

    @Override
    public void ended(Operation operation, Duration took, Optional<RefusalCode> failure) {
        events.add(
                operation.label() + " ended " + failure.map(RefusalCode::label).orElse("well"));
    }

    @Override
    public void refused(Operation operation, RefusalCode code) {
        events.add(operation.label() + " refused " + code.label());
    }

    @Override
    public void ledger(Ledger ledger) {
        prepared.add(ledger.completed().size());
    }
}
