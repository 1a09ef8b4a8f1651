package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.dra.claim.ClaimPlanner;
import io.imexagent.dra.claim.ClaimPlanner.PreparePlan;
import io.imexagent.dra.recovery.Sweeper;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.kubernetes.ComputeDomains.DomainRef;
import io.imexagent.kubernetes.clique.ChannelTable;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.statistics.Statistics;

/** A node's life: claims come and go, the agent ends after any effect, the machine restarts, time passes. */
class NodeHistoryTest {

    private static final List<ClaimRef> REFS =
            List.of(ClaimSpecimens.ref("a"), ClaimSpecimens.ref("b"), ClaimSpecimens.ref("c"));
    private static final String ONE = "5d1c5c6e-0000-4000-8000-000000000001";
    private static final String TWO = "5d1c5c6e-0000-4000-8000-000000000002";
    private static final String MISSING = "5d1c5c6e-0000-4000-8000-000000000003";
    private static final String THIEF = "5d1c5c6e-0000-4000-8000-000000000004";
    private static final String UNHELD = "5d1c5c6e-0000-4000-8000-000000000005";
    private static final List<String> DOMAINS = List.of(ONE, TWO, MISSING, THIEF, UNHELD);
    private static final List<ChannelId> CHANNELS = List.of(new ChannelId(0), new ChannelId(5), new ChannelId(9));
    private static final int WHOLE = Integer.MAX_VALUE;

    private Rules rules = new Rules(Isolation.NONE, Sharing.NONE);

    @Property(tries = 4000)
    void noChannelIsHeldByTwoAndEveryAnswerLastsWhateverHappens(
            @ForAll("rules") Rules under, @ForAll("histories") List<Event> history) {
        rules = under;
        var node = ModelNode.fresh();
        var answered = new HashSet<ClaimUid>();
        node.start(WHOLE);
        boolean shared = false;

        for (Event event : history) {
            happen(event, node, answered);

            shared |= assertHeldAsTheRulesSay(node.ledger);
            assertThat(completed(node)).containsAll(answered);
            assertThat(node.specs.keySet()).as("specs").containsAll(completed(node));
            assertThat(node.ledger.entries().keySet()).as("entries").containsAll(node.specs.keySet());
        }
        Statistics.label("a claim was answered").collect(!answered.isEmpty());
        Statistics.label("a claim was answered")
                .coverage(coverage -> coverage.check(true).percentage(p -> p > 5));
        Statistics.label("a channel was shared").collect(shared);
        Statistics.label("a channel was shared")
                .coverage(coverage -> coverage.check(true).percentage(p -> p > 3));
        assertComesToRest(node);
    }

    /**
     * One holder of a channel; with sharing one ComputeDomain; with isolation the one whose channel it is.
     *
     * @return whether a channel has several holders
     */
    private boolean assertHeldAsTheRulesSay(Ledger ledger) {
        for (ChannelId channel : CHANNELS) {
            Set<String> owners = ledger.holdersOf(channel).stream()
                    .map(holder -> holder.groups().getFirst().computeDomain())
                    .collect(Collectors.toSet());
            assertThat(owners).as("owners of channel " + channel).hasSizeLessThanOrEqualTo(1);
            assertThat(owners)
                    .allSatisfy(owner -> assertThat(rules.channelOf(owner)).isEqualTo(channel));
            if (rules.isolation() == Isolation.IMEX_CHANNEL) {
                assertThat(owners).as("holds that do not stand").doesNotContain(UNHELD);
            }
            if (rules.sharing() == Sharing.NONE) {
                assertThat(ledger.holdersOf(channel)).hasSizeLessThanOrEqualTo(1);
            }
        }
        return CHANNELS.stream().anyMatch(channel -> ledger.holdersOf(channel).size() > 1);
    }

    /** Nothing stays half done: once all is unprepared and a while has passed, any claim can be prepared. */
    private void assertComesToRest(ModelNode node) {
        for (ClaimRef ref : REFS) {
            node.run(Planning.unprepare(ref.uid(), node.ledger, node.now), WHOLE);
        }
        assertThat(node.specs).isEmpty();
        assertThat(completed(node)).isEmpty();
        assertThat(node.ledger.all(ClaimEntry.Started.class)).isEmpty();

        node.run(Sweeper.plan(node.ledger, Set.of(), node.now), WHOLE);
        node.now = node.now.plus(ClaimPlanner.ABORTED_FOR.multipliedBy(2));
        node.run(Sweeper.plan(node.ledger, Set.of(), node.now), WHOLE);
        assertThat(node.ledger.entries()).isEmpty();
        assertThat(prepare(node, REFS.getFirst(), ONE, WHOLE)).isTrue();
        assertThat(node.ledger.holdersOf(rules.channelOf(ONE))).hasSize(1);
    }

