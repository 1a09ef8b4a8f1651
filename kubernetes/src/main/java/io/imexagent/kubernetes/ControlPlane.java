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
 * The cluster as a controller sees and changes it.
 *
 * <p>Calls block: make them on a virtual thread. One that changes an object that was observed fails with kind
 * {@code CONFLICT} where the object changed since then, and with {@code NOT_FOUND} where it is gone.
 */
public interface ControlPlane extends ApiClient {

    /**
     * Begins, once, to watch ComputeDomains and the templates with the label of workloads, of all namespaces, and the
     * nodes and tables of the NVLink fabric. The watches come back by themselves after every kind of failure.
     */
    void watch(
            Consumer<WatchUpdate<DomainObject>> domains,
            Consumer<WatchUpdate<TemplateObject>> templates,
            Consumer<WatchUpdate<Stored<NvlinkNode>>> nodes,
            Consumer<WatchUpdate<Stored<NvlinkClique>>> cliques);

    /**
     * Begins, once, to watch the results of the fabric test. A cluster may lack their definition, and a controller of an
     * earlier version the right to them: that is the failure that the returned supplier has, and none of {@link
     * #watchFailure}.
     */
    Supplier<Optional<ApiFailure>> watchTests(Consumer<WatchUpdate<Stored<FabricTest>>> tests);

    /** Begins, once, to watch CliquePlacements, whose definition a cluster may lack, too: as {@link #watchTests}. */
    Supplier<Optional<ApiFailure>> watchPlacements(Consumer<WatchUpdate<Stored<CliquePlacement>>> placements);

    /** Why a watch of what the controller works on does not stand at the moment; empty while all stand. */
    Optional<ApiFailure> watchFailure();

    /** Sets a ComputeDomain's finalizers; empty where it is gone by that, as it was being deleted and nothing holds it. */
    Optional<DomainObject> setFinalizers(DomainObject observed, List<String> finalizers) throws ApiException;

    /**
     * Sets {@code status.status} and these conditions of a ComputeDomain. The rest of the status stays, and so do
     * conditions of other types; where those are too large to read, only {@code status.status} is set.
     */
    DomainObject setStatus(DomainObject observed, DomainStatus status) throws ApiException;

    /** Asks the server whether a namespace has a ComputeDomain of this UID. */
    Optional<DomainObject> find(ComputeDomainUid uid, String namespace) throws ApiException;

    /** Asks the server for the template of this name, whatever its labels; empty where there is none. */
    Optional<TemplateObject> template(String namespace, String name) throws ApiException;

    /** Makes a ResourceClaimTemplate; kind {@code CONFLICT} where the name is taken. */
    TemplateObject create(TemplateDraft draft) throws ApiException;

    /** Adds labels and sets the finalizers; empty where the template is gone by that, as nothing holds it. */
    Optional<TemplateObject> patchMetadata(TemplateObject observed, Map<String, String> labels, List<String> finalizers)
            throws ApiException;

    /** Deletes a template; empty where it is gone, and else the template that finalizers hold. */
    Optional<TemplateObject> delete(TemplateObject observed) throws ApiException;

    /** The Leases of the controller's namespace. */
    StoredObjects<LeaseContent> leases();

    /** The CliquePlacements of a namespace, of which {@value CliquePlacement#NAME} alone counts. */
    StoredObjects<CliquePlacement> placements(String namespace);

    /** The pods of all namespaces that have the label of a ComputeDomain; one list. */
    List<PlacedPod> placedPods() throws ApiException;

    /** The clique that the label of each Node names; without the Nodes that have no such label. One list. */
    Map<String, String> cliqueLabels() throws ApiException;

    /**
     * A pod with the label of a ComputeDomain, which its owner may have written: the label's value, its group within the
     * ComputeDomain, empty where it has none, the node that it runs on, and what the scheduler says while there is none.
     */
    record PlacedPod(
            String namespace,
            String name,
            String domain,
            String group,
            Optional<String> node,
            boolean ended,
            Optional<String> waiting) {}

    /** A Lease: its holder, if any, since when, last renewal, length in seconds, and how often the holder changed. */
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
     * A ComputeDomain: its template's name, the mode asked for ({@code Single} is known), its status, and the annotation
     * about its placement, empty where it has none.
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

        /** One without an annotation about its placement. */
        public DomainObject(
                ObjectRef ref,
                long generation,
                boolean deleting,
                List<String> finalizers,
                String templateName,
                String allocationMode,
                DomainStatus status) {
            this(ref, generation, deleting, finalizers, templateName, allocationMode, status, "");
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

    /** A ResourceClaimTemplate: its finalizers hold it, its content is what claims made from it ask for. */
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

            /** The ComputeDomain that it names in its configuration; empty where it names none. */
            Optional<String> domainId();

            /**
             * One channel of a ComputeDomain, by its UID, in the form of the public controller; fields that the server
             * adds change nothing about it, nor does the annotation by which claims name their ComputeDomain.
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

    /** A ResourceClaimTemplate to make. Claims made from it bear the name of the ComputeDomain as an annotation. */
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

    /** News of a watch of objects. Listeners are called on its thread, one at a time, and must not block. */
    sealed interface WatchUpdate<T> {

        /** All objects as of a version: what is not among them, and not younger than the version, is gone. */
        record ObjectsListed<T>(List<T> objects, String version) implements WatchUpdate<T> {}

        record ObjectChanged<T>(T object) implements WatchUpdate<T> {}

        /** Deleted in this version, empty if the server gave none; an object may come back with its label. */
        record ObjectDeleted<T>(String uid, String version) implements WatchUpdate<T> {}
    }
}
