package io.imexagent.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The objects of runs of the fabric test across nodes, and the nodes that such a run is about. Calls block. */
public interface FabricRuns extends AutoCloseable {

    /** The label of all objects of a run; its value is the run's ID. */
    String RUN_LABEL = "imexagent.io/fabric-test";

    /** The label that names the clique of a run. */
    String CLIQUE_LABEL = "imexagent.io/clique";

    /** The annotation that says who started a run. */
    String BY = "imexagent.io/fabric-test-by";

    /** The annotation that says until when a run may last (RFC 3339); what is older is left over. */
    String UNTIL = "imexagent.io/fabric-test-until";

    /** A kind of object that a run consists of, in the order in which they are deleted. */
    enum RunObject {
        /** The pods' Job; the others have it as their owner. */
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

        /** The kind as objects name it. */
        public String kind() {
            return kind;
        }
    }

    /**
     * The Job or the ComputeDomain of a run, which name it: the run's ID and clique, who started it, and until when it may
     * last; empty texts, and no time, where the object does not say.
     */
    record RunMark(ObjectRef ref, boolean deleting, String run, String clique, String by, Optional<Instant> until) {}

    /**
     * A pod with the label of a run, which anybody may set: the UID of its controller, empty where it has none, tells those
     * of the run's Job. The node is empty until it is scheduled, and the message until its container has ended;
     * {@code hindrance} is why the container does not run, as far as the pod's status says.
     */
    record RunPod(
            ObjectRef ref,
            String controller,
            int index,
            String node,
            String phase,
            Optional<String> message,
            Optional<String> hindrance) {

        /** Whether its container has ended for good. */
        public boolean ended() {
            return phase.equals("Succeeded") || phase.equals("Failed");
        }

        /** Whether its container has not started yet. */
        public boolean pending() {
            return phase.equals("Pending");
        }
    }

    /** The rounds that a rank has done, and how many it has to do. */
    record RankProgress(int round, int of) {}

    /** All nodes of the NVLink fabric, as their agents publish them. */
    List<Stored<NvlinkNode>> nodes() throws ApiException;

    /** The ComputeDomains of runs, in all namespaces. */
    List<RunMark> runs() throws ApiException;

    /** The Job of this name; empty where there is none. */
    Optional<RunMark> job(String namespace, String name) throws ApiException;

    /** Makes an object and returns its UID; kind {@code CONFLICT} where there is one of its name. */
    String create(RunObject kind, ObjectNode object) throws ApiException;

    /**
     * Deletes the object of this UID, or whichever has the name; of a Job the pods too. One that is gone already is as good;
     * kind {@code CONFLICT} where another object has the name.
     */
    void delete(RunObject kind, String namespace, String name, Optional<String> uid) throws ApiException;

    /** The pods with the label of a run. */
    List<RunPod> pods(String namespace, String run) throws ApiException;

    /** The words of the latest warning among the Events of a pod; empty where there is none. */
    Optional<String> warning(RunPod pod) throws ApiException;

    /** What a rank last wrote of its rounds into its log; empty where that is something else. */
    Optional<RankProgress> progress(RunPod pod) throws ApiException;

    /** Where the result of a run is recorded. */
    FabricObjects fabric();

    /**
     * How far the API server's clock is ahead of this machine's, negative where it is behind, in whole seconds by its last
     * answer; empty where that did not say.
     */
    Optional<Duration> serverAhead();

    /** What the runner's identity may do. */
    Reviews reviews();

    @Override
    void close();
}
