package io.imexagent.imex.gate;

import io.imexagent.core.inventory.Gpu;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Which hosts nvidia-imex belongs on, as the operator has configured it. Pure: it is given what was read. */
final class GateRule {

    private final boolean on;
    private final List<String> vendors;
    private final List<String> devices;
    private final Optional<Pattern> names;
    private final boolean allowFabric;

    GateRule(ImexServiceSettings service) {
        this.on = service.gate();
        this.vendors = service.vendors();
        this.devices = service.pciDevices().stream()
                .map(device -> device.toLowerCase(Locale.ROOT))
                .toList();
        this.names = Optional.of(service.gpuNames())
                .filter(pattern -> !pattern.isEmpty())
                .map(Pattern::compile);
        this.allowFabric = service.allowFabric();
    }

    /** Whether the gate decides anything at all. */
    boolean on() {
        return on;
    }

    /** Whether machines of this vendor are meant; an empty list means all. */
    boolean takesVendor(Optional<String> vendor) {
        return vendors.isEmpty() || vendor.filter(vendors::contains).isPresent();
    }

    List<String> vendors() {
        return vendors;
    }

    /** The first GPU whose PCI device is listed. */
    Optional<PciGpu> listed(List<PciGpu> gpus) {
        return gpus.stream().filter(gpu -> devices.contains(gpu.device())).findFirst();
    }

    /** What makes the GPU one that takes IMEX, by its name or its fabric; empty where nothing does. */
    Optional<String> capable(Gpu gpu) {
        if (names.filter(pattern -> pattern.matcher(gpu.name()).find()).isPresent()) {
            return Optional.of("GPU " + gpu.name());
        }
        return allowFabric
                        && gpu.fabric() instanceof Gpu.Fabric.Registered registered
                        && registered.clique().isPresent()
                ? Optional.of("GPU " + gpu.name() + " in the NVLink fabric "
                        + registered.clique().get().text())
                : Optional.empty();
    }
}
