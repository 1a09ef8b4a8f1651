package io.imexagent.testing.kubelet;

/** A claim as the kubelet names it to a plugin. */
public record KubeletClaimRequest(String namespace, String name, String uid) {}
