package io.imexagent.controller.state;

import io.imexagent.controller.plan.Channels;
import io.imexagent.controller.plan.DomainView;
import io.imexagent.controller.plan.LedgerEntry;
import io.imexagent.controller.plan.Names;
import io.imexagent.controller.plan.OrphanPlanner.Remains;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.control.ClaimUse;
import io.imexagent.kubernetes.control.ControlPlane;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.LeaseObject;
import io.imexagent.kubernetes.control.TemplateObject;
import io.imexagent.kubernetes.control.TemplateObject.Content;
import io.imexagent.kubernetes.control.WatchSink;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * What the controller knows of the cluster. Every change names the ComputeDomains that it concerns, by UID; one that
 * does not exist is named too, since something may be left of it. Safe for threads.
 */
public final class ClusterState {

    /** The key that is concerned where a channel may have become free. No UID is empty. */
    public static final String POOL = "";

    private final Consumer<String> concerned;
    private final Known<DomainObject> domains = new Known<>(DomainObject::ref, this::domainChanged);
    private final Known<TemplateObject> templates = new Known<>(TemplateObject::ref, this::templateChanged);
    private final Known<ClaimUse> claims = new Known<>(ClaimUse::ref, this::claimChanged);
    private final Known<LedgerEntry> entries =
            new Known<>(entry -> entry.lease().ref(), this::entryChanged);
    private final Index domainsByTemplate = new Index();
    private final Index templatesByPath = new Index();
    private final Index templatesByDomain = new Index();
    private final Index claimsByDomain = new Index();
    private final Index claimsByChannel = new Index();
    private final Index entriesByOwner = new Index();
    private final Map<ChannelId, LedgerEntry> ledger = new TreeMap<>();
    /** By channel, which objects name it beside the ledger, and for which ComputeDomain. */
    private final Map<ChannelId, Map<String, String>> users = new HashMap<>();

    private final Set<String> confirmedGone = new HashSet<>();

    /** Nothing known yet; {@code concerned} is called with UIDs of ComputeDomains, often, and must not block. */
    public ClusterState(Consumer<String> concerned) {
        this.concerned = concerned;
    }

    /** Begins to watch. */
    public void watch(ControlPlane cluster) {
        cluster.watch(sink(domains), sink(templates), sink(claims), new LedgerSink());
    }

    /** Whether everything has been listed; before, nothing may be decided. */
    public synchronized boolean listed() {
        return domains.listed() && templates.listed() && claims.listed() && entries.listed();
    }

    /** The UIDs of all ComputeDomains, and of those of which something is left. */
    public synchronized List<String> everybody() {
        Set<String> uids = new LinkedHashSet<>();
        domains.all().forEach(domain -> uids.add(domain.ref().uid()));
        uids.addAll(templatesByDomain.keys());
        uids.addAll(entriesByOwner.keys());
        return List.copyOf(uids);
    }

    /** All ComputeDomains. */
    public synchronized List<DomainObject> domains() {
        return List.copyOf(domains.all());
    }

    /** What is known about a ComputeDomain; empty where there is none of this UID. */
    public synchronized Optional<DomainView> view(String uid) {
        return domains.get(uid)
                .map(domain -> new DomainView(
                        domain,
                        templatesByPath.get(templatePath(domain)).stream()
                                .flatMap(template -> templates.get(template).stream())
                                .findFirst(),
                        all(templatesByDomain, uid, templates),
                        all(claimsByDomain, uid, claims),
                        all(entriesByOwner, uid, entries),
                        this::channels));
    }

    /** What is left of a ComputeDomain that is not there. */
    public synchronized Remains remains(String uid) {
        List<LedgerEntry> owned = all(entriesByOwner, uid, entries);
        Set<ClaimUse> users = new LinkedHashSet<>(all(claimsByDomain, uid, claims));
        owned.stream()
                .filter(entry -> entry.holder().isPresent())
                .forEach(entry ->
                        users.addAll(all(claimsByChannel, entry.channel().toString(), claims)));
        return new Remains(
                new ComputeDomainUid(uid),
                confirmedGone.contains(uid),
                all(templatesByDomain, uid, templates),
                List.copyOf(users),
                owned);
    }

