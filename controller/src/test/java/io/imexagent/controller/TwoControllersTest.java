package io.imexagent.controller;

import static io.imexagent.controller.Fabric.ONE;
import static io.imexagent.controller.Fabric.TWO;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.FakeClient.Cut;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.TemplateObject;
import io.imexagent.kubernetes.clique.DomainName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;

/**
 * Two controllers, both of the opinion that they lead, with watches that lag, calls that are cut off or stand still while
 * the other goes on, restarts, tables that are lost or deleted, nodes that come and go, users in between: whatever the
 * order, no channel of a clique is ever used for two ComputeDomains, and afterwards everything comes to rest. (The agent's
 * side of the protocol has a model of its own, in {@code imex}.)
 */
@Tag("property")
class TwoControllersTest {

    private static final int NAMES = 6;
    private static final List<DomainName> WORKLOADS =
            IntStream.range(0, 5).mapToObj(i -> Fabric.domain("workload-" + i)).toList();

    /** One thing that happens; {@code which} chooses among what there is. */
    record Happening(Kind kind, int controller, int which) {}

    enum Kind {
        CREATE,
        DELETE,
        DELETE_TEMPLATE,
        STRIP_TEMPLATE,
        AGENT,
        RELEASE,
        LOSE_TABLE,
        DELETE_TABLE,
        NODE_GOES,
        DELIVER,
        RECONCILE,
        CUT_RECONCILE,
        STAND_STILL,
        RESTART
    }

    @Provide
    Arbitrary<List<Happening>> happenings() {
        Arbitrary<Kind> kinds = Arbitraries.frequency(
                Tuple.of(2, Kind.CREATE),
                Tuple.of(2, Kind.DELETE),
                Tuple.of(1, Kind.DELETE_TEMPLATE),
                Tuple.of(1, Kind.STRIP_TEMPLATE),
                Tuple.of(24, Kind.AGENT),
                Tuple.of(6, Kind.RELEASE),
                Tuple.of(1, Kind.LOSE_TABLE),
                Tuple.of(1, Kind.DELETE_TABLE),
                Tuple.of(1, Kind.NODE_GOES),
                Tuple.of(8, Kind.DELIVER),
                Tuple.of(14, Kind.RECONCILE),
                Tuple.of(6, Kind.CUT_RECONCILE),
                Tuple.of(5, Kind.STAND_STILL),
                Tuple.of(1, Kind.RESTART));
        return Combinators.combine(
                        kinds,
                        Arbitraries.integers().between(0, 1),
                        Arbitraries.integers().between(0, 59))
                .as(Happening::new)
                .list()
                .ofMinSize(30)
                .ofMaxSize(200);
    }

    @Property(tries = 400)
    void noChannelIsEverInTwoHands(@ForAll("happenings") List<Happening> happenings) {
        var world = new World();
        happenings.forEach(happening -> {
            world.happen(happening);
            world.check();
        });
        world.end();
    }

    /** The cluster, two controllers, agents and users. */
    private static final class World {

        private final FakeCluster cluster = new FakeCluster();
        private final ControllerRig.Time time = new ControllerRig.Time();
        private final List<FakeAgent> agents = List.of(
                new FakeAgent(cluster, "tray-0", ONE),
                new FakeAgent(cluster, "tray-1", ONE),
                new FakeAgent(cluster, "tray-2", ONE),
                new FakeAgent(cluster, "tray-3", TWO));
        private final List<ControllerRig> controllers = new ArrayList<>(List.of(controller(), controller()));
        private int cutIn = Integer.MAX_VALUE;
        private Cut cut = Cut.BEFORE;
        private int made;

        private ControllerRig controller() {
            return new ControllerRig(
                    cluster,
                    ControllerRig.isolated(),
                    time,
                    call -> cutIn-- == 0 ? Optional.of(cut) : Optional.empty());
        }

        void happen(Happening happening) {
            ControllerRig controller = controllers.get(happening.controller());
            int which = happening.which();
            switch (happening.kind()) {
                case CREATE -> cluster.createDomain("domain-" + made++, "template-" + which % NAMES);
                case DELETE ->
                    pick(cluster.domains(), which)
                            .ifPresent(
                                    domain -> cluster.deleteDomain(domain.ref().uid()));
                case DELETE_TEMPLATE ->
                    pick(cluster.templates(), which)
                            .ifPresent(template ->
                                    cluster.deleteTemplate(template.ref().uid()));
                case STRIP_TEMPLATE ->
                    pick(cluster.templates(), which)
                            .ifPresent(template -> cluster.put(new TemplateObject(
                                    template.ref(),
                                    template.deleting(),
                                    template.finalizers(),
                                    Map.of(),
                                    template.content())));
                case AGENT -> {
                    for (int steps = which % 5; steps >= 0; steps--) {
                        agent(which).step(WORKLOADS.get(which / agents.size() % WORKLOADS.size()));
                    }
                }
                case RELEASE -> agent(which).release(WORKLOADS.get(which / agents.size() % WORKLOADS.size()));
                case LOSE_TABLE -> {
                    // What an agent saw in it, and has not written down yet, is lost with it.
                    agents.forEach(FakeAgent::note);
                    cluster.lose(which % 2 == 0 ? ONE : TWO);
                }
                case DELETE_TABLE -> cluster.delete((which % 2 == 0 ? ONE : TWO).text());
                case NODE_GOES -> nodeGoes(controller, which);
                case DELIVER -> controller.client().deliver(1 + which % 5);
                case RECONCILE -> reconcile(controller, which);
                case CUT_RECONCILE -> {
                    // Some calls come through, then one is lost, or its answer.
                    cutIn = which % 4;
                    cut = which % 2 == 0 ? Cut.BEFORE : Cut.AFTER;
                    reconcile(controller, which / 4);
                    cutIn = Integer.MAX_VALUE;
                }
                case STAND_STILL -> standStill(happening.controller(), which);
                case RESTART -> controllers.set(happening.controller(), controller());
            }
        }

