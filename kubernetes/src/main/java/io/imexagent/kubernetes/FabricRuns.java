package io.imexagent.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The objects of the fabric test's runs across nodes, and the nodes that a run tests. Calls block. */
public interface FabricRuns extends AutoCloseable {

    /** The label of all objects of a run; its value is the run's ID. */
    String RUN_LABEL = "imexagent.io/fabric-test";

    /** The label that names the clique of a run. */
    String CLIQUE_LABEL = "imexagent.io/clique";

    /** The annotation that names the user who started a run. */
    String BY = "imexagent.io/fabric-test-by";

    /**
     * The annotation with the time when a run must have ended (RFC 3339); objects whose time has passed are left over.
     */
    String UNTIL = "imexagent.io/fabric-test-until";

    /** A kind of object that belongs to a run, in the order of deletion. */
    enum RunObject {
        /** The Job of the pods, which owns the other objects. */
        JOB("Job"),
        NETWORK_POLICY("NetworkPolicy"),
        SERVICE("Service"),
        SECRET("Secret"),
        CLAIM_TEMPLATE("ResourceClaimTemplate"),
        COMPUTE_DOMAIN("ComputeDomain");

        private final String kind;

        RunObject(String kind) {
            this.kind = kind;
        }

        /** The value of {@code kind} in such an object. */
        public String kind() {
            return kind;
        }
    }

    /**
     * The Job or the ComputeDomain of a run, with the run's ID and clique, who started it, and when it must have ended.
     * Texts and time are empty if the object lacks them.
     */
    record RunMark(ObjectRef ref, boolean deleting, String run, String clique, String by, Optional<Instant> until) {}

    /**
     * A pod with the label of a run. Any user may set the label, so a pod of the run's Job is recognized by the UID of
     * its controller, which is empty if it has none. The node is empty until the pod is scheduled, and the message
     * until its container has ended; {@code hindrance} is the reason in the pod's status why the container does not
     * run.
     */
    record RunPod(
            ObjectRef ref,
            String controller,
            int index,
            String node,
            String phase,
            Optional<String> message,
            Optional<String> hindrance) {

        /** Whether the pod's container has ended and will not restart. */
        public boolean ended() {
            return phase.equals("Succeeded") || phase.equals("Failed");
        }

        /** Whether the pod's container has not started yet. */
        public boolean pending() {
            return phase.equals("Pending");
        }
    }

    /** The number of rounds that a rank has completed, and the number of all its rounds. */
    record RankProgress(int round, int of) {}

    /** Lists all nodes of the NVLink fabric, as their agents publish them. */
    List<Stored<NvlinkNode>> nodes() throws ApiException;

    /** Lists the ComputeDomains of runs in all namespaces. */
    List<RunMark> runs() throws ApiException;

    /** Reads the Job of this name; empty if it does not exist. */
    Optional<RunMark> job(String namespace, String name) throws ApiException;

    /** Creates an object and returns its UID; fails with kind {@code CONFLICT} if the name is taken. */
    String create(RunObject kind, ObjectNode object) throws ApiException;

    /**
     * Deletes the object of this UID, or any object of the name if no UID is given; a Job with its pods. An object that
     * is gone already is not a failure; fails with kind {@code CONFLICT} if another object has the name.
     */
    void delete(RunObject kind, String namespace, String name, Optional<String> uid) throws ApiException;

    /** Lists the pods with the label of a run. */
    List<RunPod> pods(String namespace, String run) throws ApiException;

    /** Reads the message of the latest warning among a pod's Events; empty if it has none. */
    Optional<String> warning(RunPod pod) throws ApiException;

    /** Reads a rank's progress from the last line of its log; empty if that line is something else. */
    Optional<RankProgress> progress(RunPod pod) throws ApiException;

    /** The objects in which the result of a run is recorded. */
    FabricObjects fabric();

    /**
     * How far the API server's clock is ahead of this machine's, by its last response, in whole seconds, negative if it
     * is behind; empty if that response had no date.
     */
    Optional<Duration> serverAhead();

    /** Reviews of what the runner's identity may do. */
    Reviews reviews();

    @Override
    void close();
}
