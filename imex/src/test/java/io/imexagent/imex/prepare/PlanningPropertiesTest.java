package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.DeviceConfig.Source;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPlanner.PreparePlan;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Effect;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.imex.specimen.Parameters;
import io.imexagent.kubernetes.ComputeDomains.DomainRef;
import io.imexagent.kubernetes.DriverNames;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;

/** Planning of prepare, over claims, ledgers and nodes in all states. */
class PlanningPropertiesTest {

    private static final List<ClaimRef> REFS =
            List.of(ClaimSpecimens.ref("a"), ClaimSpecimens.ref("b"), ClaimSpecimens.ref("c"));

    @Property
    void planningIsDeterministic(
            @ForAll("facts") Facts facts,
            @ForAll("ledgers") Ledger ledger,
            @ForAll("nodes") NodeInventory node,
            @ForAll @IntRange(min = -200, max = 200) int seconds) {
        var now = NodeSpecimens.NOON.plusSeconds(seconds);

        assertThat(facts.plan(ledger, node, now)).isEqualTo(facts.plan(ledger, node, now));
    }

    @Property
    void aPreparedClaimIsPreparedOnce(
            @ForAll("facts") Facts facts,
            @ForAll("ledgers") Ledger ledger,
            @ForAll("nodes") NodeInventory node,
            @ForAll @IntRange(min = -200, max = 200) int seconds) {
        var now = NodeSpecimens.NOON.plusSeconds(seconds);
        var model = new ModelNode(ledger);
        Outcome<PreparePlan> outcome = facts.plan(ledger, node, now);
        Statistics.label("outcome").collect(outcome.getClass().getSimpleName());
        Statistics.label("outcome").coverage(coverage -> {
            coverage.check("Accepted").percentage(p -> p > 10);
            coverage.check("Refused").percentage(p -> p > 10);
        });
        if (!(outcome instanceof Outcome.Accepted<PreparePlan>(PreparePlan ready))) {
            return;
        }

        model.run(ready.effects(), ready.effects().size());
        Ledger prepared = model.ledger;

        assertThat(facts.plan(prepared, node, now).toOptional()).hasValueSatisfying(repeated -> {
            assertThat(repeated.entry()).isEqualTo(ready.entry());
            assertThat(repeated.effects()).noneMatch(effect -> effect instanceof Effect.RecordEntry);
            model.run(repeated.effects(), repeated.effects().size());
        });
        assertThat(model.ledger).isEqualTo(prepared);
    }

    @Property
    void anAcceptedPlanWritesTheSpecAndEndsWithTheAnswer(
            @ForAll("facts") Facts facts, @ForAll("nodes") NodeInventory node) {
        Ledger empty = Ledger.empty(Optional.of(NodeSpecimens.BOOT));
        if (!(facts.plan(empty, node, NodeSpecimens.NOON)
                instanceof Outcome.Accepted<PreparePlan>(PreparePlan ready))) {
            return;
        }

        assertThat(ready.effects()).hasSize(2).first().isInstanceOf(Effect.WriteCdi.class);
        assertThat(ready.effects()).last().isEqualTo(new Effect.RecordEntry(ready.entry()));
        assertThat(ready.entry().uid()).isEqualTo(facts.ref().uid());
    }

    @Property
    void unprepareLeavesNeitherDeviceNorSpecAndIsIdempotent(
            @ForAll("ledgers") Ledger ledger, @ForAll @IntRange(max = 2) int claim) {
        var uid = REFS.get(claim).uid();
        var model = new ModelNode(ledger);
        ledger.completed()
                .forEach(entry -> model.specs.put(
                        entry.uid(), PreparePlanner.edits(entry.uid(), List.of(), NodeSpecimens.MAJOR)));

        model.run(Planning.unprepare(uid, ledger, NodeSpecimens.NOON), Integer.MAX_VALUE);

        assertThat(model.specs).doesNotContainKey(uid);
        assertThat(model.ledger.completed()).noneMatch(entry -> entry.uid().equals(uid));
        assertThat(Planning.unprepare(uid, model.ledger, NodeSpecimens.NOON)).isEmpty();
    }

    @Provide
    Arbitrary<Facts> facts() {
        return Combinators.combine(Arbitraries.of(REFS), isolations(), domains(), tables())
                .flatAs((ref, isolation, domain, table) ->
                        statuses(isolation).map(status -> new Facts(ref, isolation, status, domain, table)));
    }

