package io.imexagent.fabric.child;

/** A GPU as libcuda reports it to a child, and whether it supports fabric handles. */
public record FabricGpu(String uuid, boolean fabricHandles) {}
