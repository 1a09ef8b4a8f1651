package io.imexagent.kubernetes.control;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.UnreadObjects;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import io.imexagent.kubernetes.clique.StoredObjects;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The cluster as a controller sees and changes it. Closing it ends its watches and connections.
 *
 * <p>Calls block: make them on a virtual thread. One that changes an object that was observed fails with kind
 * {@code CONFLICT} where the object changed since then, and with {@code NOT_FOUND} where it is gone.
 */
public interface ControlPlane extends AutoCloseable {

    /**
     * Begins to watch: ComputeDomains and the ResourceClaimTemplates that bear the label of a workload's template, of all
     * namespaces, and the nodes and tables of the NVLink fabric. The watches come back by themselves after every kind of
     * failure. Called once.
     */
    void watch(
            Consumer<WatchNews<DomainObject>> domains,
            Consumer<WatchNews<TemplateObject>> templates,
            Consumer<WatchNews<Stored<NvlinkNode>>> nodes,
            Consumer<WatchNews<Stored<NvlinkClique>>> cliques);

    /** Why a watch does not stand at the moment; empty while all stand. */
    Optional<ApiFailure> watchFailure();

    /** The objects that are watched and cannot be read, by their resource. Never blocks. */
    default Map<String, UnreadObjects> unread() {
        return Map.of();
    }

    /**
     * Sets a ComputeDomain's finalizers, and returns it as it is now.
     *
     * @return empty where it is gone by that: it was being deleted, and nothing holds it any more
     */
    Optional<DomainObject> setFinalizers(DomainObject observed, List<String> finalizers) throws ApiException;

    /** Sets {@code status.status} of a ComputeDomain; the rest of the status stays. */
    DomainObject setStatus(DomainObject observed, boolean ready) throws ApiException;

    /** Asks the server whether a namespace has a ComputeDomain of this UID. */
    Optional<DomainObject> find(ComputeDomainUid uid, String namespace) throws ApiException;

    /** Asks the server for the template of this name, whatever its labels; empty where there is none. */
    Optional<TemplateObject> template(String namespace, String name) throws ApiException;

    /**
     * Makes a ResourceClaimTemplate.
     *
     * @throws ApiException with kind {@code CONFLICT} where the name is taken
     */
    TemplateObject create(TemplateDraft draft) throws ApiException;

    /**
     * Sets labels of a template beside those that it has, and its finalizers.
     *
     * @return empty where it is gone by that: it was being deleted, and nothing holds it any more
     */
    Optional<TemplateObject> mend(TemplateObject observed, Map<String, String> labels, List<String> finalizers)
            throws ApiException;

    /**
     * Deletes a template.
     *
     * @return the template where finalizers hold it; empty where it is gone
     */
    Optional<TemplateObject> delete(TemplateObject observed) throws ApiException;

    /** The Leases of the controller's namespace. */
    StoredObjects<LeaseContent> leases();

    /** The nodes and tables of the NVLink fabric. */
    FabricObjects fabric();

    /** Records an Event. */
    void record(EventDraft event) throws ApiException;

    /** Who others are, and what they may do. */
    Reviews reviews();

    /** What the last calls told about the server. Never blocks. */
    KubernetesApi.State state();

    @Override
    void close();

    /**
     * What a Lease says.
     *
     * @param holder who holds it; empty where it is free
     * @param acquired since when
     * @param renewed when the holder last confirmed it
     * @param duration how long the holder's word is good, in whole seconds
     * @param transitions how often the holder changed
     */
    record LeaseContent(
            Optional<String> holder,
            Optional<Instant> acquired,
            Optional<Instant> renewed,
            Optional<Duration> duration,
            int transitions,
            Map<String, String> labels,
            Map<String, String> annotations) {

        /** Copies labels and annotations in. */
        public LeaseContent {
            labels = Map.copyOf(labels);
            annotations = Map.copyOf(annotations);
        }
    }
}
