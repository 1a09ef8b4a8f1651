package io.imexagent.controller.fake;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.control.ClaimUse;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.EventDraft;
import io.imexagent.kubernetes.control.LeaseContent;
import io.imexagent.kubernetes.control.LeaseObject;
import io.imexagent.kubernetes.control.ObjectRef;
import io.imexagent.kubernetes.control.TemplateDraft;
import io.imexagent.kubernetes.control.TemplateObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * An API server in memory, for planning and races: atomic creates, versions, preconditions, finalizers, and a history
 * that each client follows at its own pace. The rules of the real one for these kinds, no more; the API double in
 * {@code testing} has them over the wire.
 */
public final class FakeCluster {

    /** What happened, in order. */
    public sealed interface Change {

        /** A ComputeDomain is so, or is gone. */
        record Domain(DomainObject object, boolean gone) implements Change {}

        /** A template is so, or is gone. */
        record Template(TemplateObject object, boolean gone) implements Change {}

        /** A claim is so, or is gone. */
        record Claim(ClaimUse object, boolean gone) implements Change {}

        /** A Lease is so, or is gone. */
        record Lease(LeaseObject object, boolean gone) implements Change {}
    }

    final Map<String, DomainObject> domains = new LinkedHashMap<>();
    final Map<String, TemplateObject> templates = new LinkedHashMap<>();
    final Map<String, ClaimUse> claims = new LinkedHashMap<>();
    final Map<String, LeaseObject> leases = new TreeMap<>();
    final List<Change> history = new ArrayList<>();
    final List<EventDraft> events = new ArrayList<>();
    private boolean knowsChannels = true;
    private int revision;
    private int uids;

    /** Makes a ComputeDomain as a user does. */
    public synchronized DomainObject createDomain(String name, String template) {
        return put(new DomainObject(ref("team", name), false, List.of(), template, "Single", false, Optional.empty()));
    }

    /** Puts a ComputeDomain there as it stands, but for its version. */
    public synchronized DomainObject put(DomainObject domain) {
        var now = new DomainObject(
                next(domain.ref()),
                domain.deleting(),
                domain.finalizers(),
                domain.templateName(),
                domain.allocationMode(),
                domain.ready(),
                domain.channel());
        boolean gone = now.deleting() && now.finalizers().isEmpty();
        if (gone) {
            domains.remove(now.ref().uid());
        } else {
            domains.put(now.ref().uid(), now);
        }
        history.add(new Change.Domain(now, gone));
        return now;
    }

    /** Deletes a ComputeDomain as a user does. */
    public synchronized void deleteDomain(String uid) {
        DomainObject domain = domains.get(uid);
        if (domain != null && !domain.deleting()) {
            put(new DomainObject(
                    domain.ref(),
                    true,
                    domain.finalizers(),
                    domain.templateName(),
                    domain.allocationMode(),
                    domain.ready(),
                    domain.channel()));
        }
    }

    /** Puts a template there as it stands, but for its version. */
    public synchronized TemplateObject put(TemplateObject template) {
        var now = new TemplateObject(
                next(template.ref()),
                template.deleting(),
                template.finalizers(),
                template.labels(),
                template.content());
        boolean gone = now.deleting() && now.finalizers().isEmpty();
        if (gone) {
            templates.remove(now.ref().uid());
        } else {
            templates.put(now.ref().uid(), now);
        }
        history.add(new Change.Template(now, gone));
        return now;
    }

    /** Deletes a template as a user does. */
    public synchronized void deleteTemplate(String uid) {
        TemplateObject template = templates.get(uid);
        if (template != null) {
            put(new TemplateObject(template.ref(), true, template.finalizers(), template.labels(), template.content()));
        }
    }

    /** Puts a claim there as it stands, but for its version. */
    public synchronized ClaimUse put(ClaimUse claim) {
        var now = new ClaimUse(next(claim.ref()), claim.domains(), claim.channels(), claim.nodes());
        claims.put(now.ref().uid(), now);
        history.add(new Change.Claim(now, false));
        return now;
    }

    /** A pod's claim, made from a template and allocated the channel that it selects. */
    public synchronized ClaimUse claim(TemplateObject template, String name, Optional<ChannelId> channel) {
        return put(new ClaimUse(
                ref(template.ref().namespace(), name),
                template.content().domainId().map(Set::of).orElse(Set.of()),
                channel.map(Set::of).orElse(Set.of()),
                Set.of("tray-1")));
    }

    /** Removes a claim. */
    public synchronized void removeClaim(String uid) {
        ClaimUse claim = claims.remove(uid);
        if (claim != null) {
            history.add(new Change.Claim(claim, true));
        }
    }

    /** Puts a Lease there as it stands, but for its version. */
    public synchronized LeaseObject put(LeaseObject lease) {
        var now = new LeaseObject(next(lease.ref()), lease.content());
        leases.put(now.ref().name(), now);
        history.add(new Change.Lease(now, false));
        return now;
    }

    /** Removes a Lease, as a namespace that is deleted takes it along. */
    public synchronized void removeLease(String name) {
        LeaseObject lease = leases.remove(name);
        if (lease != null) {
            history.add(new Change.Lease(lease, true));
        }
    }

    /** A fresh reference. */
    public synchronized ObjectRef ref(String namespace, String name) {
        return new ObjectRef("uid-" + ++uids, namespace, name, "0");
    }

