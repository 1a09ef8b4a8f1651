package io.imexagent.testing.kubelet;

/**
 * A claim as the kubelet names it to a plugin.
 *
 * @param namespace the claim's namespace
 * @param name the claim's name
 * @param uid the claim's UID
 */
public record Claim(String namespace, String name, String uid) {}
