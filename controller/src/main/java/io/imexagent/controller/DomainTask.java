package io.imexagent.controller;

import io.imexagent.controller.DomainPlanner.DomainView;
import io.imexagent.controller.DomainPlanner.Step;
import io.imexagent.controller.Reconciler.Outcome.Settled;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.TemplateDraft;
import io.imexagent.kubernetes.ControlPlane.TemplateObject;
import io.imexagent.kubernetes.DriverNames;
import java.time.Duration;
import java.util.Optional;

/**
 * Brings a ComputeDomain to where it must be, or clears up what is left of one. What the watch of labelled templates
 * cannot tell is asked for by name: what has the name of a refused template, and whether one without its label is left.
 */
final class DomainTask implements Reconciler.Task {

    /** No watch tells when a foreign template goes: two calls for each such ComputeDomain. */
    private static final Duration FOREIGN = Duration.ofMinutes(2);

    /** The tables have not been listed yet: until then the conditions say nothing new of channels. */
    private static final Duration TABLES = Duration.ofSeconds(10);

    private final ControlPlane cluster;
    private final ClusterState state;
    private final DomainPlanner planner;
    private final StatusWriter statuses;
    private final Announcer announcer;
    private final String uid;
    private String wanted = "";
    private boolean asked;
    private Optional<TemplateObject> found = Optional.empty();
    private boolean confirmedGone;
    private boolean written;

    DomainTask(
            ControlPlane cluster,
            ClusterState state,
            DomainPlanner planner,
            StatusWriter statuses,
            Announcer announcer,
            String uid) {
        this.cluster = cluster;
        this.state = state;
        this.planner = planner;
        this.statuses = statuses;
        this.announcer = announcer;
        this.uid = uid;
    }

    @Override
    public Optional<Settled> advance() throws ApiException {
        Optional<DomainView> known = state.view(uid);
        if (known.isEmpty()) {
            announcer.forget(uid);
            return clearUp();
        }
        DomainView view = asked ? known.get().answered(found) : known.get();
        wanted = view.domain().templateName();
        DomainPlanner.Plan plan = planner.plan(view);
        if (plan.step().isPresent()) {
            perform(plan.step().get());
            return Optional.empty();
        }
        DomainObject domain = view.domain();
        // Before anything is told: a write that fails tells of itself. Once: what something else makes of it is for the
        // next time.
        if (!domain.deleting() && !written && statuses.write(domain, domain.ready(), plan.problems())) {
            written = true;
            return Optional.empty();
        }
        Optional<Duration> tellAgain = announcer.tell(domain.ref(), plan.problems());
        boolean unseen =
                found.isPresent() && !watched(found.get()) && !plan.problems().isEmpty();
        if (unseen) {
            return Settled.until(FOREIGN);
        }
        return Optional.of(new Settled(statuses.waiting() ? Optional.of(TABLES) : tellAgain));
    }

    /** Templates of a ComputeDomain that is gone without its controller: somebody took its finalizer away. */
    private Optional<Settled> clearUp() throws ApiException {
        for (TemplateObject template : state.labelled(uid)) {
            Optional<Step> step = DomainPlanner.remove(template).step();
            if (step.isPresent()) {
                if (confirmedGone) {
                    perform(step.get());
                } else {
                    confirm(template.ref().namespace());
                }
                return Optional.empty();
            }
        }
        return Settled.now();
    }

    /** The watch may be behind. */
    private void confirm(String namespace) throws ApiException {
        Optional<DomainObject> living = cluster.find(new ComputeDomainUid(uid), namespace);
        living.ifPresent(state.domains::put);
        confirmedGone = living.isEmpty();
    }

    private void perform(Step step) throws ApiException {
        switch (step) {
            case Step.SetFinalizers set ->
                cluster.setFinalizers(set.domain(), set.finalizers())
                        .ifPresentOrElse(
                                state.domains::put,
                                () -> state.domains.gone(set.domain().ref().uid()));
            case Step.SetStatus set -> {
                var _ = statuses.write(set.domain(), set.ready(), set.problems());
            }
            case Step.CreateTemplate create -> create(create.draft());
            case Step.ReadTemplate read -> read(read.namespace(), read.name());
            case Step.MendTemplate mend ->
                now(mend.template(), cluster.mend(mend.template(), mend.labels(), mend.finalizers()));
            case Step.DeleteTemplate delete -> now(delete.template(), cluster.delete(delete.template()));
        }
    }

    private void create(TemplateDraft draft) throws ApiException {
        try {
            state.templates.put(cluster.create(draft));
            asked = false;
        } catch (ApiException refused) {
            if (refused.failure().kind() != ApiFailure.Kind.CONFLICT || asked) {
                throw refused;
            }
            read(draft.namespace(), draft.name());
        }
    }

    private void read(String namespace, String name) throws ApiException {
        found = cluster.template(namespace, name);
        asked = true;
        found.filter(DomainTask::watched).ifPresent(state.templates::put);
    }

    /** A template is so by a call, or gone by it. */
    private void now(TemplateObject before, Optional<TemplateObject> now) {
        if (before.ref().name().equals(wanted)) {
            asked = true;
            found = now;
        }
        now.filter(DomainTask::watched).ifPresent(state.templates::put);
        if (now.isEmpty()) {
            state.templates.gone(before.ref().uid());
        }
    }

    private static boolean watched(TemplateObject template) {
        return DriverNames.WORKLOAD.equals(template.labels().get(DriverNames.TARGET));
    }
}
