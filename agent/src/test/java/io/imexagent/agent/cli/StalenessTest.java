package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class StalenessTest {

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-23T10:00:00.7Z"));
    private final Staleness staleness = new Staleness(now::get);

    @Test
    void whatIsOldSaysSinceWhenAndWhy() {
        assertThat(staleness.update(Optional.of("the API server is away")))
                .contains("since 2026-11-23T10:00:00Z, the API server is away");

        now.set(Instant.parse("2026-11-23T10:05:00Z"));

        assertThat(staleness.update(Optional.of("the API server refuses")))
                .as("another reason, and old since the first")
                .contains("since 2026-11-23T10:00:00Z, the API server refuses");
    }

    @Test
    void whatIsNewAgainIsOldFromTheNextTime() {
        staleness.update(Optional.of("the API server is away"));
        assertThat(staleness.update(Optional.empty())).isEmpty();

        now.set(Instant.parse("2026-11-23T11:00:00Z"));

        assertThat(staleness.update(Optional.of("the API server is away")))
                .contains("since 2026-11-23T11:00:00Z, the API server is away");
    }
}
