package io.imexagent.kubernetes.control;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ApiException;
import java.util.List;
import java.util.Optional;

/** Changes ComputeDomains. Calls block: make them on a virtual thread. */
public interface Domains {

    /**
     * Sets the finalizers, and returns the ComputeDomain as it is now.
     *
     * @return empty where it is gone by that: it was being deleted, and nothing holds it any more
     * @throws ApiException with kind {@code CONFLICT} where it changed since it was observed, {@code NOT_FOUND} where it
     *     is gone
     */
    Optional<DomainObject> setFinalizers(DomainObject observed, List<String> finalizers) throws ApiException;

    /**
     * Sets {@code status.status} and {@code status.channel}; the rest of the status stays.
     *
     * @param channel empty takes the field away
     * @throws ApiException with kind {@code CONFLICT} where it changed since it was observed, {@code NOT_FOUND} where it
     *     is gone
     */
    DomainObject setStatus(DomainObject observed, boolean ready, Optional<ChannelId> channel) throws ApiException;

    /**
     * Sets one annotation beside those that it has; a value that it had not before makes a new version of the object.
     *
     * @throws ApiException with kind {@code CONFLICT} where it changed since it was observed, {@code NOT_FOUND} where it
     *     is gone
     */
    DomainObject annotate(DomainObject observed, String annotation, String value) throws ApiException;

    /**
     * Asks the server whether there is a ComputeDomain of this UID.
     *
     * @param namespace where to look; empty for everywhere
     */
    Optional<DomainObject> find(ComputeDomainUid uid, Optional<String> namespace) throws ApiException;
}