    private ObjectRef next(ObjectRef ref) {
        return new ObjectRef(ref.uid(), ref.namespace(), ref.name(), Integer.toString(++revision));
    }

    /** The version of everything. */
    public synchronized int revision() {
        return revision;
    }

    /** All ComputeDomains. */
    public synchronized List<DomainObject> domains() {
        return List.copyOf(domains.values());
    }

    /** The ComputeDomain of this name. */
    public synchronized DomainObject domain(String name) {
        return domains.values().stream()
                .filter(domain -> domain.ref().name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no ComputeDomain " + name));
    }

    /** All templates. */
    public synchronized List<TemplateObject> templates() {
        return List.copyOf(templates.values());
    }

    /** All claims. */
    public synchronized List<ClaimUse> claims() {
        return List.copyOf(claims.values());
    }

    /** All Leases. */
    public synchronized List<LeaseObject> leases() {
        return List.copyOf(leases.values());
    }

    /** All Events. */
    public synchronized List<EventDraft> events() {
        return List.copyOf(events);
    }

    synchronized Optional<DomainObject> finalizers(DomainObject observed, List<String> finalizers) throws ApiException {
        DomainObject now = current(domains, observed.ref());
        DomainObject put = put(new DomainObject(
                now.ref(),
                now.deleting(),
                finalizers,
                now.templateName(),
                now.allocationMode(),
                now.ready(),
                now.channel()));
        return put.deleting() && put.finalizers().isEmpty() ? Optional.empty() : Optional.of(put);
    }

    synchronized DomainObject status(DomainObject observed, boolean ready, Optional<ChannelId> channel)
            throws ApiException {
        DomainObject now = current(domains, observed.ref());
        return put(new DomainObject(
                now.ref(),
                now.deleting(),
                now.finalizers(),
                now.templateName(),
                now.allocationMode(),
                ready,
                knowsChannels ? channel : Optional.empty()));
    }

    synchronized DomainObject touch(DomainObject observed) throws ApiException {
        return put(current(domains, observed.ref()));
    }

    /** Has a definition of ComputeDomains without {@code status.channel}: the field is dropped without a word. */
    public synchronized void forgetChannels() {
        knowsChannels = false;
    }

    synchronized TemplateObject create(TemplateDraft draft) throws ApiException {
        boolean taken = templates.values().stream()
                .anyMatch(template -> template.ref().path().equals(draft.namespace() + "/" + draft.name()));
        if (taken) {
            throw failure(ApiFailure.Kind.CONFLICT, "ResourceClaimTemplate " + draft.name() + " exists");
        }
        return put(new TemplateObject(
                ref(draft.namespace(), draft.name()), false, draft.finalizers(), draft.labels(), draft.content()));
    }

    synchronized Optional<TemplateObject> mend(
            TemplateObject observed, Map<String, String> labels, List<String> finalizers) throws ApiException {
        TemplateObject now = current(templates, observed.ref());
        var all = new LinkedHashMap<>(now.labels());
        all.putAll(labels);
        TemplateObject put = put(new TemplateObject(now.ref(), now.deleting(), finalizers, all, now.content()));
        return put.deleting() && put.finalizers().isEmpty() ? Optional.empty() : Optional.of(put);
    }

    synchronized Optional<TemplateObject> delete(TemplateObject observed) throws ApiException {
        if (!templates.containsKey(observed.ref().uid())) {
            return Optional.empty();
        }
        TemplateObject now = current(templates, observed.ref());
        TemplateObject put = put(new TemplateObject(now.ref(), true, now.finalizers(), now.labels(), now.content()));
        return put.finalizers().isEmpty() ? Optional.empty() : Optional.of(put);
    }

    synchronized LeaseObject create(String name, LeaseContent content) throws ApiException {
        if (leases.containsKey(name)) {
            throw failure(ApiFailure.Kind.CONFLICT, "Lease " + name + " exists");
        }
        return put(new LeaseObject(ref("imex-agent", name), content));
    }

    synchronized LeaseObject replace(LeaseObject observed, LeaseContent content) throws ApiException {
        LeaseObject now = leases.get(observed.ref().name());
        if (now == null) {
            throw failure(
                    ApiFailure.Kind.NOT_FOUND, "no Lease " + observed.ref().name());
        }
        check(now.ref(), observed.ref());
        return put(new LeaseObject(now.ref(), content));
    }

    private static <T> T current(Map<String, T> objects, ObjectRef observed) throws ApiException {
        T object = objects.get(observed.uid());
        if (object == null) {
            throw failure(ApiFailure.Kind.NOT_FOUND, "no " + observed);
        }
        ObjectRef now = switch (object) {
            case DomainObject domain -> domain.ref();
            case TemplateObject template -> template.ref();
            default -> throw new IllegalArgumentException("neither");
        };
        check(now, observed);
        return object;
    }

    private static void check(ObjectRef now, ObjectRef observed) throws ApiException {
        if (!now.version().equals(observed.version()) || !now.uid().equals(observed.uid())) {
            throw failure(ApiFailure.Kind.CONFLICT, observed + " changed");
        }
    }

    static ApiException failure(ApiFailure.Kind kind, String message) {
        return new ApiException(new ApiFailure(kind, message, Optional.empty()));
    }
}
