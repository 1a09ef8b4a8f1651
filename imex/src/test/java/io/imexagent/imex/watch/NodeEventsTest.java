package io.imexagent.imex.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.imex.health.ImexHealth;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Events.Event;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeEventsTest {

    private final FixedImexSource imex = new FixedImexSource();
    private final List<Event> made = new CopyOnWriteArrayList<>();
    private final AtomicReference<Instant> now = new AtomicReference<>(Healths.AT);
    private volatile boolean enabled = true;
    private final AtomicInteger refusals = new AtomicInteger();

    @TempDir
    private Path folder;

    private Path state;
    private Path file;
    private NodeEvents events;

    @BeforeEach
    void stateIsMadeByTheFirstEvent() {
        state = folder.resolve("state");
        file = state.resolve("imex-event");
        events = life();
    }

    private NodeEvents life() {
        return new NodeEvents(
                event -> {
                    boolean refused = refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
                    made.add(event);
                    if (refused) {
                        throw new ApiException(
                                new ApiFailure(ApiFailure.FailureKind.UNREACHABLE, "no route", Optional.empty()));
                    }
                },
                "node-1",
                state,
                imex,
                () -> enabled,
                now::get,
                Duration.ofMillis(10));
    }

    /** The agent ends, and the next begins with this health. */
    private void restart(ImexHealth health) throws InterruptedException {
        eventually(() -> refusals.get() > 0 || !content().contains("?"));
        events.close();
        imex.say(health);
        events = life();
        events.start();
    }

    @AfterEach
    void close() {
        events.close();
    }

    @Test
    void aNodeThatIsWellFromTheStartNeedsNoEvent() throws Exception {
        events.start();
        imex.say(Healths.up());
        imex.say(Healths.notApplicable());
        imex.say(Healths.degraded());

        eventually(() -> made.size() == 1);
        assertThat(made.getFirst().reason()).isEqualTo("ImexDegraded");
    }

    @Test
    void tellsEachChangeOnceWithItsReason() throws Exception {
        events.start();
        say(Healths.degraded(), 1);
        say(Healths.degraded(), 1);
        say(Healths.mismatched(), 2);
        say(Healths.up(), 3);

        assertThat(made)
                .extracting(Event::reason, Event::warning)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("ImexDegraded", true),
                        org.assertj.core.groups.Tuple.tuple("ImexVersionMismatch", true),
                        org.assertj.core.groups.Tuple.tuple("ImexUp", false));
        assertThat(made.getFirst())
                .isEqualTo(Event.ofNode(
                        "node-1",
                        true,
                        "CheckImex",
                        "ImexDegraded",
                        Healths.degraded().line(),
                        Healths.AT));
    }

    @Test
    void changesThatComeTooFastAreToldByTheirLast() throws Exception {
        events.start();
        say(Healths.degraded(), 1);
        say(Healths.up(), 2);
        say(Healths.degraded(), 3);

        imex.say(Healths.up());
        imex.say(Healths.down());
        Thread.sleep(50);
        assertThat(made).hasSize(3);

        now.set(Healths.AT.plus(NodeEvents.REST));
        imex.say(Healths.masked());
        eventually(() -> made.size() == 4);
        assertThat(made.getLast().reason()).isEqualTo("ImexMasked");
    }

    @Test
    void whatHasPassedByTheTimeItMayBeToldIsNotTold() throws Exception {
        events.start();
        say(Healths.degraded(), 1);
        say(Healths.up(), 2);
        say(Healths.degraded(), 3);
        imex.say(Healths.up());
        imex.say(Healths.degraded());

        now.set(Healths.AT.plus(NodeEvents.REST.multipliedBy(2)));
        imex.say(Healths.degraded());
        Thread.sleep(50);

        assertThat(made).hasSize(3);
    }

    @Test
    void anEventThatCannotBeMadeIsTriedAgainUntilItIsMade() throws Exception {
        refusals.set(2);
        events.start();
        imex.say(Healths.degraded());

        eventually(() -> made.size() == 3);
        now.set(Healths.AT.plus(NodeEvents.REST.multipliedBy(3)));
        imex.say(Healths.degraded());
        Thread.sleep(50);
        assertThat(made).extracting(Event::reason).containsExactly("ImexDegraded", "ImexDegraded", "ImexDegraded");
    }

    @Test
    void triesSpendTheAllowanceAndTellTheNewestOnly() throws Exception {
        refusals.set(Integer.MAX_VALUE);
        events.start();
        imex.say(Healths.degraded());
        eventually(() -> made.size() == NodeEvents.BURST);
        imex.say(Healths.down());
        Thread.sleep(50);
        assertThat(made).hasSize(NodeEvents.BURST);

        refusals.set(0);
        now.set(Healths.AT.plus(NodeEvents.REST));
        imex.say(Healths.up());
        eventually(() -> made.size() == NodeEvents.BURST + 1);
        assertThat(made.getLast().reason()).isEqualTo("ImexUp");
    }

    @Test
    void tellsNothingWhileItIsSwitchedOff() throws Exception {
        enabled = false;
        events.start();
        imex.say(Healths.down());
        Thread.sleep(50);
        assertThat(made).isEmpty();

        enabled = true;
        imex.say(Healths.masked());
        eventually(() -> made.size() == 1);
    }

    @Test
    void anAllowanceFillsUpOneByOneAndSurvivesAClockThatJumps() {
        var allowance = new NodeEvents.Allowance(2, Duration.ofMinutes(1));
        Instant at = Healths.AT;
        allowance.spend(at);
        allowance.spend(at);
        assertThat(allowance.wait(at)).isEqualTo(Duration.ofMinutes(1));
        assertThat(allowance.wait(at.plusSeconds(59))).isEqualTo(Duration.ofSeconds(1));
        assertThat(allowance.wait(at.plusSeconds(60))).isZero();
        allowance.spend(at.plusSeconds(60));
        assertThat(allowance.wait(at.plusSeconds(60))).isEqualTo(Duration.ofMinutes(1));

        Instant back = at.minus(Duration.ofDays(365));
        assertThat(allowance.wait(back)).isEqualTo(Duration.ofMinutes(1));
        assertThat(allowance.wait(back.plusSeconds(60))).isZero();
    }

    @Test
    void anUpThatTheRateLimitHeldBackIsToldAfterARestart() throws Exception {
        events.start();
        say(Healths.degraded(), 1);
        say(Healths.up(), 2);
        say(Healths.down(), 3);
        imex.say(Healths.up());
        Thread.sleep(50);
        assertThat(made).hasSize(3);

        restart(Healths.up());

        eventually(() -> made.size() == 4);
        assertThat(made.getLast().reason()).isEqualTo("ImexUp");
    }

    @Test
    void whatWasToldIsNotToldAgainAfterARestart() throws Exception {
        events.start();
        say(Healths.degraded(), 1);

        restart(Healths.degraded());
        Thread.sleep(50);
        assertThat(made).hasSize(1);

        say(Healths.up(), 2);
        restart(Healths.up());
        say(Healths.degraded(), 3);
        assertThat(made).extracting(Event::reason).containsExactly("ImexDegraded", "ImexUp", "ImexDegraded");
    }

    @Test
    void anotherSummaryOfTheSameVerdictIsToldAfterARestart() throws Exception {
        events.start();
        say(Healths.degraded(), 1);
        assertThat(file).content().startsWith("degraded ").doesNotContain("?");

        Files.writeString(file, "degraded otherwise");
        restart(Healths.degraded());

        eventually(() -> made.size() == 2);
    }

    @Test
    void anEventThatMayHaveBeenMadeIsFollowedByTheStateAfterARestart() throws Exception {
        refusals.set(Integer.MAX_VALUE);
        events.start();
        imex.say(Healths.down());
        eventually(() -> made.size() == NodeEvents.BURST);
        assertThat(file).hasContent("?");

        restart(Healths.up());
        refusals.set(0);

        eventually(() -> made.size() == NodeEvents.BURST + 1);
        assertThat(made.getLast().reason()).isEqualTo("ImexUp");
        eventually(() -> !content().contains("?"));
    }

    @Test
    void theRecordIsInDoubtBeforeTheServerHearsOfAnEvent() throws Exception {
        var seen = new AtomicReference<String>("");
        events = new NodeEvents(
                event -> {
                    seen.set(content());
                    made.add(event);
                },
                "node-1",
                state,
                imex,
                () -> true,
                now::get,
                Duration.ofMillis(10));
        events.start();
        say(Healths.degraded(), 1);

        assertThat(seen.get()).isEqualTo("?\n");
    }

    @Test
    void aRecordThatCannotBeReadIsDoubtAndOneThatCannotBeWrittenHoldsNoEventBack() throws Exception {
        Files.writeString(state, "a file where the directory should be");
        events.start();
        say(Healths.up(), 1);
        say(Healths.degraded(), 2);

        assertThat(made).extracting(Event::reason).containsExactly("ImexUp", "ImexDegraded");
    }

    private String content() {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void say(ImexHealth health, int then) throws InterruptedException {
        imex.say(health);
        eventually(() -> made.size() == then);
    }

    private static void eventually(BooleanSupplier condition) throws InterruptedException {
        for (int wait = 0; wait < 1000; wait++) {
            if (condition.getAsBoolean()) {
                return;
            }
            Thread.sleep(10);
        }
        throw new AssertionError("it has not come true");
    }
}
