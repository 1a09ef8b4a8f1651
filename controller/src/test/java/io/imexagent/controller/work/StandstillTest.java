package io.imexagent.controller.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.fake.Bench;
import io.imexagent.controller.fake.FakeClient.Cut;
import io.imexagent.controller.fake.FakeCluster;
import io.imexagent.controller.plan.LedgerEntry;
import io.imexagent.controller.plan.Names;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.LeaseObject;
import io.imexagent.kubernetes.control.TemplateObject;
import io.imexagent.kubernetes.control.TemplateObject.Content;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * A controller stands still in a call, as a process that is suspended, until another has taken over, has given its
 * ComputeDomain's channel up, let it rest, and handed it to the next. Then the call goes through, or its answer arrives:
 * it must not bring the channel back.
 */
class StandstillTest {

    /** Channels 1 and 2. */
    private static final int CHANNELS = 3;

    /**
     * What is to be done when the controller begins, and what happens while it stands still.
     *
     * @param calls how many calls the first run is made of; it stands still in each
     */
    private record Scenario(
            String name, int calls, Consumer<FakeCluster> before, BiConsumer<FakeCluster, Runnable> meanwhile) {}

    private static final List<Scenario> SCENARIOS = List.of(
            new Scenario("make, and deleted meanwhile", 4, StandstillTest::made, StandstillTest::deletedMeanwhile),
            new Scenario("make, and the name taken meanwhile", 4, StandstillTest::made, StandstillTest::nameTaken),
            new Scenario("give a second channel back", 6, StandstillTest::twoChannels, (cluster, rest) -> rest.run()),
            new Scenario("delete", 4, StandstillTest::deleted, (cluster, rest) -> rest.run()));

    private static void made(FakeCluster cluster) {
        cluster.createDomain("train", "channel");
    }

    private static void deletedMeanwhile(FakeCluster cluster, Runnable rest) {
        cluster.deleteDomain(cluster.domain("train").ref().uid());
        rest.run();
    }

    /** A user puts a template of his own in the place of the controller's, and takes it away later. */
    private static void nameTaken(FakeCluster cluster, Runnable rest) {
        for (TemplateObject made : cluster.templates()) {
            cluster.put(new TemplateObject(made.ref(), true, List.of(), made.labels(), made.content()));
        }
        TemplateObject foreign = cluster.put(new TemplateObject(
                cluster.ref("team", "channel"), false, List.of(), Map.of(), new Content.Other(Optional.empty())));
        rest.run();
        cluster.deleteTemplate(foreign.ref().uid());
    }

    private static void twoChannels(FakeCluster cluster) {
        DomainObject train = cluster.createDomain("train", "channel");
        for (int channel = 1; channel < CHANNELS; channel++) {
            cluster.put(new LeaseObject(
                    cluster.ref("imex-agent", Names.entry(new ChannelId(channel))),
                    LedgerEntry.taken(train, Bench.BEGIN, Optional.empty())));
        }
    }

    private static void deleted(FakeCluster cluster) {
        made(cluster);
        new Bench(cluster, Bench.isolated(CHANNELS), new Bench.Time()).settle();
        cluster.deleteDomain(cluster.domain("train").ref().uid());
    }

    @TestFactory
    Stream<DynamicTest> aCallThatComesLateGivesNobodyTheChannelOfAnother() {
        return SCENARIOS.stream()
                .flatMap(scenario -> Stream.of(Cut.values())
                        .flatMap(moment -> IntStream.range(0, scenario.calls())
                                .mapToObj(call -> DynamicTest.dynamicTest(
                                        scenario.name() + ", stands still " + moment + " call " + call,
                                        () -> run(scenario, moment, call)))));
    }

    private static void run(Scenario scenario, Cut moment, int inCall) {
        var cluster = new FakeCluster();
        scenario.before().accept(cluster);
        var time = new Bench.Time();
        var still = new Bench(cluster, Bench.isolated(CHANNELS), time);
        var other = new Bench(cluster, Bench.isolated(CHANNELS), time);
        List<String> stood = new ArrayList<>();
        still.client().suspending((call, when) -> {
            if (call == inCall && when == moment && stood.isEmpty()) {
                stood.add(still.client().calls().get(call));
                still.depose(true);
                scenario.meanwhile().accept(cluster, () -> handOn(cluster, other, time));
            }
        });

        for (String uid : still.state().everybody()) {
            var _ = still.reconciler().reconcile(uid);
        }

        assertThat(stood).as("the call in which it stood still").hasSize(1);
        noChannelIsInTwoHands(cluster);
        still.depose(false);
        for (int round = 0; round < 3; round++) {
            still.settle();
            other.settle();
            noChannelIsInTwoHands(cluster);
            time.pass(Bench.QUARANTINE);
        }
        assertThat(cluster.domains()).noneMatch(DomainObject::deleting);
        assertThat(cluster.domain("next").ready()).isTrue();
    }

    /** What is to be released rests, and is handed to the next, all that there is. */
    private static void handOn(FakeCluster cluster, Bench other, Bench.Time time) {
        other.settle();
        time.pass(Bench.QUARANTINE);
        other.settle();
        cluster.createDomain("next", "next-channel");
        cluster.createDomain("over", "over-channel");
        other.settle();
        assertThat(cluster.domain("next").channel()).isPresent();
        noChannelIsInTwoHands(cluster);
    }

    private static void noChannelIsInTwoHands(FakeCluster cluster) {
        List<ChannelId> stated = cluster.domains().stream()
                .flatMap(domain -> domain.channel().stream())
                .toList();
        assertThat(stated).doesNotHaveDuplicates();
        for (DomainObject domain : cluster.domains()) {
            domain.channel()
                    .filter(channel -> !domain.deleting())
                    .ifPresent(channel -> assertThat(holder(cluster, channel))
                            .as("ledger of channel %s", channel)
                            .isEqualTo(domain.ref().uid()));
        }
    }

    private static String holder(FakeCluster cluster, ChannelId channel) {
        return cluster.leases().stream()
                .filter(lease -> lease.ref().name().equals(Names.entry(channel)))
                .flatMap(lease -> lease.holder().stream())
                .findFirst()
                .orElse("nobody");
    }
}
