package io.imexagent.kubernetes.control;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.Reviews;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The cluster as a controller sees and changes it. Closing it ends its watches and connections.
 *
 * <p>Calls block: make them on a virtual thread. One that changes an object that was observed fails with kind
 * {@code CONFLICT} where the object changed since then, and with {@code NOT_FOUND} where it is gone.
 */
public interface ControlPlane extends AutoCloseable {

    /**
     * Begins to watch: ComputeDomains, ResourceClaimTemplates and ResourceClaims of all namespaces, and the Leases of the
     * controller's own. The watches come back by themselves after every kind of failure. Called once.
     */
    void watch(
            Consumer<WatchNews<DomainObject>> domains,
            Consumer<WatchNews<TemplateObject>> templates,
            Consumer<WatchNews<ClaimUse>> claims,
            Consumer<WatchNews<LeaseObject>> leases);

    /** Why a watch does not stand at the moment; empty while all stand. */
    Optional<ApiFailure> watchFailure();

    /**
     * Sets a ComputeDomain's finalizers, and returns it as it is now.
     *
     * @return empty where it is gone by that: it was being deleted, and nothing holds it any more
     */
    Optional<DomainObject> setFinalizers(DomainObject observed, List<String> finalizers) throws ApiException;

    /**
     * Sets {@code status.status} and {@code status.channel} of a ComputeDomain; the rest of the status stays.
     *
     * @param channel empty takes the field away
     */
    DomainObject setStatus(DomainObject observed, boolean ready, Optional<ChannelId> channel) throws ApiException;

    /**
     * Sets one annotation of a ComputeDomain beside those that it has; a value that it had not before makes a new version
     * of the object.
     */
    DomainObject annotate(DomainObject observed, String annotation, String value) throws ApiException;

    /**
     * Asks the server whether there is a ComputeDomain of this UID.
     *
     * @param namespace where to look; empty for everywhere
     */
    Optional<DomainObject> find(ComputeDomainUid uid, Optional<String> namespace) throws ApiException;

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
    Leases leases();

    /** Asks the server for the claims of a namespace that have to do with ComputeDomains. */
    List<ClaimUse> claims(String namespace) throws ApiException;

    /** Asks the server which channels each node publishes, by the node's name. */
    Map<String, Set<ChannelId>> published() throws ApiException;

    /** The nodes and tables of the NVLink fabric. */
    FabricControl fabric();

    /** Records an Event. */
    void record(EventDraft event) throws ApiException;

    /** Who others are, and what they may do. */
    Reviews reviews();

    /** What the last calls told about the server. Never blocks. */
    KubernetesApi.State state();

    @Override
    void close();
}
