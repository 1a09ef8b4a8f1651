package io.imexagent.kubernetes.clique;

/**
 * An object of the cluster as it was read or written. A write over it names both its UID and its version, so that the
 * server refuses it where somebody was faster, or another object has taken the name.
 *
 * @param name its name
 * @param uid its UID
 * @param version its {@code resourceVersion}
 * @param deleting whether it goes as soon as nothing keeps it
 * @param content what it says
 */
public record Stored<T>(String name, String uid, String version, boolean deleting, T content) {}
