package io.imexagent.controller.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.fake.Bench;
import io.imexagent.controller.fake.FakeClient.Cut;
import io.imexagent.controller.fake.FakeCluster;
import io.imexagent.controller.plan.LedgerEntry;
import io.imexagent.controller.plan.Names;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.control.ClaimUse;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.TemplateObject;
import io.imexagent.kubernetes.control.TemplateObject.Content;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;

/**
 * Two controllers, both of the opinion that they lead, with watches that lag, calls that are cut off, restarts, users and
 * pods in between: whatever the order, no channel is ever in the hands of two ComputeDomains, and afterwards everybody
 * has one.
 */
@Tag("property")
class TwoControllersTest {

    private static final int CHANNELS = 5;
    private static final int NAMES = 6;

    /** One thing that happens; {@code which} chooses among what there is. */
    record Happening(Kind kind, int controller, int which) {}

    enum Kind {
        CREATE,
        DELETE,
        DELETE_TEMPLATE,
        CLAIM,
        END_CLAIM,
        DELIVER,
        RECONCILE,
        CUT_RECONCILE,
        RESTART,
        TIME
    }

    @Provide
    Arbitrary<List<Happening>> happenings() {
        Arbitrary<Kind> kinds = Arbitraries.frequency(
                net.jqwik.api.Tuple.of(4, Kind.CREATE),
                net.jqwik.api.Tuple.of(3, Kind.DELETE),
                net.jqwik.api.Tuple.of(1, Kind.DELETE_TEMPLATE),
                net.jqwik.api.Tuple.of(3, Kind.CLAIM),
                net.jqwik.api.Tuple.of(3, Kind.END_CLAIM),
                net.jqwik.api.Tuple.of(6, Kind.DELIVER),
                net.jqwik.api.Tuple.of(12, Kind.RECONCILE),
                net.jqwik.api.Tuple.of(5, Kind.CUT_RECONCILE),
                net.jqwik.api.Tuple.of(1, Kind.RESTART),
                net.jqwik.api.Tuple.of(2, Kind.TIME));
        return net.jqwik.api.Combinators.combine(
                        kinds,
                        Arbitraries.integers().between(0, 1),
                        Arbitraries.integers().between(0, 30))
                .as(Happening::new)
                .list()
                .ofMinSize(20)
                .ofMaxSize(120);
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

    /** The cluster, two controllers, users and pods. */
    private static final class World {

        private final FakeCluster cluster = new FakeCluster();
        private final Bench.Time time = new Bench.Time();
        private final List<Bench> controllers = new ArrayList<>(List.of(controller(), controller()));
        private int cutIn = Integer.MAX_VALUE;
        private Cut cut = Cut.BEFORE;
        private int made;

        private Bench controller() {
            return new Bench(
                    cluster,
                    Bench.isolated(CHANNELS),
                    time,
                    call -> cutIn-- == 0 ? Optional.of(cut) : Optional.empty());
        }

        void happen(Happening happening) {
            Bench controller = controllers.get(happening.controller());
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
                case CLAIM -> pick(cluster.templates(), which).ifPresent(this::claim);
                case END_CLAIM ->
                    pick(cluster.claims(), which)
                            .ifPresent(claim -> cluster.removeClaim(claim.ref().uid()));
                case DELIVER -> controller.client().deliver(1 + which % 5);
                case RECONCILE -> reconcile(controller, which);
                case CUT_RECONCILE -> {
                    // One or two calls come through, then one is lost, or its answer.
                    cutIn = which % 3;
                    cut = which % 2 == 0 ? Cut.BEFORE : Cut.AFTER;
                    reconcile(controller, which / 3);
                    cutIn = Integer.MAX_VALUE;
                }
                case RESTART -> controllers.set(happening.controller(), controller());
                case TIME -> {
                    // A quarantine is longer than a watch lags.
                    controllers.forEach(one -> one.client().deliver(Integer.MAX_VALUE));
                    time.pass(Bench.QUARANTINE.dividedBy(2));
                    controllers.forEach(one -> one.client().deliver(Integer.MAX_VALUE));
                }
            }
        }

        private static void reconcile(Bench controller, int which) {
            pick(controller.state().everybody(), which).ifPresent(uid -> {
                var _ = controller.reconciler().reconcile(uid);
            });
        }

        private void claim(TemplateObject template) {
            var _ = cluster.claim(template, "claim-" + made++, selected(template));
        }

        private static Optional<ChannelId> selected(TemplateObject template) {
            return template.content() instanceof Content.Workload workload
                    ? workload.selector().flatMap(Names::selected)
                    : Optional.empty();
        }

        private static <T> Optional<T> pick(List<T> all, int which) {
            return all.isEmpty() ? Optional.empty() : Optional.of(all.get(which % all.size()));
        }

        /** Whoever can come to a channel: by a template that pods can use, by a claim, by the status. */
        void check() {
            Map<ChannelId, Set<String>> hands = new HashMap<>();
            for (DomainObject domain : cluster.domains()) {
                // The status of one that is being deleted leads nobody to a channel: no claim of it is prepared.
                domain.channel()
                        .filter(channel -> !domain.deleting())
                        .ifPresent(channel -> hand(hands, channel, domain.ref().uid()));
            }
            for (TemplateObject template : cluster.templates()) {
                selected(template).ifPresent(channel -> hand(hands, channel, domainOf(template)));
            }
            for (ClaimUse claim : cluster.claims()) {
                claim.channels()
                        .forEach(channel ->
                                hand(hands, channel, claim.domains().iterator().next()));
            }
            assertThat(hands.values()).allSatisfy(of -> assertThat(of).hasSize(1));
            hands.forEach((channel, of) -> assertThat(owner(channel))
                    .as("ledger of channel %s", channel)
                    .isEqualTo(of.iterator().next()));
        }

        private static String domainOf(TemplateObject template) {
            return template.content().domainId().orElseThrow();
        }

        private static void hand(Map<ChannelId, Set<String>> hands, ChannelId channel, String uid) {
            hands.computeIfAbsent(channel, none -> new HashSet<>()).add(uid);
        }

        /**
         * Whom the ledger names: the holder, or who held it last. A controller that lags can make the template of a
         * ComputeDomain that is going a last time; its channel is nobody else's until that is gone too.
         */
        private String owner(ChannelId channel) {
            return cluster.leases().stream()
                    .flatMap(lease -> LedgerEntry.of(lease).stream())
                    .filter(entry -> entry.channel().equals(channel))
                    .flatMap(entry -> entry.owner().stream())
                    .findFirst()
                    .orElse("nobody");
        }

        /** Pods end, half of the ComputeDomains go, both controllers work in turns: everything comes to rest. */
        void end() {
            cluster.claims().forEach(claim -> cluster.removeClaim(claim.ref().uid()));
            cluster.domains().stream()
                    .skip(CHANNELS - 1)
                    .forEach(domain -> cluster.deleteDomain(domain.ref().uid()));
            for (int round = 0; round < 8; round++) {
                controllers.forEach(Bench::settle);
                check();
                time.pass(Bench.QUARANTINE);
            }
            Set<String> templates = new HashSet<>();
            List<DomainObject> living = cluster.domains();
            assertThat(living).noneMatch(DomainObject::deleting);
            living.forEach(domain -> {
                boolean nameTaken = !templates.add(domain.templateName());
                if (!nameTaken) {
                    assertThat(living.stream()
                                    .filter(other -> other.templateName().equals(domain.templateName()))
                                    .filter(DomainObject::ready))
                            .as("ready ComputeDomains of template %s", domain.templateName())
                            .hasSize(1);
                }
            });
            assertThat(cluster.templates()).hasSize(templates.size()).noneMatch(TemplateObject::deleting);
            assertThat(cluster.leases().stream().filter(lease -> lease.holder().isPresent()))
                    .hasSize(templates.size());
        }
    }
}
