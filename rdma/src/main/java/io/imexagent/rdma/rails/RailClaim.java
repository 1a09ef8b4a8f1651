package io.imexagent.rdma.rails;

/** What a claim asks for, with the pod that it is reserved for. */
public record RailClaim(RailDemand demand, Pod pod) {

    /** What is known of the claim's pod. */
    public sealed interface Pod {

        /** It was not looked up, since it does not matter. */
        record NotAsked() implements Pod {}

        /**
         * There it is.
         *
         * @param hostNetwork whether it is in the host's network namespace
         * @param containers how many of its containers use the claim
         */
        record Found(String name, boolean hostNetwork, int containers) implements Pod {}

        /**
         * There is not exactly one.
         *
         * @param reason what there is instead, as a clause
         */
        record NotOne(String reason) implements Pod {}
    }
}