    /** All channels. */
    public synchronized Channels channels() {
        Map<ChannelId, Set<String>> of = new HashMap<>();
        users.forEach((channel, sources) -> of.put(channel, Set.copyOf(sources.values())));
        return new Channels(new TreeMap<>(ledger), of);
    }

    /** A call was answered: the ComputeDomain is like this now. */
    public synchronized void put(DomainObject domain) {
        confirmedGone.remove(domain.ref().uid());
        domains.put(domain);
    }

    /** A call was answered: the template is like this now. */
    public synchronized void put(TemplateObject template) {
        templates.put(template);
    }

    /** A call was answered: the claim is like this now. */
    public synchronized void put(ClaimUse claim) {
        claims.put(claim);
    }

    /** A call was answered: the Lease is like this now. */
    public synchronized void put(LeaseObject lease) {
        LedgerEntry.of(lease).ifPresent(entries::put);
    }

    /** A call was answered: the ComputeDomain is gone by it. */
    public synchronized void removed(DomainObject domain) {
        domains.gone(domain.ref().uid());
    }

    /** A call was answered: the template is gone by it. */
    public synchronized void removed(TemplateObject template) {
        templates.gone(template.ref().uid());
    }

    /** A call was answered: there is no ComputeDomain of this UID. */
    public synchronized void confirmGone(ComputeDomainUid uid) {
        confirmedGone.add(uid.value());
    }

    private <T> List<T> all(Index index, String key, Known<T> known) {
        List<T> found = new ArrayList<>();
        index.get(key).forEach(uid -> known.get(uid).ifPresent(found::add));
        return found;
    }

    private static String templatePath(DomainObject domain) {
        return domain.ref().namespace() + "/" + domain.templateName();
    }

    private void uses(Collection<ChannelId> before, Collection<ChannelId> now, String source, String domain) {
        for (ChannelId channel : before) {
            Map<String, String> sources = users.getOrDefault(channel, new HashMap<>());
            sources.remove(source);
            if (sources.isEmpty()) {
                users.remove(channel);
                concerned.accept(POOL);
            }
        }
        now.stream()
                .filter(channel -> channel.number() > 0)
                .forEach(channel ->
                        users.computeIfAbsent(channel, none -> new HashMap<>(2)).put(source, domain));
    }

    private void domainChanged(Optional<DomainObject> before, Optional<DomainObject> now) {
        before.ifPresent(domain -> domainsByTemplate.remove(
                List.of(templatePath(domain)), domain.ref().uid()));
        now.ifPresent(domain -> domainsByTemplate.add(
                List.of(templatePath(domain)), domain.ref().uid()));
        String uid = both(before, now).getFirst().ref().uid();
        uses(
                before.flatMap(DomainObject::channel).stream().toList(),
                now.flatMap(DomainObject::channel).stream().toList(),
                uid,
                uid);
        both(before, now).forEach(domain -> concerned.accept(domain.ref().uid()));
    }

    private void templateChanged(Optional<TemplateObject> before, Optional<TemplateObject> now) {
        before.ifPresent(template -> {
            templatesByPath.remove(
                    List.of(template.ref().path()), template.ref().uid());
            templatesByDomain.remove(labelled(template), template.ref().uid());
        });
        now.ifPresent(template -> {
            templatesByPath.add(List.of(template.ref().path()), template.ref().uid());
            templatesByDomain.add(labelled(template), template.ref().uid());
        });
        TemplateObject last = now.or(() -> before).orElseThrow();
        uses(
                before.stream().flatMap(ClusterState::selected).toList(),
                now.stream().flatMap(ClusterState::selected).toList(),
                last.ref().uid(),
                last.content().domainId().orElse(""));
        for (TemplateObject template : both(before, now)) {
            labelled(template).forEach(concerned);
            domainsByTemplate.get(template.ref().path()).forEach(concerned);
        }
    }

