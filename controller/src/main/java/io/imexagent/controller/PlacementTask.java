package io.imexagent.controller;

import io.imexagent.controller.Reconciler.TaskResult.TaskSettled;
import io.imexagent.core.policy.PlacementMode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.CliquePlacement;
import io.imexagent.kubernetes.clique.FabricObjects.StoredObjects;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconciles the CliquePlacement of a namespace with its ComputeDomains; the object exists only while one of them needs
 * it. If the cluster lacks the CRD of CliquePlacements, pods start on any node; {@code undefined} is set once that has
 * been logged.
 */
record PlacementTask(
        ControlPlane cluster, ClusterState state, PlacementMode mode, String namespace, AtomicBoolean undefined)
        implements Reconciler.ReconcileTask {

    /** The most templates in an object whose changes are written without a pause. */
    private static final int FEW = 250;

    /**
     * The pause before a write for each further template. Changes during the pause share the write, so that a namespace
     * costs the API server a few megabytes a second at most.
     */
    private static final Duration PER_TEMPLATE = Duration.ofNanos(200_000);

    /** The wait until the watch has listed the objects. */
    private static final Duration NOT_LISTED = Duration.ofSeconds(1);

    /** The wait if the cluster lacks the definition, or the namespace is being deleted. */
    private static final Duration NOT_DEFINED = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(PlacementTask.class);

    @Override
    public Optional<TaskSettled> advance() throws ApiException {
        Optional<CliquePlacement> wanted = state.placementPlan(namespace, mode).content();
        if (!state.placements.listed()) {
            return wanted.isEmpty() ? TaskSettled.now() : waiting();
        }
        undefined.set(false);
        Optional<Stored<CliquePlacement>> present = state.placement(namespace);
        if (present.map(Stored::content).equals(wanted)) {
            return TaskSettled.now();
        }
        try {
            write(present, wanted);
        } catch (ApiException e) {
            if (e.failure().kind() != ApiFailure.FailureKind.NAMESPACE_ENDING) {
                throw e;
            }
            return TaskSettled.until(NOT_DEFINED);
        }
        return Optional.empty();
    }

    private void write(Optional<Stored<CliquePlacement>> present, Optional<CliquePlacement> wanted)
            throws ApiException {
        StoredObjects<CliquePlacement> placements = cluster.placements(namespace);
        if (wanted.isEmpty()) {
            placements.delete(present.get());
            state.placements.gone(present.get().uid());
        } else if (present.isEmpty()) {
            state.placements.put(placements.create(CliquePlacement.NAME, wanted.get()));
        } else {
            state.placements.put(placements.replace(present.get(), wanted.get()));
        }
    }

    /** The pause in which further changes are collected before the object is written. */
    static Duration pause(Optional<Stored<CliquePlacement>> present) {
        int templates = present.map(is -> is.content().templates().size()).orElse(0);
        return PER_TEMPLATE.multipliedBy(Math.max(0, templates - FEW));
    }

    private Optional<TaskSettled> waiting() {
        if (state.placementsFailure().isEmpty()) {
            return TaskSettled.until(NOT_LISTED);
        }
        if (!undefined.getAndSet(true)) {
            LOG.warn(
                    "pods of ComputeDomains are not placed, apply imex-agent manifests of this version error=\"{}\"",
                    state.placementsFailure().get().message());
        }
        return TaskSettled.until(NOT_DEFINED);
    }
}