    private void happen(Event event, ModelNode node, Set<ClaimUid> answered) {
        switch (event) {
            case Event.Prepare prepare -> {
                if (prepare(node, REFS.get(prepare.claim()), DOMAINS.get(prepare.domain()), prepare.cut())) {
                    answered.add(REFS.get(prepare.claim()).uid());
                }
            }
            case Event.Unprepare unprepare -> {
                ClaimUid uid = REFS.get(unprepare.claim()).uid();
                answered.remove(uid);
                endUnless(node.run(Planning.unprepare(uid, node.ledger, node.now), unprepare.cut()), node);
            }
            case Event.Sweep sweep -> {
                ClaimUid gone = REFS.get(sweep.gone()).uid();
                endUnless(node.run(Sweeper.plan(node.ledger, Set.of(gone), node.now), sweep.cut()), node);
            }
            case Event.Reboot reboot -> {
                answered.clear();
                node.reboot();
                endUnless(node.start(reboot.cut()), node);
            }
            case Event.Wait wait -> node.now = node.now.plusSeconds(wait.seconds());
        }
    }

    private boolean prepare(ModelNode node, ClaimRef ref, String domain, int cut) {
        return rules.plan(ref, domain, node)
                .toOptional()
                .map(plan -> endUnless(node.run(plan.effects(), cut), node))
                .orElse(false);
    }

    /** An agent whose effects were cut off has ended; it starts again, and its first start may be cut off as well. */
    private static boolean endUnless(boolean whole, ModelNode node) {
        if (!whole) {
            node.start(1);
            node.start(WHOLE);
        }
        return whole;
    }

    private static List<ClaimUid> completed(ModelNode node) {
        return node.ledger.completed().stream().map(ClaimEntry::uid).toList();
    }

    @Provide
    Arbitrary<List<Event>> histories() {
        Arbitrary<Integer> claims = Arbitraries.integers().between(0, REFS.size() - 1);
        Arbitrary<Integer> domains = Arbitraries.of(0, 0, 0, 1, 2, 3, 4);
        Arbitrary<Integer> cuts = Arbitraries.of(0, 1, 2, 3, WHOLE, WHOLE, WHOLE, WHOLE);
        Arbitrary<Event> prepares = Combinators.combine(claims, domains, cuts).as(Event.Prepare::new);
        Arbitrary<Event> unprepares = Combinators.combine(claims, cuts).as(Event.Unprepare::new);
        Arbitrary<Event> sweeps = Combinators.combine(claims, cuts).as(Event.Sweep::new);
        return Arbitraries.frequencyOf(
                        Tuple.of(8, prepares),
                        Tuple.of(5, unprepares),
                        Tuple.of(1, sweeps),
                        Tuple.of(1, cuts.map(Event.Reboot::new)),
                        Tuple.of(1, Arbitraries.of(-3600, -45, 45, 90).map(Event.Wait::new)))
                .list()
                .ofMinSize(1)
                .ofMaxSize(25);
    }

    @Provide
    Arbitrary<Rules> rules() {
        return Combinators.combine(
                        Arbitraries.of(Isolation.NONE, Isolation.IMEX_CHANNEL), Arbitraries.of(Sharing.values()))
                .as(Rules::new);
    }

    /**
     * How the node serves. The table gives the thief the channel of the second ComputeDomain, as after a hold that was
     * lost; what it gives to the one that is not held does not stand when the claim is planned.
     */
    record Rules(Isolation isolation, Sharing sharing) {

        ChannelId channelOf(String domain) {
            return isolation == Isolation.NONE ? CHANNELS.get(0) : CHANNELS.get(domain.equals(ONE) ? 1 : 2);
        }

        Outcome<PreparePlan> plan(ClaimRef ref, String domain, ModelNode node) {
            Optional<DomainRef> found = domain.equals(MISSING)
                    ? Optional.empty()
                    : Optional.of(
                            new DomainRef(new ComputeDomainUid(domain), ClaimSpecimens.NAMESPACE, "train", false));
            var policy = new ServingPolicy(
                    NodeSpecimens.NAME,
                    isolation,
                    new ChannelTable.Limits(64, 64),
                    sharing,
                    ServingPolicy.USUAL_PLACES,
                    false,
                    CliqueMissing.REFUSE);
            return Planning.plan(
                    policy,
                    node.inventory(),
                    found,
                    new Planning.Table(Outcome.accepted(channelOf(domain)), !domain.equals(UNHELD)),
                    ref,
                    ClaimSpecimens.status(domain, policy.device().orElseThrow()),
                    node.ledger,
                    node.now);
        }
    }

    /** Something that happens to a node; a cut is the number of effects after which the agent ends. */
    sealed interface Event {
        record Prepare(int claim, int domain, int cut) implements Event {}

        record Unprepare(int claim, int cut) implements Event {}

        record Sweep(int gone, int cut) implements Event {}

        record Reboot(int cut) implements Event {}

        record Wait(int seconds) implements Event {}
    }
}