    private static Stream<ChannelId> selected(TemplateObject template) {
        return switch (template.content()) {
            case Content.Workload workload -> workload.selector().flatMap(Names::selected).stream();
            case Content.Other other -> Stream.empty();
        };
    }

    private static List<String> labelled(TemplateObject template) {
        return Optional.ofNullable(template.labels().get(Names.COMPUTE_DOMAIN)).stream()
                .toList();
    }

    private void claimChanged(Optional<ClaimUse> before, Optional<ClaimUse> now) {
        before.ifPresent(claim -> {
            claimsByDomain.remove(claim.domains(), claim.ref().uid());
            claimsByChannel.remove(texts(claim), claim.ref().uid());
        });
        now.ifPresent(claim -> {
            claimsByDomain.add(claim.domains(), claim.ref().uid());
            claimsByChannel.add(texts(claim), claim.ref().uid());
        });
        ClaimUse last = now.or(() -> before).orElseThrow();
        uses(
                before.map(ClaimUse::channels).orElse(Set.of()),
                now.map(ClaimUse::channels).orElse(Set.of()),
                last.ref().uid(),
                last.domains().stream().findFirst().orElse(""));
        for (ClaimUse claim : both(before, now)) {
            claim.domains().forEach(concerned);
            claim.channels().stream()
                    .flatMap(channel -> Optional.ofNullable(ledger.get(channel)).stream())
                    .flatMap(entry -> entry.owner().stream())
                    .forEach(concerned);
        }
    }

    private static List<String> texts(ClaimUse claim) {
        return claim.channels().stream().map(ChannelId::toString).toList();
    }

    private void entryChanged(Optional<LedgerEntry> before, Optional<LedgerEntry> now) {
        before.ifPresent(entry -> {
            entriesByOwner.remove(owners(entry), entry.lease().ref().uid());
            ledger.remove(entry.channel());
        });
        now.ifPresent(entry -> {
            entriesByOwner.add(owners(entry), entry.lease().ref().uid());
            ledger.put(entry.channel(), entry);
        });
        both(before, now).forEach(entry -> owners(entry).forEach(concerned));
        if (now.flatMap(LedgerEntry::holder).isEmpty()) {
            concerned.accept(POOL);
        }
    }

    private static List<String> owners(LedgerEntry entry) {
        return entry.owner().stream().toList();
    }

    private static <T> List<T> both(Optional<T> before, Optional<T> now) {
        List<T> both = new ArrayList<>(2);
        before.ifPresent(both::add);
        now.ifPresent(both::add);
        return both;
    }

    private <T> WatchSink<T> sink(Known<T> known) {
        return new Guarded<>(known);
    }

    /** Hands what a watch tells to what is known, under the lock. */
    private final class Guarded<T> implements WatchSink<T> {

        private final Known<T> known;

        Guarded(Known<T> known) {
            this.known = known;
        }

        @Override
        public void all(Collection<T> objects, String version) {
            synchronized (ClusterState.this) {
                known.all(objects, version);
            }
        }

        @Override
        public void present(T object) {
            synchronized (ClusterState.this) {
                known.put(object);
            }
        }

        @Override
        public void gone(String uid) {
            synchronized (ClusterState.this) {
                known.gone(uid);
            }
        }
    }

    /** Of the Leases only the ledger's. */
    private final class LedgerSink implements WatchSink<LeaseObject> {

        private final WatchSink<LedgerEntry> sink = sink(entries);

        @Override
        public void all(Collection<LeaseObject> objects, String version) {
            sink.all(
                    objects.stream()
                            .flatMap(lease -> LedgerEntry.of(lease).stream())
                            .toList(),
                    version);
        }

        @Override
        public void present(LeaseObject lease) {
            LedgerEntry.of(lease).ifPresent(sink::present);
        }

        @Override
        public void gone(String uid) {
            sink.gone(uid);
        }
    }
}
