package io.imexagent.imex.gate;

import io.imexagent.core.setting.Setting;
import io.imexagent.core.setting.Value;
import io.imexagent.core.setting.Value.RegularExpression;
import java.time.Duration;
import java.util.List;

/** The hosts on which nvidia-imex is installed and may start ({@code imex.service}). */
public record ImexServiceSettings(
        @Setting("Whether `imex-agent provision` installs nvidia-imex and enables its unit; on hosts without a GPU too,"
                + " where the gate skips its start.")
        @Value(preset = "true", reloadable = true)
        boolean manage,

        @Setting("The package that `imex-agent provision` installs.")
        @Value(
                preset = "nvidia-imex",
                noun = "the name of a package, such as nvidia-imex",
                matches = "[A-Za-z0-9][A-Za-z0-9._+-]*",
                reloadable = true)
        String packageName,

        @Setting("The vendors of machines on which nvidia-imex is installed and started.")
        @Value(
                unset = "any vendor",
                example = "Microsoft Corporation",
                noun = "vendors as in /sys/class/dmi/id/sys_vendor",
                matches = "[^\\p{Cntrl}]{1,128}",
                separator = ";",
                reloadable = true)
        List<String> vendors,

        @Setting("Whether the unit of nvidia-imex starts only where `imex-agent gate` says so; off, the drop-in has"
                + " no effect.")
        @Value(preset = "true", reloadable = true)
        boolean gate,

        @Setting("The pattern that is found in the names of GPUs that support IMEX, as NVML tells them.")
        @Value(
                preset = ImexServiceSettings.GPU_NAMES,
                noun = RegularExpression.NOUN,
                form = RegularExpression.class,
                reloadable = true)
        String gpuNames,

        @Setting("The PCI devices that support IMEX, known before a driver is loaded; by default GB200, GB300 and Vera"
                + " Rubin (two devices).")
        @Value(
                preset = "2941,31C2,3041,307F",
                noun = "PCI device IDs of NVIDIA, four hexadecimal digits each",
                matches = "[0-9A-Fa-f]{4}",
                reloadable = true)
        List<String> pciDevices,

        @Setting("Whether any other GPU supports IMEX that has completed its registration in a multi-node NVLink fabric"
                + " (its cluster UUID is not zero), whatever its name. Not the GPUs that are known to have no IMEX.")
        @Value(preset = "true", reloadable = true)
        boolean allowFabric,

        @Setting(
                "How long imex-agent-late-driver.service waits for a GPU's driver, or for its NVLink fabric; then it repeats"
                        + " the boot's own start of nvidia-imex, if that is enabled and not masked. 0s: not at all.")
        @Value(preset = "30m", range = "0s..24h", reloadable = true)
        Duration keepTrying) {

    static final String GPU_NAMES = "\\b(GB200|GB300)\\b";

    public ImexServiceSettings {
        vendors = List.copyOf(vendors);
        pciDevices = List.copyOf(pciDevices);
    }
}
