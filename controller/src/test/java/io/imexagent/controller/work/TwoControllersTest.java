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
import io.imexagent.kubernetes.control.LeaseObject;
import io.imexagent.kubernetes.control.TemplateObject;
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
 * Two controllers, both of the opinion that they lead, with watches that lag, calls that are cut off or stand still while
 * the other goes on, restarts, a ledger that loses entries and gets old ones back, ComputeDomains that come back from a
 * backup, users and pods in between: whatever the order, no channel is ever in the hands of two ComputeDomains, and
 * afterwards everybody has one.
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
        STAND_STILL,
        RESTART,
        LOSE_LEASE,
        RESTORE_LEASE,
        RESTORE_DOMAIN,
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
                net.jqwik.api.Tuple.of(4, Kind.STAND_STILL),
                net.jqwik.api.Tuple.of(1, Kind.RESTART),
                net.jqwik.api.Tuple.of(1, Kind.LOSE_LEASE),
                net.jqwik.api.Tuple.of(1, Kind.RESTORE_LEASE),
                net.jqwik.api.Tuple.of(1, Kind.RESTORE_DOMAIN),
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
        /** What a backup holds: the last state of each ComputeDomain that was deleted, and of each Lease that was lost. */
        private final List<DomainObject> deleted = new ArrayList<>();

        private final List<LeaseObject> lost = new ArrayList<>();
        /** The status of a ComputeDomain of a backup, until a controller has written one. */
        private final Map<String, ChannelId> restored = new HashMap<>();

        private final Map<String, ClaimUse> granted = new HashMap<>();

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
                    pick(cluster.domains(), which).ifPresent(domain -> {
                        deleted.add(domain);
                        cluster.deleteDomain(domain.ref().uid());
                    });
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
                case STAND_STILL -> standStill(happening.controller(), which);
                case RESTART -> controllers.set(happening.controller(), controller());
                case LOSE_LEASE ->
                    pick(cluster.leases(), which).ifPresent(lease -> {
                        lost.add(lease);
                        cluster.removeLease(lease.ref().name());
                        deliver();
                    });
                case RESTORE_LEASE -> pick(lost, which).ifPresent(this::restore);
                case RESTORE_DOMAIN -> pick(deleted, which).ifPresent(this::restore);
                case TIME -> {
                    // A quarantine is longer than a watch lags.
                    deliver();
                    time.pass(Bench.QUARANTINE.dividedBy(2));
                    deliver();
                }
            }
        }

        /** The watches tell everything. A ledger that was changed behind the controllers' backs is not known before. */
        private void deliver() {
            controllers.forEach(one -> one.client().deliver(Integer.MAX_VALUE));
        }

        /** One stands still in a call, for longer than a channel rests, and leads no more after it; the other goes on. */
        private void standStill(int stands, int which) {
            Bench still = controllers.get(stands);
            Bench other = controllers.get(1 - stands);
            int inCall = still.client().calls().size() + which % 4;
            Cut when = which % 2 == 0 ? Cut.BEFORE : Cut.AFTER;
            still.client().suspending((call, moment) -> {
                if (call == inCall && moment == when) {
                    still.depose(true);
                    goesOn(other, which);
                }
            });
            reconcile(still, which / 4);
            still.client().suspending((call, moment) -> {});
            still.depose(false);
            still.client().deliver(Integer.MAX_VALUE);
        }

        private void goesOn(Bench other, int which) {
            other.settle();
            check();
            if (which % 3 == 0) {
                happen(new Happening(Kind.DELETE, 0, which));
                other.settle();
            } else if (which % 3 == 1) {
                happen(new Happening(Kind.DELETE_TEMPLATE, 0, which));
            }
            for (int round = 0; round < 2; round++) {
                time.pass(Bench.QUARANTINE);
                other.settle();
                check();
            }
            happen(new Happening(Kind.CREATE, 0, which));
            other.settle();
            check();
        }

        /** Backups bring back what is not there. */
        private void restore(LeaseObject lease) {
            boolean there = cluster.leases().stream()
                    .anyMatch(present -> present.ref().name().equals(lease.ref().name()));
            if (!there) {
                var ref = cluster.ref(lease.ref().namespace(), lease.ref().name());
                cluster.put(new LeaseObject(ref, lease.content()));
                deliver();
            }
        }

        private void restore(DomainObject domain) {
            boolean there = cluster.domains().stream()
                    .anyMatch(
                            present -> present.ref().path().equals(domain.ref().path()));
            if (!there) {
                DomainObject now = cluster.put(new DomainObject(
                        cluster.ref(domain.ref().namespace(), domain.ref().name()),
                        false,
                        domain.finalizers(),
                        domain.templateName(),
                        domain.allocationMode(),
                        domain.ready(),
                        domain.channel()));
                now.channel().ifPresent(channel -> restored.put(now.ref().uid(), channel));
            }
        }

        private static void reconcile(Bench controller, int which) {
            pick(controller.state().everybody(), which).ifPresent(uid -> {
                var _ = controller.reconciler().reconcile(uid);
            });
        }

        private void claim(TemplateObject template) {
            var _ = cluster.claim(template, "claim-" + made++, Names.selected(template));
        }

        private static <T> Optional<T> pick(List<T> all, int which) {
            return all.isEmpty() ? Optional.empty() : Optional.of(all.get(which % all.size()));
        }

        /**
         * Whoever has a channel, or can come to it: agents grant what the status of a living ComputeDomain says, and a
         * claim that was granted has it until it ends. A status that a backup brought is no controller's word; agents
         * would go by it all the same, which is why backups are restored without.
         */
        void check() {
            Map<ChannelId, Set<String>> hands = new HashMap<>();
            Map<String, ChannelId> statuses = new HashMap<>();
            for (DomainObject domain : cluster.domains()) {
                domain.channel()
                        .filter(channel -> written(domain, channel))
                        .ifPresent(channel -> statuses.put(domain.ref().uid(), channel));
            }
            statuses.forEach((uid, channel) -> hand(hands, channel, uid));
            List<String> living =
                    cluster.claims().stream().map(claim -> claim.ref().uid()).toList();
            granted.keySet().retainAll(living);
            for (ClaimUse claim : cluster.claims()) {
                String domain = claim.domains().iterator().next();
                if (Optional.ofNullable(statuses.get(domain))
                        .filter(claim.channels()::contains)
                        .isPresent()) {
                    granted.put(claim.ref().uid(), claim);
                }
            }
            granted.values()
                    .forEach(claim -> claim.channels()
                            .forEach(channel -> hand(
                                    hands, channel, claim.domains().iterator().next())));
            assertThat(hands)
                    .allSatisfy((channel, of) ->
                            assertThat(of).as("channel %s", channel).hasSize(1));
            if (lost.isEmpty() && restored.isEmpty()) {
                hands.forEach((channel, of) -> assertThat(owner(channel))
                        .as("ledger of channel %s", channel)
                        .isEqualTo(of.iterator().next()));
            }
        }

        private boolean written(DomainObject domain, ChannelId channel) {
            String uid = domain.ref().uid();
            boolean asRestored =
                    channel.equals(restored.get(uid)) && !owner(channel).equals(uid);
            if (!asRestored) {
                restored.remove(uid);
            }
            return !asRestored;
        }

        private static void hand(Map<ChannelId, Set<String>> hands, ChannelId channel, String uid) {
            hands.computeIfAbsent(channel, none -> new HashSet<>()).add(uid);
        }

        /** Whom the ledger names: the holder, or who held it last. */
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
