package io.imexagent.fabric.child;

/** A GPU as libcuda shows it to a child: whether it has fabric handles, and its compute mode (0 default, 2 prohibited). */
public record FabricGpu(String uuid, boolean fabricHandles, int computeMode) {}
