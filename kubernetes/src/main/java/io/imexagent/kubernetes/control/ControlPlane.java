package io.imexagent.kubernetes.control;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.KubernetesApi;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The cluster as a controller sees and changes it. Closing it ends its watches and connections. */
public interface ControlPlane extends AutoCloseable {

    /**
     * Begins to watch: ComputeDomains, ResourceClaimTemplates and ResourceClaims of all namespaces, and the Leases of the
     * controller's own. The watches come back by themselves after every kind of failure. Called once.
     */
    void watch(
            WatchSink<DomainObject> domains,
            WatchSink<TemplateObject> templates,
            WatchSink<ClaimUse> claims,
            WatchSink<LeaseObject> leases);

    /** Why a watch does not stand at the moment; empty while all stand. */
    Optional<ApiFailure> watchFailure();

    /** ComputeDomains. */
    Domains domains();

    /** ResourceClaimTemplates. */
    Templates templates();

    /** The Leases of the controller's namespace. */
    Leases leases();

    /** Asks the server for the claims of a namespace that have to do with ComputeDomains. Blocking. */
    List<ClaimUse> claims(String namespace) throws ApiException;

    /** Asks the server which channels each node publishes, by the node's name. Blocking. */
    Map<String, Set<ChannelId>> published() throws ApiException;

    /** Records an Event. Blocking. */
    void record(EventDraft event) throws ApiException;

    /** What the last calls told about the server. Never blocks. */
    KubernetesApi.State state();

    @Override
    void close();
}
