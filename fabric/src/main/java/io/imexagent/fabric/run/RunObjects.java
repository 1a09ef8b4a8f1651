package io.imexagent.fabric.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.FabricRuns;
import io.imexagent.kubernetes.FabricRuns.RunMark;
import io.imexagent.kubernetes.FabricRuns.RunObject;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/** The objects of a run in the cluster. */
final class RunObjects {

    private final FabricRuns cluster;
    private final RunRequest run;
    private final InstantSource clock;
    private final Consumer<String> progress;
    private final Map<RunObject, String> made = new EnumMap<>(RunObject.class);

    /**
     * Whether it is unknown if the Job was created, since the answer was lost or the thread was interrupted before it.
     */
    private boolean jobUnknown;

    RunObjects(FabricRuns cluster, RunRequest run, InstantSource clock, Consumer<String> progress) {
        this.cluster = cluster;
        this.run = run;
        this.clock = clock;
        this.progress = progress;
    }

    /**
     * Creates the Job; a namespace has at most one for a clique. Deletes the leftovers of earlier runs first, and fails
     * if a run is under way.
     */
    void begin() throws RunRefusedException, ApiException {
        for (RunMark other : cluster.runs()) {
            if (other.clique().equals(run.clique().text())) {
                refuseOrClear(other);
            }
        }
        Optional<RunMark> left = cluster.job(run.namespace(), run.name());
        if (left.isPresent()) {
            refuseOrClear(left.get());
        }
        jobUnknown = true;
        try {
            made.put(RunObject.JOB, cluster.create(RunObject.JOB, manifest().job()));
            jobUnknown = false;
        } catch (ApiException e) {
            Optional<RunMark> other = cluster.job(run.namespace(), run.name());
            if (other.isPresent() && !other.get().run().equals(run.id())) {
                throw refused(other.get());
            }
            throw e;
        }
    }

    private void refuseOrClear(RunMark other) throws RunRefusedException, ApiException {
        if (other.deleting()) {
            throw new RunRefusedException(
                    "what run " + other.run() + " of " + FabricRun.plain(other.by()) + " in namespace "
                            + other.ref().namespace() + " used is still being taken away; try again in a minute");
        }
        if (other.until().isEmpty() || !clock.instant().isAfter(other.until().get())) {
            throw refused(other);
        }
        // Anybody who may create a ComputeDomain can give it the labels of a run, and any name.
        if (!other.ref().name().equals(run.name())) {
            throw new RunRefusedException("ComputeDomain " + other.ref().namespace() + "/"
                    + other.ref().name() + " has the labels of a fabric test in clique " + run.clique()
                    + " and not the name of one; look who made it, and delete it");
        }
        // Another run may have deleted the same leftover and started under its name.
        Optional<RunMark> job = cluster.job(other.ref().namespace(), other.ref().name());
        if (job.isPresent() && !job.get().run().equals(other.run())) {
            throw refused(job.get());
        }
        progress.accept("taking away what a run of " + FabricRun.plain(other.by()) + " left in namespace "
                + other.ref().namespace());
        for (RunObject kind : RunObject.values()) {
            Optional<String> uid =
                    kind == RunObject.JOB ? job.map(found -> found.ref().uid()) : Optional.empty();
            cluster.delete(kind, other.ref().namespace(), name(kind, other.ref().name()), uid);
        }
    }

    private RunRefusedException refused(RunMark other) {
        if (other.run().isEmpty()) {
            return new RunRefusedException(other.ref().namespace() + "/"
                    + other.ref().name() + " has the name of a run and is none; look who made it, and delete it");
        }
        return new RunRefusedException("a fabric test is under way in clique " + run.clique() + ": run "
                + other.run() + " of " + FabricRun.plain(other.by()) + " in namespace "
                + other.ref().namespace() + ", until "
                + other.until().map(Instant::toString).orElse("a time that it does not name")
                + " at the latest; wait for it, or end it with kubectl delete job "
                + other.ref().name() + " -n " + other.ref().namespace());
    }

    /** Creates the other objects, with this token; fails if a run in another namespace takes precedence. */
    void create(String token) throws RunRefusedException, ApiException {
        for (Map.Entry<RunObject, ObjectNode> object : manifest().owned(token).entrySet()) {
            create(object.getKey(), manifest().owned(object.getValue(), job()));
        }
        // Two runs that start at the same time find each other here; the one with the smaller ID continues.
        for (RunMark other : cluster.runs()) {
            if (other.clique().equals(run.clique().text()) && other.run().compareTo(run.id()) < 0) {
                throw refused(other);
            }
        }
    }

    private void create(RunObject kind, ObjectNode object) throws RunRefusedException, ApiException {
        try {
            made.put(kind, cluster.create(kind, object));
        } catch (ApiException e) {
            if (e.failure().kind() == ApiFailure.FailureKind.CONFLICT) {
                throw new RunRefusedException(
                        "there is a " + kind.kind() + " of the run's name already, of an earlier run"
                                + " or of somebody else: " + e.failure().message()
                                + "; try again in a minute, or look who made it");
            }
            throw e;
        }
    }

    /** Returns the UID of the run's Job. */
    String job() {
        return Objects.requireNonNull(made.get(RunObject.JOB));
    }

    private RunManifest manifest() {
        return new RunManifest(run);
    }

    private void findJob() {
        if (!jobUnknown) {
            return;
        }
        try {
            cluster.job(run.namespace(), run.name())
                    .filter(job -> job.run().equals(run.id()))
                    .ifPresent(job -> made.put(RunObject.JOB, job.ref().uid()));
        } catch (ApiException e) {
            progress.accept(e.failure().message() + "; delete what there may be: kubectl delete job " + run.name()
                    + " -n " + run.namespace());
        }
    }

    private static String name(RunObject kind, String name) {
        return kind == RunObject.CLAIM_TEMPLATE ? name + "-gpus" : name;
    }

    /**
     * Deletes the objects that this run created, but not later objects of the same name; also works on an interrupted
     * thread. Reports each object that cannot be deleted.
     */
    void deleteAll() {
        Thread deleting = Thread.ofVirtual().name("fabric-clean-up").start(() -> {
            findJob();
            for (Map.Entry<RunObject, String> object : made.entrySet()) {
                RunObject kind = object.getKey();
                try {
                    cluster.delete(kind, run.namespace(), name(kind, run.name()), Optional.of(object.getValue()));
                } catch (ApiException e) {
                    if (e.failure().kind() == ApiFailure.FailureKind.CONFLICT) {
                        // The object is deleted already, and another one has its name.
                        continue;
                    }
                    progress.accept(e.failure().message() + "; delete it: kubectl delete "
                            + kind.kind().toLowerCase(Locale.ROOT) + " "
                            + name(kind, run.name()) + " -n " + run.namespace());
                }
            }
        });
        boolean interrupted = Thread.interrupted();
        while (deleting.isAlive()) {
            try {
                deleting.join();
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
