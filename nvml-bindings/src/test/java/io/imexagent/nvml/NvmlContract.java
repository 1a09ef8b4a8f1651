package io.imexagent.nvml;

/** What every NVML does, whatever is behind it. */
public interface NvmlContract extends NvmlSessionContract, NvmlFabricContract, NvmlEventContract {}
