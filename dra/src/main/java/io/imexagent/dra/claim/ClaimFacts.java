package io.imexagent.dra.claim;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import java.util.Optional;

/**
 * What Kubernetes says about a claim of a request, gathered before planning.
 *
 * @param ref the claim that the kubelet named
 * @param claim the claim's object
 * @param domain the ComputeDomain that the claim names
 * @param pod the pod that the claim is reserved for
 */
public record ClaimFacts(ClaimRef ref, ClaimLookup claim, DomainLookup domain, PodLookup pod) {

    /** Facts of a claim for which the pod does not matter. */
    public ClaimFacts(ClaimRef ref, ClaimLookup claim, DomainLookup domain) {
        this(ref, claim, domain, new PodLookup.NotAsked());
    }

    /** What a look at the claim gave. */
    public sealed interface ClaimLookup {

        /**
         * The claim of that UID.
         *
         * @param status its status
         */
        record Found(ClaimStatus status) implements ClaimLookup {}

        /** No claim has that name. */
        record Missing() implements ClaimLookup {}

        /**
         * Another claim has that name.
         *
         * @param uid the other's UID
         */
        record Replaced(String uid) implements ClaimLookup {}

        /**
         * The object could not be understood.
         *
         * @param reason which field, and why
         */
        record Unreadable(String reason) implements ClaimLookup {}

        /**
         * The API server did not tell.
         *
         * @param reason why, with the remedy
         */
        record Failed(String reason) implements ClaimLookup {}
    }

    /** What a look at the ComputeDomain gave. */
    public sealed interface DomainLookup {

        /** Nobody looked, since the claim names no ComputeDomain that could be looked for. */
        record NotAsked() implements DomainLookup {}

        /**
         * There it is.
         *
         * @param namespace its namespace
         * @param name its name
         * @param channel the channel that the controller gave to it, as its status says; empty where it has none
         * @param deleting whether its deletion has begun; its status still names the channel while that rests
         */
        record Found(String namespace, String name, Optional<ChannelId> channel, boolean deleting)
                implements DomainLookup {

            /** One that nobody deletes. */
            public Found(String namespace, String name, Optional<ChannelId> channel) {
                this(namespace, name, channel, false);
            }

            /** One without a channel of its own. */
            public Found(String namespace, String name) {
                this(namespace, name, Optional.empty());
            }
        }

        /** A live read confirmed that there is none. */
        record Missing() implements DomainLookup {}

        /**
         * The API server did not tell.
         *
         * @param reason why, with the remedy
         */
        record Failed(String reason) implements DomainLookup {}
    }

    /** What a look at the claim's pod gave. */
    public sealed interface PodLookup {

        /** Nobody looked, since it does not matter. */
        record NotAsked() implements PodLookup {}

        /**
         * There it is.
         *
         * @param name its name
         * @param hostNetwork whether it is in the host's network namespace
         * @param containers how many of its containers use the claim
         */
        record Found(String name, boolean hostNetwork, int containers) implements PodLookup {}

        /**
         * There is not exactly one.
         *
         * @param reason what there is instead, as a clause
         */
        record NotOne(String reason) implements PodLookup {}

        /**
         * The API server did not tell.
         *
         * @param reason why, with the remedy
         */
        record Failed(String reason) implements PodLookup {}
    }
}
