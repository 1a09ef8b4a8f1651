package io.imexagent.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.DomainPlanner.ControllerPolicy;
import io.imexagent.controller.FakeClient.Cut;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.TemplateObject;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.NvlinkClique;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
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
            new Scenario("create", cluster -> cluster.createDomain("train", "channel"), ControllerRig.shared()),
            new Scenario("delete", CutsTest::deleted, ControllerRig.shared()),
            new Scenario("begin isolation", cluster -> made(cluster, ControllerRig.shared()), ControllerRig.isolated()),
            new Scenario("template deleted by hand", CutsTest::withoutTemplate, ControllerRig.isolated()),
            new Scenario("template without labels", CutsTest::withoutLabels, ControllerRig.isolated()),
            new Scenario(
                    "delete with a template without labels", CutsTest::deletedWithoutLabels, ControllerRig.isolated()),
            new Scenario("remains", CutsTest::remains, ControllerRig.isolated()),
            new Scenario("make a table", Fabric::holds, ControllerRig.isolated()),
            new Scenario("free a channel", CutsTest::released, ControllerRig.isolated()),
            new Scenario("delete a table", CutsTest::left, ControllerRig.isolated()),
            new Scenario("lose a table", CutsTest::tableLost, ControllerRig.isolated()),
            new Scenario("table deleted by hand", CutsTest::tableDeleted, ControllerRig.isolated()),
            new Scenario("end isolation", CutsTest::released, ControllerRig.shared()),
            new Scenario("node deleted by hand", CutsTest::nodeDeleted, ControllerRig.isolated()),
            new Scenario("lose a node", CutsTest::nodeLost, ControllerRig.isolated()));

    private static DomainObject made(FakeCluster cluster, ControllerPolicy policy) {
        DomainObject domain = cluster.createDomain("train", "channel");
        new ControllerRig(cluster, policy, new ControllerRig.Time()).settle();
        return domain;
    }

    private static void deleted(FakeCluster cluster) {
        cluster.deleteDomain(made(cluster, ControllerRig.shared()).ref().uid());
    }

    private static void withoutTemplate(FakeCluster cluster) {
        made(cluster, ControllerRig.isolated());
        cluster.deleteTemplate(cluster.templates().getFirst().ref().uid());
    }

    private static void withoutLabels(FakeCluster cluster) {
        made(cluster, ControllerRig.isolated());
        TemplateObject template = cluster.templates().getFirst();
        cluster.put(new TemplateObject(template.ref(), false, template.finalizers(), Map.of(), template.content()));
    }

    private static void deletedWithoutLabels(FakeCluster cluster) {
        withoutLabels(cluster);
        cluster.deleteDomain(cluster.domain("train").ref().uid());
    }

    private static void remains(FakeCluster cluster) {
        made(cluster, ControllerRig.isolated());
        cluster.strip(cluster.domain("train"));
    }

    private static void held(FakeCluster cluster) {
        Fabric.holds(cluster);
        new ControllerRig(cluster, ControllerRig.isolated(), new ControllerRig.Time()).settle();
    }

    private static void released(FakeCluster cluster) {
        held(cluster);
        cluster.hold("tray-1", Fabric.ONE, 8);
        cluster.hold("tray-2", Fabric.ONE, 8);
    }

    private static void left(FakeCluster cluster) {
        released(cluster);
        cluster.hold("tray-1", Fabric.TWO, 8);
        cluster.hold("tray-2", Fabric.TWO, 8);
    }

    private static void tableLost(FakeCluster cluster) {
        held(cluster);
        cluster.lose(Fabric.ONE);
    }

    private static void tableDeleted(FakeCluster cluster) {
        released(cluster);
        cluster.delete(Fabric.ONE.text());
    }

    private static void nodeDeleted(FakeCluster cluster) {
        released(cluster);
        cluster.delete("tray-1");
    }

    private static void nodeLost(FakeCluster cluster) {
        held(cluster);
        cluster.kubernetesNode("tray-1", Optional.empty());
        cluster.kubernetesNode("tray-2", Optional.empty());
    }

    @TestFactory
    Stream<DynamicTest> everyCutOfEveryCall() {
        return SCENARIOS.stream().flatMap(scenario -> {
            FakeCluster undisturbed = new FakeCluster();
            scenario.before().accept(undisturbed);
            List<String> calls = run(undisturbed, scenario.policy());
            assertThat(calls).as(scenario.name()).isNotEmpty();
            String wanted = picture(undisturbed);
            return Stream.of(Cut.BEFORE, Cut.AFTER)
                    .flatMap(cut -> IntStream.range(0, calls.size())
                            .mapToObj(number -> DynamicTest.dynamicTest(
                                    scenario.name() + ", cut " + cut + " call " + number + " " + calls.get(number),
                                    () -> assertThat(cutAt(scenario, cut, number))
                                            .isEqualTo(wanted))));
        });
    }

    private static List<String> run(FakeCluster cluster, ControllerPolicy policy) {
        var time = new ControllerRig.Time();
        ControllerRig bench = new ControllerRig(cluster, policy, time);
        work(bench, time);
        return bench.client().calls();
    }

    /** Everything there is to do, and a round that sees Nodes missing, and what follows when they are lost. */
    private static void work(ControllerRig bench, ControllerRig.Time time) {
        bench.settle();
        bench.work(new ReconcileKey.ResyncKey());
        bench.settle();
        time.pass(ControllerRig.LOST_AFTER);
        bench.state().nodes.all().forEach(node -> bench.work(new ReconcileKey.NodeKey(node.name())));
        bench.settle();
    }

    private static String cutAt(Scenario scenario, Cut cut, int number) {
        FakeCluster cluster = new FakeCluster();
        scenario.before().accept(cluster);
        var time = new ControllerRig.Time();
        // From the cut on, no call comes through: the process is dead.
        ControllerRig dying = new ControllerRig(
                cluster,
                scenario.policy(),
                time,
                call -> call < number ? Optional.empty() : Optional.of(call == number ? cut : Cut.BEFORE));
        work(dying, time);
        assertThat(dying.client().calls()).hasSizeGreaterThan(number);
        run(cluster, scenario.policy());
        return picture(cluster);
    }

    /** What must be the same, whatever the way: no UIDs of templates, no versions. */
    private static String picture(FakeCluster cluster) {
        var text = new StringBuilder();
        cluster.domains()
                .forEach(domain -> text.append(domain.ref())
                        .append(domain.finalizers())
                        .append(domain.ready())
                        .append('\n'));
        for (TemplateObject template : cluster.templates()) {
            text.append(template.ref())
                    .append(template.deleting())
                    .append(template.finalizers())
                    .append(template.labels().get(DriverNames.COMPUTE_DOMAIN))
                    .append(template.content())
                    .append('\n');
        }
        cluster.nodes().keySet().stream()
                .sorted()
                .forEach(node -> text.append(node).append('\n'));
        for (var clique : List.of(Fabric.ONE, Fabric.TWO)) {
            Optional<Stored<NvlinkClique>> table = cluster.table(clique);
            text.append(table.map(Stored::content))
                    .append(table.map(Stored::deleting))
                    .append('\n');
        }
        return text.toString();
    }
}