        private FakeAgent agent(int which) {
            return agents.get(which % agents.size());
        }

        /** A host burns down: nothing of it runs on, and its Node goes. */
        private void nodeGoes(ControllerRig controller, int which) {
            agent(which).burn();
            controller.client().deliver(Integer.MAX_VALUE);
            controller.work(new ReconcileKey.ResyncKey());
            time.pass(ControllerRig.LOST_AFTER);
            controller.state().nodes.all().forEach(node -> controller.work(new ReconcileKey.NodeKey(node.name())));
            agent(which).install();
        }

        /** One stands still in a call, and leads no more after it; agents, users and the other go on meanwhile. */
        private void standStill(int stands, int which) {
            ControllerRig still = controllers.get(stands);
            ControllerRig other = controllers.get(1 - stands);
            int inCall = still.client().calls().size() + which % 6;
            Cut when = which % 2 == 0 ? Cut.BEFORE : Cut.AFTER;
            still.client().suspending((call, moment) -> {
                if (call == inCall && moment == when) {
                    still.depose(which % 3 == 0);
                    goesOn(other, which);
                }
            });
            reconcile(still, which / 6);
            still.client().suspending((call, moment) -> {});
            still.depose(false);
        }

        private void goesOn(ControllerRig other, int which) {
            for (int i = 0; i < 3; i++) {
                agent(which + i).release(WORKLOADS.get(which % WORKLOADS.size()));
                check();
                if (which % 2 == 0) {
                    other.settle();
                    check();
                }
                agents.forEach(agent -> agent.step(WORKLOADS.get((which + 1) % WORKLOADS.size())));
                check();
            }
            happen(new Happening(which % 4 == 0 ? Kind.DELETE : Kind.CREATE, 0, which));
            other.settle();
            check();
        }

        private static void reconcile(ControllerRig controller, int which) {
            // Tables first: a look at one of them is what races are about.
            List<ReconcileKey> known = controller.known();
            List<ReconcileKey> chosen = which % 2 == 0
                    ? known.stream()
                            .filter(ReconcileKey.CliqueKey.class::isInstance)
                            .toList()
                    : known;
            pick(chosen, which / 2).ifPresent(work -> {
                var _ = controller.work(work);
            });
        }

        private static <T> Optional<T> pick(List<T> all, int which) {
            return all.isEmpty() ? Optional.empty() : Optional.of(all.get(which % all.size()));
        }

        /** Whoever uses a channel: what an agent gave to a container, until that has ended. */
        void check() {
            Map<CliqueId, Map<ChannelId, Set<DomainName>>> hands = new HashMap<>();
            agents.forEach(agent -> agent.uses()
                    .forEach((domain, channel) -> hands.computeIfAbsent(agent.clique(), none -> new HashMap<>())
                            .computeIfAbsent(channel, none -> new HashSet<>())
                            .add(domain)));
            hands.forEach((clique, channels) -> assertThat(channels)
                    .allSatisfy((channel, of) -> assertThat(of)
                            .as("channel %s of clique %s", channel, clique)
                            .hasSize(1)));
        }

        /** Workloads end, half of the ComputeDomains go, both controllers work in turns: everything comes to rest. */
        void end() {
            rest();
            agents.forEach(agent -> WORKLOADS.forEach(agent::step));
            agents.forEach(agent -> WORKLOADS.forEach(agent::release));
            cluster.domains().stream()
                    .skip(3)
                    .forEach(domain -> cluster.deleteDomain(domain.ref().uid()));
            rest();
            // What lost its labels after its ComputeDomain had gone is nobody's; whose name it has is told to delete
            // it.
            cluster.templates().stream()
                    .filter(template -> template.labels().isEmpty())
                    .forEach(template -> cluster.deleteTemplate(template.ref().uid()));
            rest();
            assertThat(cluster.nodes()).as("nodes").hasSize(agents.size());
            for (CliqueId clique : List.of(ONE, TWO)) {
                assertThat(cluster.table(clique)).as("table of %s", clique).hasValueSatisfying(table -> {
                    assertThat(table.deleting()).isFalse();
                    assertThat(table.content().table().entries()).isEmpty();
                    assertThat(table.content().limit()).isEqualTo(FakeAgent.CHANNELS);
                });
            }
            List<DomainObject> living = cluster.domains();
            assertThat(living).noneMatch(DomainObject::deleting);
            Stream<String> names =
                    living.stream().map(DomainObject::templateName).distinct();
            assertThat(names)
                    .allSatisfy(name -> assertThat(living.stream()
                                    .filter(domain -> domain.templateName().equals(name))
                                    .filter(DomainObject::ready))
                            .as("ready ComputeDomains of template %s; %s; %s", name, living, cluster.templates())
                            .hasSize(1));
            // One whose labels somebody took away after its ComputeDomain had gone is nobody's.
            Set<String> wanted = living.stream().map(DomainObject::templateName).collect(Collectors.toSet());
            assertThat(cluster.templates().stream()
                            .filter(template -> !template.labels().isEmpty()
                                    || wanted.contains(template.ref().name())))
                    .hasSize((int) living.stream()
                            .map(DomainObject::templateName)
                            .distinct()
                            .count())
                    .noneMatch(TemplateObject::deleting);
        }

        private void rest() {
            for (int round = 0; round < 4; round++) {
                controllers.forEach(ControllerRig::settle);
                check();
            }
        }
    }
}
