package io.imexagent.imex.probe;

import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.files.FileFault;
import io.imexagent.imex.probe.Machine.PciGpu;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Compares the GPUs on the PCI bus with those that NVML lists. A GPU for NVIDIA's driver that NVML does not list is a
 * fault; a GPU that is bound to another driver was given away on purpose.
 */
record GpusOnBus(Machine machine) {

    /**
     * Drivers that hold a device for a virtual machine or a program in user space; names that contain {@code vfio}
     * count, too.
     */
    private static final Set<String> HOLDERS =
            Set.of("pci-stub", "pciback", "xen-pciback", "uio_pci_generic", "igb_uio");

    /** A GPU on the bus that NVML has no entry for, with the data in the driver's files. */
    private record Unlisted(PciAddress address, PciGpu gpu, Map<String, String> information) {

        /** The UUID; empty if the driver has not read it and writes question marks. */
        Optional<String> uuid() {
            return Optional.ofNullable(information.get("GPU UUID"))
                    .filter(text -> text.startsWith("GPU-") && !text.contains("?"));
        }

        boolean excluded() {
            return "Yes".equals(information.get("GPU Excluded"));
        }

        /** Whether NVML should list it: no other driver has it, and it is not excluded. */
        boolean missing() {
            return !excluded() && gpu.isForNvidia();
        }

        String title() {
            return "GPU at " + address + " (10de:" + gpu.device()
                    + uuid().map(text -> ", " + text).orElse("") + ")";
        }
    }

    /**
     * Adds data of the bus to the facts: addresses and UUIDs of GPUs that NVML lists and cannot read, and findings on
     * those that it does not list. Without an answering driver there is nothing to compare.
     */
    NvmlFacts check(NvmlFacts nvml) {
        if (!(nvml.driver() instanceof DriverState.LoadedDriver)) {
            return nvml;
        }
        if (!nvml.gpus().isEmpty() && !machine.hasPciBus()) {
            return nvml.with(unreadable("is missing, though NVML lists GPUs"));
        }
        try {
            return check(nvml, unlisted(nvml.gpus()));
        } catch (IOException failure) {
            return nvml.with(unreadable("cannot be read: " + FileFault.reason(failure)));
        }
    }

    private static Finding unreadable(String why) {
        return Finding.warning(
                NodeInventory.BUS_UNREADABLE,
                "/sys/bus/pci/devices " + why,
                "make it readable for the agent; until then a GPU that NVML does not list goes unnoticed");
    }

    private List<Unlisted> unlisted(List<Gpu> gpus) throws IOException {
        Set<PciAddress> listed =
                gpus.stream().flatMap(gpu -> gpu.pci().stream()).collect(Collectors.toSet());
        var unlisted = new ArrayList<Unlisted>();
        for (PciGpu gpu : machine.gpus()) {
            PciAddress.parse(gpu.address())
                    .filter(address -> !listed.contains(address) && !gpu.virtual())
                    .ifPresent(address -> unlisted.add(new Unlisted(address, gpu, machine.information(address))));
        }
        return unlisted;
    }

    private static NvmlFacts check(NvmlFacts nvml, List<Unlisted> unlisted) {
        if (unlisted.isEmpty()) {
            return nvml;
        }
        List<Unlisted> missing = unlisted.stream().filter(Unlisted::missing).toList();
        List<Gpu> nameless =
                nvml.gpus().stream().filter(gpu -> gpu.pci().isEmpty()).toList();
        boolean matched = missing.size() == nameless.size();
        // NVML counts its GPUs in the order of their addresses.
        List<Gpu> gpus = matched && !missing.isEmpty()
                ? nvml.gpus().stream()
                        .map(gpu -> nameless.contains(gpu) ? named(gpu, missing.get(nameless.indexOf(gpu))) : gpu)
                        .toList()
                : nvml.gpus();
        CliqueState clique = gpus.isEmpty() && !missing.isEmpty()
                ? new CliqueState.UnknownClique("NVML lists none of the GPUs on the PCI bus")
                : CliqueState.of(gpus);
        var findings = new ArrayList<>(GpuFindings.of(gpus, clique));
        unlisted.stream()
                .filter(gpu -> !matched || !gpu.missing())
                .map(gpu -> finding(gpu, nameless))
                .forEach(findings::add);
        // Findings of other sources stay.
        List<Finding> ofGpus = GpuFindings.of(nvml.gpus(), nvml.clique());
        nvml.findings().stream().filter(finding -> !ofGpus.contains(finding)).forEach(findings::add);
        return new NvmlFacts(nvml.driver(), gpus, clique, findings);
    }

    private static Gpu named(Gpu gpu, Unlisted found) {
        return new Gpu(
                gpu.index(),
                gpu.name().isEmpty() ? found.information().getOrDefault("Model", "") : gpu.name(),
                gpu.uuid().isEmpty() ? found.uuid().orElse("") : gpu.uuid(),
                Optional.of(found.address()),
                gpu.fabric(),
                gpu.health());
    }

    private static Finding finding(Unlisted gpu, List<Gpu> nameless) {
        String driver = gpu.gpu().driver().orElse("");
        if (gpu.excluded()) {
            return Finding.warning(
                    NodeInventory.EXCLUDED,
                    gpu.title() + ": the NVIDIA driver is configured to leave it out (/proc/driver/nvidia/gpus)",
                    "nothing to do where the operator or the fabric manager has excluded it on purpose; otherwise look"
                            + " for NVreg_ExcludedGpus");
        }
        if (gpu.missing()) {
            String mayBe = nameless.isEmpty()
                    ? ""
                    : "; it may be " + Gpu.titles(nameless) + ", of which NVML does not tell the address";
            return Finding.critical(
                    NodeInventory.NOT_LISTED,
                    gpu.title() + " is on the PCI bus, bound to " + (driver.isEmpty() ? "no driver" : driver)
                            + ", and NVML does not list it" + mayBe,
                    "look at the kernel log for NVRM messages about this address; drain the node, then reset the GPU or"
                            + " reboot");
        }
        boolean held = driver.contains("vfio") || HOLDERS.contains(driver);
        return new Finding(
                held ? "gpu-passed-through" : "gpu-other-driver",
                held ? Severity.INFO : Severity.WARNING,
                gpu.title() + ": left to the driver " + driver + " instead of NVIDIA's"
                        + (held ? ", as for a virtual machine" : ""),
                "nothing to do where that is intended; otherwise bind it to the driver nvidia");
    }
}
