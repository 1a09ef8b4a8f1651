package io.imexagent.dra.claim;

/** A claim as the kubelet's request names it, unchecked; its answer goes by the UID. */
public record ClaimRequest(String namespace, String name, String uid) {}
