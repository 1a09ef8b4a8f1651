package io.imexagent.fabric.child;

/**
 * A GPU as libcuda reports it to a child: whether it supports fabric handles, and its compute mode (0 default, 2
 * prohibited).
 */
public record FabricGpu(String uuid, boolean fabricHandles, int computeMode) {}
