package io.imexagent.imex.gate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The machine that a host runs on, as the kernel shows it before any driver of NVIDIA's is loaded. */
public final class Machine {

    private final Path vendor;
    private final PciBus bus;

    /** The machine whose {@code sys} stands under a root. */
    public Machine(Path hostRoot) {
        this.vendor = hostRoot.resolve("sys/class/dmi/id/sys_vendor");
        this.bus = new PciBus(hostRoot);
    }

    /** The vendor in the DMI table; empty where there is none. */
    public Optional<String> vendor() throws IOException {
        try {
            return Optional.of(Files.readString(vendor, StandardCharsets.ISO_8859_1)
                            .strip())
                    .filter(name -> !name.isEmpty());
        } catch (NoSuchFileException noDmi) {
            return Optional.empty();
        }
    }

    /** NVIDIA's GPUs on the PCI bus, by address. */
    public List<PciGpu> gpus() throws IOException {
        return bus.gpus();
    }
}
