package io.imexagent.kubernetes;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.clique.CliquePlacement;
import io.imexagent.kubernetes.clique.FabricObjects.StoredObjects;
import io.imexagent.kubernetes.clique.FabricTest;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The cluster as a controller reads and changes it.
 *
 * <p>Calls block: make them on a virtual thread. A call that changes an observed object fails with kind {@code
 * CONFLICT} if the object changed since then, and with {@code NOT_FOUND} if it is gone.
 */
public interface ControlPlane extends ApiClient {

    /**
     * Starts, once, to watch the ComputeDomains and the templates with the label of workloads in all namespaces, and
     * the nodes and tables of the NVLink fabric. The watches resume by themselves after every failure.
     */
    void watch(
            Consumer<WatchUpdate<DomainObject>> domains,
            Consumer<WatchUpdate<TemplateObject>> templates,
            Consumer<WatchUpdate<Stored<NvlinkNode>>> nodes,
            Consumer<WatchUpdate<Stored<NvlinkClique>>> cliques);

    /**
     * Starts, once, to watch the results of the fabric test. A cluster may lack their definition, and the ClusterRole
     * of an earlier version the right to read them: the returned supplier reports such a failure, {@link #watchFailure}
     * does not.
     */
    Supplier<Optional<ApiFailure>> watchTests(Consumer<WatchUpdate<Stored<FabricTest>>> tests);

    /**
     * Starts, once, to watch CliquePlacements, whose definition a cluster may lack; failures are reported as by {@link
     * #watchTests}.
     */
    Supplier<Optional<ApiFailure>> watchPlacements(Consumer<WatchUpdate<Stored<CliquePlacement>>> placements);

    /** Why a watch that the controller depends on is down at the moment; empty while all are up. */
    Optional<ApiFailure> watchFailure();

    /**
     * Sets a ComputeDomain's finalizers; empty if this removed it, because it was being deleted and has no finalizer
     * left.
     */
    Optional<DomainObject> setFinalizers(DomainObject observed, List<String> finalizers) throws ApiException;

    /**
     * Sets {@code status.status} and these conditions of a ComputeDomain. The rest of the status stays, and so do
     * conditions of other types; if those are too large to read, only {@code status.status} is set.
     */
    DomainObject setStatus(DomainObject observed, DomainStatus status) throws ApiException;

    /** Reads from the server the ComputeDomain of this UID in a namespace; empty if it has none. */
    Optional<DomainObject> find(ComputeDomainUid uid, String namespace) throws ApiException;

    /** Reads from the server the template of this name, whatever its labels; empty if it does not exist. */
    Optional<TemplateObject> template(String namespace, String name) throws ApiException;

    /** Creates a ResourceClaimTemplate; fails with kind {@code CONFLICT} if the name is taken. */
    TemplateObject create(TemplateDraft draft) throws ApiException;

    /** Adds labels and sets the finalizers; empty if this removed the template, because it has no finalizer left. */
    Optional<TemplateObject> patchMetadata(TemplateObject observed, Map<String, String> labels, List<String> finalizers)
            throws ApiException;

    /** Deletes a template; returns it if finalizers keep it, or empty if it is gone. */
    Optional<TemplateObject> delete(TemplateObject observed) throws ApiException;

    /** The Leases of the controller's namespace. */
    StoredObjects<LeaseContent> leases();

    /** The CliquePlacements of a namespace; only {@value CliquePlacement#NAME} has an effect. */
    StoredObjects<CliquePlacement> placements(String namespace);

    /** Lists the pods with the label of a ComputeDomain once over all namespaces. */
    List<PlacedPod> placedPods() throws ApiException;

    /**
     * Lists the Nodes once, and returns the clique in each one's label by the Node's name; Nodes without the label are
     * left out.
     */
    Map<String, String> cliqueLabels() throws ApiException;

    /**
     * A pod with the label of a ComputeDomain; users may write that label. {@code domain} is the label's value, {@code
     * group} the pod's group within the ComputeDomain, or an empty text; {@code node} is where it runs, and {@code
     * waiting} the scheduler's message while it has no node.
     */
    record PlacedPod(
            String namespace,
            String name,
            String domain,
            String group,
            Optional<String> node,
            boolean ended,
            Optional<String> waiting) {}

    /**
     * A Lease: its holder, if any, when it was acquired and last renewed, its duration in whole seconds, and how often
     * the holder changed.
     */
    record LeaseContent(
            Optional<String> holder,
            Optional<Instant> acquired,
            Optional<Instant> renewed,
            Optional<Duration> duration,
            int transitions,
            Map<String, String> labels,
            Map<String, String> annotations) {

        public LeaseContent {
            labels = Map.copyOf(labels);
            annotations = Map.copyOf(annotations);
        }
    }

    /**
     * A ComputeDomain: its template's name, the requested mode ({@code Single} is known), its status, and the
     * annotation about its placement, empty if it has none.
     */
    record DomainObject(
            ObjectRef ref,
            long generation,
            boolean deleting,
            List<String> finalizers,
            String templateName,
            String allocationMode,
            DomainStatus status,
            String placement) {

        public DomainObject {
            finalizers = List.copyOf(finalizers);
        }

        public ComputeDomainUid uid() {
            return new ComputeDomainUid(ref.uid());
        }

        public boolean ready() {
            return status.ready();
        }
    }

    /** The status of a ComputeDomain: whether it is ready, and the conditions that the server keeps. */
    record DomainStatus(boolean ready, List<DomainCondition> conditions) {

        public DomainStatus {
            conditions = List.copyOf(conditions);
        }
    }

    /**
     * A ResourceClaimTemplate. Its finalizers keep it from being removed; its content is what claims made from it
     * request.
     */
    record TemplateObject(
            ObjectRef ref,
            boolean deleting,
            List<String> finalizers,
            Map<String, String> labels,
            TemplateContent content) {

        public TemplateObject {
            finalizers = List.copyOf(finalizers);
            labels = Map.copyOf(labels);
        }

        public sealed interface TemplateContent {

            /** The ComputeDomain that the template names in its configuration; empty if it names none. */
            Optional<String> domainId();

            /**
             * A request for one channel of a ComputeDomain, by its UID, in the form that the public controller writes.
             * Fields that the server adds, and the annotation by which claims name their ComputeDomain, make no
             * difference.
             */
            record WorkloadTemplate(String domain, String deviceClass) implements TemplateContent {

                @Override
                public Optional<String> domainId() {
                    return Optional.of(domain);
                }
            }

            record OtherTemplate(Optional<String> domainId) implements TemplateContent {}
        }
    }

    /** A ResourceClaimTemplate to create. Claims made from it have the name of the ComputeDomain as an annotation. */
    record TemplateDraft(
            String namespace,
            String name,
            List<String> finalizers,
            Map<String, String> labels,
            String domainName,
            TemplateObject.TemplateContent.WorkloadTemplate content) {

        public TemplateDraft {
            finalizers = List.copyOf(finalizers);
            labels = Map.copyOf(labels);
        }
    }

    /** An update from a watch. The watch's thread calls listeners one at a time; they must not block. */
    sealed interface WatchUpdate<T> {

        /**
         * All objects as of a version. An object that is missing from the list and not newer than the version is gone.
         */
        record ObjectsListed<T>(List<T> objects, String version) implements WatchUpdate<T> {}

        record ObjectChanged<T>(T object) implements WatchUpdate<T> {}

        /**
         * The object was deleted, or lost its label, in this version, which is empty if the server reported none. An
         * object that regains the label appears again.
         */
        record ObjectDeleted<T>(String uid, String version) implements WatchUpdate<T> {}
    }
}
