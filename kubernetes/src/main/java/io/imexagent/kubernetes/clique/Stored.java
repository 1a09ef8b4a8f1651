package io.imexagent.kubernetes.clique;

/**
 * An object of the cluster as it was read or written. A write over it names both its UID and its version, so that the
 * server refuses it where somebody was faster, or another object has taken the name.
 *
 * @param uid its UID
 * @param version its {@code resourceVersion}
 * @param content what it says
 */
public record Stored<T>(String uid, String version, T content) {}
