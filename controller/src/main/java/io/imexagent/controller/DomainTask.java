package io.imexagent.controller;

import io.imexagent.controller.DomainPlanner.DomainStep;
import io.imexagent.controller.DomainPlanner.DomainView;
import io.imexagent.controller.DomainPlanner.Problem;
import io.imexagent.controller.Reconciler.TaskResult.TaskSettled;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.TemplateDraft;
import io.imexagent.kubernetes.ControlPlane.TemplateObject;
import io.imexagent.kubernetes.DriverNames;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Reconciles a ComputeDomain, or deletes the remains of one. The watch covers labelled templates only, so others are
 * read by name: the template that has the name of a refused one, and one that has lost its label.
 */
final class DomainTask implements Reconciler.ReconcileTask {

    /**
     * The interval of checks for a foreign template, whose deletion no watch reports: two calls for each such
     * ComputeDomain.
     */
    private static final Duration FOREIGN = Duration.ofMinutes(2);

    /**
     * The wait while nodes and tables have not been listed: until then the conditions keep their statements on
     * channels.
     */
    private static final Duration TABLES = Duration.ofSeconds(10);

    private final ControlPlane cluster;
    private final ClusterState state;
    private final DomainPlanner planner;
    private final StatusWriter statuses;
    private final EventRecorder announcer;
    private final SharedChannels sharing;
    private final EndingNamespaces ending;
    private final String uid;
    private String wanted = "";
    private boolean requested;
    private Optional<TemplateObject> found = Optional.empty();
    private boolean confirmedGone;
    private boolean written;
    private boolean conflictBefore;

    DomainTask(
            ControlPlane cluster,
            ClusterState state,
            DomainPlanner planner,
            StatusWriter statuses,
            EventRecorder announcer,
            SharedChannels sharing,
            EndingNamespaces ending,
            String uid) {
        this.cluster = cluster;
        this.state = state;
        this.planner = planner;
        this.statuses = statuses;
        this.announcer = announcer;
        this.sharing = sharing;
        this.ending = ending;
        this.uid = uid;
    }

    @Override
    public Optional<TaskSettled> advance() throws ApiException {
        Optional<DomainView> known = state.view(uid, planner.policy().mode()).map(this::lasting);
        if (known.isEmpty()) {
            announcer.forget(uid);
            ending.forget(uid);
            return clearUp();
        }
        Optional<Duration> wait = ending.wait(uid);
        if (wait.isPresent() && !known.get().domain().deleting()) {
            return waiting(known.get(), wait.get());
        }
        DomainView view = requested ? known.get().answered(found) : known.get();
        wanted = view.domain().templateName();
        DomainPlanner.Plan plan = planner.plan(view);
        if (plan.step().isPresent()) {
            perform(plan.step().get());
            return Optional.empty();
        }
        DomainObject domain = view.domain();
        boolean agreed = view.conflicts().isEmpty() && !domain.deleting() && !statuses.waiting();
        // The status is written before the problems are reported, since a failed write is reported by itself. It is
        // written once: changes by others are left to the next run.
        if (!domain.deleting() && !written && statuses.write(domain, domain.ready(), plan.problems())) {
            written = true;
            conflictBefore = agreed && StatusWriter.degradedBy(domain, Problem.Reason.CHANNEL_CONFLICT.text());
            return Optional.empty();
        }
        // The conflict was reported by this controller, or by an earlier one, as the condition showed that has just
        // been removed.
        if (agreed && (conflictBefore || announcer.isReported(uid, Problem.Reason.CHANNEL_CONFLICT))) {
            conflictBefore = false;
            announcer.conflictOver(domain.ref());
        }
        Optional<Duration> reportAgain = announcer.report(domain.ref(), plan.problems());
        boolean unseen =
                found.isPresent() && !watched(found.get()) && !plan.problems().isEmpty();
        if (unseen) {
            return TaskSettled.until(FOREIGN);
        }
        return Optional.of(new TaskSettled(statuses.waiting() ? Optional.of(TABLES) : reportAgain));
    }

    /** Updates only the status: the ComputeDomain will be deleted with its namespace, so no one has to act. */
    private Optional<TaskSettled> waiting(DomainView view, Duration wait) throws ApiException {
        List<Problem> conflicts =
                view.conflicts().stream().map(ChannelConflict::problem).toList();
        var _ = statuses.write(view.domain(), false, conflicts);
        return TaskSettled.until(wait);
    }

    /**
     * Drops the sharing of channel 0 that has not lasted, as between two workloads in a row; a reported problem stays
     * until it is over.
     */
    private DomainView lasting(DomainView view) {
        boolean reported = StatusWriter.degradedBy(view.domain(), Problem.Reason.CHANNEL_SHARED.text());
        return view.sharing(clique -> reported || sharing.lasts(clique));
    }

    /**
     * Deletes the templates of a ComputeDomain that was deleted without its controller, because its finalizer was
     * removed.
     */
    private Optional<TaskSettled> clearUp() throws ApiException {
        for (TemplateObject template : state.labelled(uid)) {
            Optional<DomainStep> step = DomainPlanner.remove(template).step();
            if (step.isPresent()) {
                if (confirmedGone) {
                    perform(step.get());
                } else {
                    confirm(template.ref().namespace());
                }
                return Optional.empty();
            }
        }
        return TaskSettled.now();
    }

    /** Reads the ComputeDomain from the server, since the watch may be behind. */
    private void confirm(String namespace) throws ApiException {
        Optional<DomainObject> living = cluster.find(new ComputeDomainUid(uid), namespace);
        living.ifPresent(state.domains::put);
        confirmedGone = living.isEmpty();
    }

    private void perform(DomainStep step) throws ApiException {
        switch (step) {
            case DomainStep.SetFinalizers set ->
                cluster.setFinalizers(set.domain(), set.finalizers())
                        .ifPresentOrElse(
                                state.domains::put,
                                () -> state.domains.gone(set.domain().ref().uid()));
            case DomainStep.SetStatus set -> {
                var _ = statuses.write(set.domain(), set.ready(), set.problems());
            }
            case DomainStep.CreateTemplate create -> create(create.draft());
            case DomainStep.ReadTemplate read -> read(read.namespace(), read.name());
            case DomainStep.PatchTemplate patch ->
                now(patch.template(), cluster.patchMetadata(patch.template(), patch.labels(), patch.finalizers()));
            case DomainStep.DeleteTemplate delete -> now(delete.template(), cluster.delete(delete.template()));
        }
    }

    private void create(TemplateDraft draft) throws ApiException {
        try {
            state.templates.put(cluster.create(draft));
            ending.forget(uid);
            requested = false;
        } catch (ApiException refused) {
            ApiFailure.FailureKind kind = refused.failure().kind();
            if (kind == ApiFailure.FailureKind.NAMESPACE_ENDING) {
                ending.refused(uid);
            } else if (kind == ApiFailure.FailureKind.CONFLICT && !requested) {
                read(draft.namespace(), draft.name());
            } else {
                throw refused;
            }
        }
    }

    private void read(String namespace, String name) throws ApiException {
        found = cluster.template(namespace, name);
        requested = true;
        found.filter(DomainTask::watched).ifPresent(state.templates::put);
    }

    /** Records the state of a template after a call. */
    private void now(TemplateObject before, Optional<TemplateObject> now) {
        if (before.ref().name().equals(wanted)) {
            requested = true;
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
