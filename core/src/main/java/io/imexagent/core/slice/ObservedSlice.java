package io.imexagent.core.slice;

/**
 * A ResourceSlice of this driver and node as the API server has it.
 *
 * @param name the object's name
 * @param resourceVersion the object's version, opaque
 * @param ownedByNode whether this node, by its present UID, owns the object
 * @param content what its {@code spec} says
 */
public record ObservedSlice(String name, String resourceVersion, boolean ownedByNode, PoolSlice content) {}
