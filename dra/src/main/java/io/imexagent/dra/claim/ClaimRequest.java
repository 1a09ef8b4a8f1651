package io.imexagent.dra.claim;

/** A claim as the kubelet's request names it, unchecked; the answer is found by its UID. */
public record ClaimRequest(String namespace, String name, String uid) {}
