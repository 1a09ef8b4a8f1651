package io.imexagent.imex.bind;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.core.inventory.NodesFile;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.policy.Isolation;
import io.imexagent.dra.claim.ManualClock;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeDefinition;
import io.imexagent.kubernetes.clique.NodeMode;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a node reports and nobody waits for: who uses channel 0, and what the agent does with channels. */
class ReportedHoldsTest {

    private static final DomainName A = domain('a');
    private static final DomainName B = domain('b');
    private static final Ledger NONE = Ledger.empty(Optional.of(NodeSpecimens.BOOT));
    private static final Duration REST = Duration.ofSeconds(16);
    private static final NodeStatus SERVING = NodeStatus.NONE
            .in(Optional.of(new NodeMode.ChannelMode(Isolation.NONE)))
            .since(OptionalLong.of(71_000_001))
            .with(Optional.of(NodesFile.of(List.of("10.0.0.1"), NodeIdentity.NONE, false)));

    private final FakeFabric fabric = new FakeFabric();
    private final ManualClock clock = new ManualClock();
    private final AtomicInteger questions = new AtomicInteger();
    private volatile HoldWriter.ApiCall<Boolean> granted = () -> true;
    private volatile boolean nodeMissing;
    private HoldWriter holds = holds("first");

    @AfterEach
    void stop() {
        holds.close();
    }

    @Test
    void aClaimOfChannelZeroIsReportedUnderItsComputeDomainsName() throws Exception {
        start(NONE);

        prepare(A, "one");

        settled("reported", () -> content().holds().containsKey(A.uid()));
        assertThat(content().holds().get(A.uid())).isEqualTo(new Hold(A, Optional.of(new ChannelId(0))));
        assertThat(content().cliques()).containsExactly(NodeSpecimens.CLIQUE);
    }

    @Test
    void thePrepareWritesNothingAndTheReportWaitsUntilItsClaimsHaveSettled() throws Exception {
        start(NONE);
        fabric.forgetCalls();

        prepare(A, "one");
        holds.wake();
        clock.advance(Duration.ofSeconds(1));
        holds.wake();

        assertThat(fabric.calls()).isEmpty();
        settled("reported", () -> content().holds().containsKey(A.uid()));
    }

    @Test
    void aThousandClaimsInAMinuteAreAHandfulOfWrites() throws Exception {
        start(NONE);
        fabric.forgetCalls();
        for (int claim = 0; claim < 1000; claim++) {
            prepare(claim % 2 == 0 ? A : B, "claim");
            holds.follow(NONE);
            clock.advance(Duration.ofMillis(60));
        }
        prepare(A, "last");

        settled("reported", () -> content().holds().containsKey(A.uid()));
        assertThat(content().holds()).containsOnlyKeys(A.uid());
        assertThat(fabric.calls().stream().filter(call -> call.startsWith("replace")))
                .hasSizeLessThanOrEqualTo(6);
    }

    @Test
    void theEndOfTheLastClaimIsReported() throws Exception {
        start(with(A, "one"));
        assertThat(content().holds()).containsOnlyKeys(A.uid());

        holds.follow(NONE);

        settled("taken back", () -> content().holds().isEmpty());
    }

    @Test
    void aStartRepairsWhatTheCrashBeforeTheReportLeftOut() throws Exception {
        start(NONE);
        prepare(A, "one");
        holds.close();

        holds = holds("second");
        start(with(A, "one"));

        assertThat(content().session()).isEqualTo("second");
        assertThat(content().holds()).containsOnlyKeys(A.uid());
    }

    @Test
    void aNextStartKeepsTheNameThatTheObjectHas() throws Exception {
        start(NONE);
        prepare(A, "one");
        settled("reported", () -> content().holds().containsKey(A.uid()));
        holds.close();

        holds = holds("second");
        start(with(A, "one"));

        assertThat(content().holds().values()).extracting(Hold::domain).containsExactly(A);
    }

    @Test
    void withoutTheApiServerClaimsAreNotTriedForAndTheReportComesLater() throws Exception {
        start(NONE);
        fabric.failForAnHour();
        prepare(A, "one");
        settled("it could not be reported", () -> holds.failure().isPresent());
        fabric.forgetCalls();

        for (int claim = 0; claim < 100; claim++) {
            prepare(B, "more");
            holds.follow(with(A, "one"));
        }
        // The turn that failed, and one more that was asked for meanwhile.
        assertThat(fabric.calls()).hasSizeLessThanOrEqualTo(2);

        fabric.fail(Optional.empty());
        settled("reported", () -> content().holds().containsKey(A.uid()));
    }

    @Test
    void aClusterThatDoesNotLetTheNodeWriteIsAskedEveryTenMinutesHoweverManyClaimsThereAre() throws Exception {
        granted = () -> {
            questions.incrementAndGet();
            return false;
        };
        holds.start(NONE, false, Optional.of(NodeSpecimens.BOOT));
        Eventually.holds("asked", () -> questions.get() == 1);

        for (int claim = 0; claim < 100; claim++) {
            prepare(A, "one");
            holds.wake();
        }
        clock.advance(Duration.ofMinutes(11));
        Eventually.holds("asked again", () -> {
            holds.wake();
            return questions.get() > 1;
        });

        assertThat(questions).hasValue(2);
        assertThat(fabric.calls()).isEmpty();
    }