    @Provide
    Arbitrary<Ledger> ledgers() {
        return Arbitraries.of(REFS)
                .flatMap(PlanningPropertiesTest::entries)
                .list()
                .ofMaxSize(2)
                .map(entries -> {
                    Ledger ledger = Ledger.empty(Optional.of(NodeSpecimens.BOOT));
                    for (ClaimEntry entry : entries) {
                        ledger = ledger.with(entry);
                    }
                    return ledger;
                });
    }

    @Provide
    Arbitrary<NodeInventory> nodes() {
        Arbitrary<CliqueState> cliques = Arbitraries.frequencyOf(
                Tuple.of(4, Arbitraries.just(new CliqueState.KnownClique(NodeSpecimens.CLIQUE))),
                Tuple.of(1, Arbitraries.of(new CliqueState.NoClique("x"), new CliqueState.UnknownClique("x"))));
        Arbitrary<ChannelMajor> majors = Arbitraries.frequencyOf(
                Tuple.of(4, Arbitraries.integers().between(1, 511).map(ChannelMajor.RegisteredMajor::new)),
                Tuple.of(1, Arbitraries.of(new ChannelMajor.UnregisteredMajor(), new ChannelMajor.UnknownMajor("x"))));
        return Combinators.combine(cliques, majors).as(NodeSpecimens::with);
    }

    private static Arbitrary<Optional<DomainRef>> domains() {
        DomainRef own = Situation.domain(ClaimSpecimens.NAMESPACE, false);
        return Arbitraries.of(
                Optional.of(own),
                Optional.of(own),
                Optional.of(own),
                Optional.of(Situation.domain("another", false)),
                Optional.empty());
    }

    private static Arbitrary<Isolation> isolations() {
        return Arbitraries.of(Isolation.NONE, Isolation.IMEX_CHANNEL);
    }

    private static Arbitrary<Planning.Table> tables() {
        return Arbitraries.of(
                Planning.Table.of(1),
                Planning.Table.of(1),
                Planning.Table.of(2),
                new Planning.Table(Outcome.accepted(new ChannelId(1)), false),
                new Planning.Table(Outcome.refused(RefusalCode.CHANNELS_EXHAUSTED, "x"), true));
    }

    /** A claim, its ComputeDomain and what a look for a channel comes to. */
    record Facts(
            ClaimRef ref, Isolation isolation, ClaimStatus status, Optional<DomainRef> domain, Planning.Table table) {

        Outcome<PreparePlan> plan(Ledger ledger, NodeInventory node, Instant now) {
            var policy = NodeSpecimens.policy(NodeSpecimens.NAME, isolation, false);
            return Planning.plan(policy, node, domain, table, ref, status, ledger, now);
        }
    }

    private static Arbitrary<ClaimStatus> statuses(Isolation isolation) {
        String device = NodeSpecimens.policy(NodeSpecimens.NAME, isolation, false)
                .device()
                .orElseThrow();
        Arbitrary<AllocatedDevice> devices = Arbitraries.of(
                DraSpecimens.allocated("channel", DriverNames.DRIVER, NodeSpecimens.NAME, device),
                DraSpecimens.allocated("channel", DriverNames.DRIVER, NodeSpecimens.NAME, device),
                ClaimSpecimens.channel("channel/small", Optional.of(true), Optional.of("share")),
                DraSpecimens.allocated("channel", DriverNames.DRIVER, NodeSpecimens.NAME, "channel-1"),
                DraSpecimens.allocated("gpu", "gpu.nvidia.com", NodeSpecimens.NAME, "gpu-0"));
        Arbitrary<DeviceConfig> configs = Combinators.combine(
                        Arbitraries.of(Source.class), Arbitraries.of("Single", "Single", "", "All"))
                .as((source, mode) -> ClaimSpecimens.config(source, Parameters.channel(ClaimSpecimens.DOMAIN, mode)));
        return Combinators.combine(
                        devices.list().ofMinSize(1).ofMaxSize(2),
                        configs.list().ofMinSize(1).ofMaxSize(2))
                .as(ClaimSpecimens::status);
    }

    private static Arbitrary<ClaimEntry> entries(ClaimRef ref) {
        return Arbitraries.of(
                ClaimSpecimens.started(ref),
                ClaimSpecimens.completed(ref, 0),
                ClaimSpecimens.completed(ref, 1),
                new ClaimEntry.Aborted(
                        ref.uid(),
                        Optional.of(ref.name()),
                        ClaimSpecimens.status(ClaimSpecimens.DOMAIN),
                        NodeSpecimens.NOON));
    }
}
