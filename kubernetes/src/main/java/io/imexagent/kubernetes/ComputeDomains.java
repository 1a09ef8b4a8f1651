package io.imexagent.kubernetes;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import java.util.Optional;

/** ComputeDomains: a watch keeps them at hand, and live reads confirm that one is missing, or is as the watch has it. */
public interface ComputeDomains {

    /** The ComputeDomain of this UID, out of the watch's cache. Never blocks. Empty also means: not known yet. */
    Optional<DomainRef> cached(ComputeDomainUid uid);

    /**
     * Asks the server for the ComputeDomains of a namespace, and looks for this UID in them and, since the cluster may
     * be asked for one in another namespace, in all. Blocking: call on a virtual thread.
     *
     * @return the ComputeDomain; empty where the server says that there is none
     * @throws ApiException where the server did not tell
     */
    Optional<DomainRef> live(ComputeDomainUid uid, String namespace) throws ApiException;

    /**
     * Asks the server for the ComputeDomain under the name that it was seen with; one GET. Blocking: call on a virtual
     * thread.
     *
     * @return the ComputeDomain as it is now; empty where there is none of that name any more, or one of another UID
     * @throws ApiException where the server did not tell
     */
    Optional<DomainRef> confirm(DomainRef seen) throws ApiException;

    /** Why the watch does not stand at the moment; empty while it stands, or where nothing is watched. */
    default Optional<ApiFailure> watchFailure() {
        return Optional.empty();
    }

    /**
     * Where a ComputeDomain is.
     *
     * @param uid its UID
     * @param namespace its namespace
     * @param name its name
     * @param channel the channel that the controller gave to it ({@code status.channel}); empty where it has none
     * @param deleting whether its deletion has begun ({@code metadata.deletionTimestamp})
     */
    record DomainRef(
            ComputeDomainUid uid, String namespace, String name, Optional<ChannelId> channel, boolean deleting) {

        /** One that nobody deletes. */
        public DomainRef(ComputeDomainUid uid, String namespace, String name, Optional<ChannelId> channel) {
            this(uid, namespace, name, channel, false);
        }

        /** One without a channel. */
        public DomainRef(ComputeDomainUid uid, String namespace, String name) {
            this(uid, namespace, name, Optional.empty());
        }
    }
}
