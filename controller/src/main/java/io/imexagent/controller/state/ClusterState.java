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
import io.imexagent.kubernetes.control.ObjectRef;
import io.imexagent.kubernetes.control.TemplateObject;
import io.imexagent.kubernetes.control.WatchNews;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

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
    private final Index<DomainObject> domainsByTemplate = domains.by(domain -> List.of(templatePath(domain)));
    private final Index<TemplateObject> templatesByPath =
            templates.by(template -> List.of(template.ref().path()));
    private final Index<TemplateObject> templatesByDomain = templates.by(ClusterState::labelled);
    private final Index<ClaimUse> claimsByDomain = claims.by(ClaimUse::domains);
    private final Index<LedgerEntry> entriesByOwner = entries.by(ClusterState::owners);
    private final Map<ChannelId, LedgerEntry> ledger = new TreeMap<>();
    private final ChannelUses uses = new ChannelUses();
    /** ComputeDomains that are gone, and of which something is left. */
    private final Set<String> confirmedGone = new HashSet<>();

    /** Nothing known yet; {@code concerned} is called with UIDs of ComputeDomains, often, and must not block. */
    public ClusterState(Consumer<String> concerned) {
        this.concerned = concerned;
    }

    /** Begins to watch. */
    public void watch(ControlPlane cluster) {
        cluster.watch(
                news -> told(domains, news),
                news -> told(templates, news),
                news -> told(claims, news),
                // Of the Leases only the ledger's.
                news -> news.map(LedgerEntry::of).ifPresent(ledgers -> told(entries, ledgers)));
    }

    private synchronized <T> void told(Known<T> known, WatchNews<T> news) {
        known.told(news);
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

    /**
     * What is known about a ComputeDomain; empty where there is none of this UID. Of templates and claims only those of its
     * own namespace belong to it: what another namespace says of it is another tenant's word.
     */
    public synchronized Optional<DomainView> view(String uid) {
        return domains.get(uid)
                .map(domain -> new DomainView(
                        domain,
                        templatesByPath.get(templatePath(domain)).stream().findFirst(),
                        templatesByDomain.get(uid).stream()
                                .filter(template -> beside(domain, template.ref()))
                                .toList(),
                        claimsByDomain.get(uid).stream()
                                .filter(claim -> beside(domain, claim.ref()))
                                .toList(),
                        entriesByOwner.get(uid),
                        channel -> usedByOthers(channel, uid),
                        this::channels));
    }

    private static boolean beside(DomainObject domain, ObjectRef other) {
        return domain.ref().namespace().equals(other.namespace());
    }

    /** What is left of a ComputeDomain that is not there. */
    public synchronized Remains remains(String uid) {
        return new Remains(
                new ComputeDomainUid(uid),
                confirmedGone.contains(uid),
                templatesByDomain.get(uid),
                claimsByDomain.get(uid),
                entriesByOwner.get(uid));
    }

    private synchronized boolean usedByOthers(ChannelId channel, String uid) {
        return uses.counted(channel, this::counts).stream().anyMatch(user -> !user.equals(uid));
    }

    /** All channels. */
    public synchronized Channels channels() {
        return new Channels(new TreeMap<>(ledger), uses.counted(this::counts));
    }

    /**
     * Whether an object's use of a channel is what it says. A status is the controller's own word. A template counts under
     * the name that the ComputeDomain asks for, a claim where its ComputeDomain is in its namespace: agents grant no other.
     * Of a ComputeDomain that is gone the ledger tells the namespace; what it does not know never had a channel.
     */
    private boolean counts(ChannelId channel, ChannelUses.Use use, String uid) {
        Optional<DomainObject> domain = domains.get(uid);
        if (domain.isPresent()) {
            return domain.get().ref().namespace().equals(use.namespace())
                    && use.template().map(domain.get().templateName()::equals).orElse(true);
        }
        return Optional.ofNullable(ledger.get(channel))
                .filter(entry -> entry.owner().equals(Optional.of(uid)))
                .filter(entry -> entry.isWithin(use.namespace()))
                .isPresent();
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
        forgetUnlessLeft(uid.value());
    }

    /** How many ComputeDomains are known to be gone while something is left of them. */
    synchronized int confirmedGone() {
        return confirmedGone.size();
    }

    /** Once nothing is left that a confirmation is needed for, it is forgotten: UIDs do not come back. */
    private void forgetUnlessLeft(String uid) {
        boolean left = !templatesByDomain.get(uid).isEmpty()
                || entriesByOwner.get(uid).stream()
                        .anyMatch(entry -> entry.holder().isPresent());
        if (!left) {
            confirmedGone.remove(uid);
        }
    }

    private static String templatePath(DomainObject domain) {
        return domain.ref().namespace() + "/" + domain.templateName();
    }

    private void uses(String uid, Collection<ChannelId> before, Collection<ChannelId> now, ChannelUses.Use use) {
        if (uses.change(uid, before, now, use)) {
            concerned.accept(POOL);
        }
    }

    private void domainChanged(Optional<DomainObject> before, Optional<DomainObject> now) {
        DomainObject last = now.or(() -> before).orElseThrow();
        uses(
                last.ref().uid(),
                before.flatMap(DomainObject::channel).stream().toList(),
                now.flatMap(DomainObject::channel).stream().toList(),
                ChannelUses.Use.of(last));
        if (now.isEmpty()) {
            // What its templates and claims name counts no more.
            concerned.accept(POOL);
        }
        both(before, now).forEach(domain -> concerned.accept(domain.ref().uid()));
    }

    private void templateChanged(Optional<TemplateObject> before, Optional<TemplateObject> now) {
        TemplateObject last = now.or(() -> before).orElseThrow();
        uses(
                last.ref().uid(),
                before.flatMap(Names::selected).stream().toList(),
                now.flatMap(Names::selected).stream().toList(),
                ChannelUses.Use.of(last));
        for (TemplateObject template : both(before, now)) {
            labelled(template).forEach(this::forgetUnlessLeft);
            labelled(template).forEach(concerned);
            domainsByTemplate
                    .get(template.ref().path())
                    .forEach(domain -> concerned.accept(domain.ref().uid()));
        }
    }

    private static List<String> labelled(TemplateObject template) {
        return Optional.ofNullable(template.labels().get(Names.COMPUTE_DOMAIN)).stream()
                .toList();
    }

    private void claimChanged(Optional<ClaimUse> before, Optional<ClaimUse> now) {
        ClaimUse last = now.or(() -> before).orElseThrow();
        uses(
                last.ref().uid(),
                before.map(ClaimUse::channels).orElse(Set.of()),
                now.map(ClaimUse::channels).orElse(Set.of()),
                ChannelUses.Use.of(last));
        both(before, now).forEach(claim -> claim.domains().forEach(concerned));
    }

    private void entryChanged(Optional<LedgerEntry> before, Optional<LedgerEntry> now) {
        before.ifPresent(entry -> ledger.remove(entry.channel()));
        now.ifPresent(entry -> ledger.put(entry.channel(), entry));
        both(before, now).forEach(entry -> owners(entry).forEach(this::forgetUnlessLeft));
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
}
