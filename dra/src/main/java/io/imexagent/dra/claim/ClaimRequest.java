package io.imexagent.dra.claim;

/**
 * A claim as the kubelet's request names it, unchecked.
 *
 * @param uid the claim's UID, also the key of its answer
 */
public record ClaimRequest(String namespace, String name, String uid) {}
