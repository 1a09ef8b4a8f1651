package io.imexagent.imex.gate;

import java.util.List;

/**
 * On which hosts nvidia-imex is installed and may start.
 *
 * @param manage whether {@code imex-agent provision} does anything; default true
 * @param packageName the package that it installs; default {@code nvidia-imex}
 * @param vendors the DMI vendors of the machines that are meant; default empty, any
 * @param gate whether the unit of nvidia-imex starts only where the gate says so; default true
 * @param gpuNames a regular expression that is found in the names of GPUs that take IMEX; default GB200 or GB300 as a
 *     word; empty: none
 * @param pciDevices NVIDIA's PCI device IDs of such GPUs, four hexadecimal digits each; default 2941 and 31C2
 * @param allowFabric whether any GPU in an NVLink fabric takes IMEX; default false
 */
public record ImexServiceSettings(
        boolean manage,
        String packageName,
        List<String> vendors,
        boolean gate,
        String gpuNames,
        List<String> pciDevices,
        boolean allowFabric) {

    /** Copies the lists in. */
    public ImexServiceSettings {
        vendors = List.copyOf(vendors);
        pciDevices = List.copyOf(pciDevices);
    }
}
