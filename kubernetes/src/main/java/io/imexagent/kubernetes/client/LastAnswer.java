package io.imexagent.kubernetes.client;

import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.KubernetesApi.State;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** What the last calls told about the server. */
final class LastAnswer {

    private final InstantSource clock;
    private final AtomicReference<State> state = new AtomicReference<>(new State.Untried());

    LastAnswer(InstantSource clock) {
        this.clock = clock;
    }

    State state() {
        return state.get();
    }

    /** A call was answered. */
    void answered() {
        state.set(new State.Answering(clock.instant()));
    }

    /** A call failed; some failures are orderly answers about an object, and tell that the server is well. */
    void failed(ApiFailure failure) {
        switch (failure.kind()) {
            case NO_RELATIONSHIP, NOT_FOUND, CONFLICT, GONE, INVALID -> answered();
            case UNREACHABLE, TIMEOUT, UNAUTHORIZED, FORBIDDEN, THROTTLED, SERVER_ERROR, UNREADABLE, UNSUPPORTED ->
                state.updateAndGet(before -> new State.Failing(clock.instant(), failure, lastAnswer(before)));
        }
    }

    private static Optional<Instant> lastAnswer(State before) {
        return switch (before) {
            case State.Untried untried -> Optional.empty();
            case State.Answering answering -> Optional.of(answering.at());
            case State.Failing failing -> failing.lastAnswer();
        };
    }
}
