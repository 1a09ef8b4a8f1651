package io.imexagent.controller.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.fake.Bench;
import io.imexagent.controller.fake.FakeClient.Cut;
import io.imexagent.controller.fake.FakeCluster;
import io.imexagent.controller.plan.ControllerPolicy;
import io.imexagent.controller.plan.Names;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.LeaseObject;
import io.imexagent.kubernetes.control.TemplateObject;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * A controller that dies at any of its calls, with the call lost or its answer, and comes back, ends where one ends that
 * never died. The calls to cut are those that an undisturbed run makes, so no call is forgotten.
 */
class CutsTest {

    /**
     * A way that a cluster takes.
     *
     * @param before makes the cluster as it is before the controller comes
     * @param policy the controller's policy
     */
    private record Scenario(String name, Consumer<FakeCluster> before, ControllerPolicy policy) {}

    private static final List<Scenario> SCENARIOS = List.of(
            new Scenario("create", cluster -> cluster.createDomain("train", "channel"), Bench.shared()),
            new Scenario(
                    "create with a channel", cluster -> cluster.createDomain("train", "channel"), Bench.isolated(8)),
            new Scenario("delete", cluster -> deleted(cluster, Bench.shared()), Bench.shared()),
            new Scenario("delete with a channel", cluster -> deleted(cluster, Bench.isolated(8)), Bench.isolated(8)),
            new Scenario("begin isolation", cluster -> made(cluster, Bench.shared()), Bench.isolated(8)),
            new Scenario("end isolation", cluster -> made(cluster, Bench.isolated(8)), Bench.shared()),
            new Scenario("template deleted by hand", CutsTest::withoutTemplate, Bench.isolated(8)),
            new Scenario("ledger lost", CutsTest::withoutLedger, Bench.isolated(8)),
            new Scenario("delete with the ledger lost", CutsTest::deletedWithoutLedger, Bench.isolated(8)),
            new Scenario("remains", CutsTest::remains, Bench.isolated(8)));

    private static DomainObject made(FakeCluster cluster, ControllerPolicy policy) {
        DomainObject domain = cluster.createDomain("train", "channel");
        new Bench(cluster, policy, new Bench.Time()).settle();
        return domain;
    }

    private static void deleted(FakeCluster cluster, ControllerPolicy policy) {
        cluster.deleteDomain(made(cluster, policy).ref().uid());
    }

    private static void withoutTemplate(FakeCluster cluster) {
        made(cluster, Bench.isolated(8));
        cluster.deleteTemplate(cluster.templates().getFirst().ref().uid());
    }

    private static void withoutLedger(FakeCluster cluster) {
        made(cluster, Bench.isolated(8));
        cluster.removeLease("imex-channel-1");
    }

    private static void deletedWithoutLedger(FakeCluster cluster) {
        deleted(cluster, Bench.isolated(8));
        cluster.removeLease("imex-channel-1");
    }

    private static void remains(FakeCluster cluster) {
        made(cluster, Bench.isolated(8));
        DomainObject domain = cluster.domain("train");
        cluster.put(new DomainObject(
                domain.ref(), true, List.of(), domain.templateName(), "Single", true, domain.channel()));
    }

    @TestFactory
    Stream<DynamicTest> everyCutOfEveryCall() {
        return SCENARIOS.stream().flatMap(scenario -> {
            FakeCluster undisturbed = new FakeCluster();
            scenario.before().accept(undisturbed);
            List<String> calls = run(undisturbed, scenario.policy());
            assertThat(calls).as(scenario.name()).isNotEmpty();
            String wanted = picture(undisturbed);
            return Stream.of(Cut.values())
                    .flatMap(cut -> java.util.stream.IntStream.range(0, calls.size())
                            .mapToObj(number -> DynamicTest.dynamicTest(
                                    scenario.name() + ", cut " + cut + " call " + number + " " + calls.get(number),
                                    () -> assertThat(cutAt(scenario, cut, number))
                                            .isEqualTo(wanted))));
        });
    }

    private static List<String> run(FakeCluster cluster, ControllerPolicy policy) {
        var time = new Bench.Time();
        Bench bench = new Bench(cluster, policy, time);
        bench.settle();
        time.pass(Bench.QUARANTINE);
        bench.settle();
        return bench.client().calls();
    }

    private static String cutAt(Scenario scenario, Cut cut, int number) {
        FakeCluster cluster = new FakeCluster();
        scenario.before().accept(cluster);
        var time = new Bench.Time();
        // From the cut on, no call comes through: the process is dead.
        Bench dying = new Bench(
                cluster,
                scenario.policy(),
                time,
                call -> call < number ? Optional.empty() : Optional.of(call == number ? cut : Cut.BEFORE));
        for (int i = 0; i < 3; i++) {
            dying.state().everybody().forEach(dying.reconciler()::reconcile);
            dying.client().deliver(Integer.MAX_VALUE);
            if (number >= dying.client().calls().size()) {
                time.pass(Bench.QUARANTINE);
            }
        }
        assertThat(dying.client().calls()).hasSizeGreaterThan(number);
        run(cluster, scenario.policy());
        return picture(cluster);
    }

    /** What must be the same, whatever the way: no UIDs of templates, no versions, no times. */
    private static String picture(FakeCluster cluster) {
        var text = new StringBuilder();
        cluster.domains()
                .forEach(domain -> text.append(domain.ref())
                        .append(domain.finalizers())
                        .append(domain.ready())
                        .append(domain.channel())
                        .append('\n'));
        for (TemplateObject template : cluster.templates()) {
            text.append(template.ref())
                    .append(template.deleting())
                    .append(template.finalizers())
                    .append(template.labels().get(Names.COMPUTE_DOMAIN))
                    .append(template.content())
                    .append('\n');
        }
        for (LeaseObject lease : cluster.leases()) {
            text.append(lease.ref().name()).append(lease.holder()).append('\n');
        }
        return text.toString();
    }
}