    @Test
    void whetherItMayWriteIsAskedAgainWhereTheServerDidNotAnswer() throws Exception {
        granted = () -> {
            if (questions.incrementAndGet() == 1) {
                throw new ApiException(new ApiFailure(FailureKind.UNREACHABLE, "as the test wants", Optional.empty()));
            }
            return true;
        };
        holds.start(NONE, false, Optional.of(NodeSpecimens.BOOT));

        Eventually.holds("written", () -> {
            holds.wake();
            return holds.written();
        });
    }

    @Test
    void aReportNeedsNoSignOfLifeAndAsksForNoNode() throws Exception {
        nodeMissing = true;
        start(with(A, "one"));
        fabric.forgetCalls();

        for (int minute = 0; minute < 10; minute++) {
            clock.advance(Duration.ofMinutes(1));
            holds.wake();
        }

        assertThat(fabric.calls()).isEmpty();
    }

    @Test
    void aClaimOfAnotherDriverWhoseComputeDomainIsNoUidIsLeftOut() throws Exception {
        start(NONE.with(ClaimSpecimens.owning(ClaimSpecimens.ref("one"), 0, "not a UID")));

        assertThat(content().holds()).isEmpty();
    }

    @Test
    void theModeIsReported() throws Exception {
        start(NONE);

        assertThat(content().status()).isEqualTo(SERVING);
    }

    @ParameterizedTest
    @EnumSource(NodeDefinition.class)
    void aServerWithAnOlderDefinitionKeepsTheRest(NodeDefinition definition) throws Exception {
        fabric.prune(node -> node.fitting(definition));
        start(with(A, "one"));
        assertThat(content().status()).isEqualTo(definition.fitting(SERVING));
        fabric.forgetCalls();

        holds.follow(NONE);
        settled("taken back", () -> content().holds().isEmpty());

        assertThat(holds.failure()).isEmpty();
        assertThat(fabric.calls()).hasSize(1);
    }

    @Test
    void theNameThatAPrepareBringsTakesThePlaceOfAGuessedOne() throws Exception {
        start(with(A, "one"));
        assertThat(Objects.requireNonNull(content().holds().get(A.uid()))
                        .domain()
                        .name())
                .isEqualTo(A.uid().value());

        prepare(A, "one");

        settled(
                "named",
                () -> Objects.requireNonNull(content().holds().get(A.uid()))
                        .domain()
                        .equals(A));
    }

    @Test
    void anAgentThatOnlyObservesLeavesTheChannelsOfTheSameBootAndReportsNothing() throws Exception {
        start(with(A, "one")
                .with(ClaimSpecimens.owning(
                        ClaimSpecimens.ref("two"), 5, domain('b').uid().value())));
        holds.close();

        holds = holds("observing");
        holds.observe(Optional.of(NodeSpecimens.BOOT));

        Eventually.holds("written", () -> content().session().equals("observing"));
        assertThat(content().holds()).containsOnlyKeys(domain('b').uid());
        assertThat(content().holds().values())
                .singleElement()
                .satisfies(hold -> assertThat(hold.channel()).contains(new ChannelId(5)))
                .satisfies(hold -> assertThat(hold.kept()).isFalse());
    }

    private void prepare(DomainName domain, String claim) {
        holds.name(domain);
        holds.follow(with(domain, claim));
        holds.end();
    }

    private void start(Ledger ledger) throws Exception {
        holds.start(ledger, false, Optional.of(NodeSpecimens.BOOT));
        Eventually.holds("written", () -> holds.written());
    }

    /** Lets the time pass that a report may take. */
    private void settled(String what, Callable<Boolean> condition) throws Exception {
        Eventually.holds(what, () -> {
            clock.advance(REST);
            holds.wake();
            return condition.call();
        });
    }

    private NvlinkNode content() {
        return fabric.content(NodeSpecimens.NAME).orElseThrow();
    }

    private HoldWriter holds(String session) {
        return new HoldWriter(
                fabric,
                new HoldWriter.NodeSources(
                        NodeSpecimens.NAME,
                        session,
                        NodeSpecimens::healthy,
                        () -> SERVING,
                        () -> nodeMissing,
                        () -> granted.make(),
                        HoldWriter.DomainNameLookup.NONE),
                clock,
                () -> 0,
                () -> {});
    }

    private static Ledger with(DomainName domain, String claim) {
        return NONE.with(
                ClaimSpecimens.owning(ClaimSpecimens.ref(claim), 0, domain.uid().value()));
    }

    private static DomainName domain(char letter) {
        return new DomainName(
                new ComputeDomainUid("5d1c5c6e-0000-4000-8000-00000000000" + letter), "team", "train-" + letter);
    }
}
