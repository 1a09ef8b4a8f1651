package io.imexagent.agent.config;

import static io.imexagent.agent.config.ConfigKey.toggle;

import io.imexagent.agent.config.ConfigKey.Standard;
import io.imexagent.agent.config.ValueType.Listing;
import io.imexagent.agent.config.ValueType.Listing.Between;
import io.imexagent.agent.config.ValueType.Text;
import io.imexagent.imex.gate.ImexServiceSettings;
import io.imexagent.rdma.watch.NameList;
import java.util.List;

/** The keys of {@code imex.service}: on which hosts nvidia-imex is installed and may start. */
final class ImexServiceKeys {

    static final ConfigKey<Boolean> MANAGE = toggle(
                    "imex.service.manage",
                    true,
                    "Whether `imex-agent provision` may install nvidia-imex and enable its unit.")
            .withReload();

    static final ConfigKey<String> PACKAGE = ConfigKey.of(
                    "imex.service.packageName",
                    Text.matching("the name of a package, such as nvidia-imex", "[A-Za-z0-9][A-Za-z0-9._+-]*"),
                    new Standard.Fixed<>("nvidia-imex"),
                    "The package that `imex-agent provision` installs.")
            .withReload();

    static final ConfigKey<NameList> VENDORS = ConfigKey.of(
                    "imex.service.vendors",
                    new Listing(
                            "vendors as in /sys/class/dmi/id/sys_vendor",
                            "Microsoft Corporation",
                            name -> name.matches("[^\\p{Cntrl}]{1,128}"),
                            Between.SEMICOLONS),
                    new Standard.Unset<>("any vendor", new NameList(List.of("Microsoft Corporation"))),
                    "The vendors of machines on which nvidia-imex is installed and started.")
            .withReload();

    static final ConfigKey<Boolean> GATE = toggle(
                    "imex.service.gate",
                    true,
                    "Whether the unit of nvidia-imex starts only where `imex-agent gate` says so; off, the drop-in has"
                            + " no effect.")
            .withReload();

    static final ConfigKey<String> GPU_NAMES = ConfigKey.of(
                    "imex.service.gpuNames",
                    Text.regularExpression(),
                    new Standard.Fixed<>("\\b(GB200|GB300)\\b"),
                    "The pattern that is found in the names of GPUs that take IMEX, as NVML tells them.")
            .withReload();

    static final ConfigKey<NameList> PCI_DEVICES = ConfigKey.of(
                    "imex.service.pciDevices",
                    new Listing(
                            "PCI device IDs of NVIDIA, four hexadecimal digits each",
                            "2941,31C2",
                            device -> device.matches("[0-9A-Fa-f]{4}")),
                    new Standard.Fixed<>(new NameList(List.of("2941", "31C2"))),
                    "The PCI devices that take IMEX, known before a driver is loaded; by default GB200 and GB300.")
            .withReload();

    static final ConfigKey<Boolean> ALLOW_FABRIC = toggle(
                    "imex.service.allowFabric",
                    false,
                    "Whether any GPU that is in an NVLink fabric (its cluster UUID is not zero) takes IMEX, whatever"
                            + " its name.")
            .withReload();

    /** All of them, in the order of the file and the reference. */
    static final List<ConfigKey<?>> ALL = List.of(MANAGE, PACKAGE, VENDORS, GATE, GPU_NAMES, PCI_DEVICES, ALLOW_FABRIC);

    private ImexServiceKeys() {}

    /** The section of a configuration. */
    static ImexServiceSettings section(AgentConfig config) {
        return new ImexServiceSettings(
                config.get(MANAGE),
                config.get(PACKAGE),
                config.find(VENDORS).map(NameList::names).orElse(List.of()),
                config.get(GATE),
                config.get(GPU_NAMES),
                config.get(PCI_DEVICES).names(),
                config.get(ALLOW_FABRIC));
    }
}
