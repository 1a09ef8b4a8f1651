package io.imexagent.imex.probe;

import io.imexagent.core.inventory.PciAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The machine of a host with its {@code sys} below the root, as the kernel shows it before NVIDIA's driver is loaded:
 * the vendor in the DMI table, and NVIDIA's GPUs on the PCI bus (the kernel's ABI sysfs-bus-pci).
 */
public record Machine(Path hostRoot) {

    /**
     * An NVIDIA GPU by its PCI address, {@code 0008:06:00.0}, and device ID in lower case, {@code 2941} for a GB200;
     * the kernel's driver bound to it, {@code nvidia} or {@code vfio-pci}, or otherwise the other driver that is set to
     * be bound ({@code driver_override}). A virtual function is a part of a GPU for use by a virtual machine.
     */
    public record PciGpu(String address, String device, Optional<String> driver, boolean virtual) {

        /** Whether NVIDIA's driver is or may be bound to the GPU: no other driver is. */
        public boolean isForNvidia() {
            return driver.orElse(NVIDIA_DRIVER).equals(NVIDIA_DRIVER);
        }
    }

    /** The kernel's name of NVIDIA's driver. */
    private static final String NVIDIA_DRIVER = "nvidia";

    private static final String PCI_DEVICES = "sys/bus/pci/devices";

    private static final String NVIDIA = "0x10de";

    /** Base class 03, display controllers: 0300 (VGA) and 0302 (3D). NVSwitches and audio functions have others. */
    private static final String DISPLAY = "0x03";

    /** The vendor in the DMI table; empty if it has none. */
    public Optional<String> vendor() throws IOException {
        return Optional.of(text(hostRoot.resolve("sys/class/dmi/id/sys_vendor")))
                .filter(name -> !name.isEmpty());
    }

    /** Whether the kernel shows a PCI bus; false if {@code /sys} is missing, hidden or not the kernel's. */
    boolean hasPciBus() {
        return Files.isDirectory(hostRoot.resolve(PCI_DEVICES));
    }

    /** NVIDIA's GPUs on the PCI bus, by address. A machine without a PCI bus has none. */
    public List<PciGpu> gpus() throws IOException {
        var found = new ArrayList<PciGpu>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(hostRoot.resolve(PCI_DEVICES))) {
            for (Path entry : entries) {
                if (text(entry.resolve("vendor")).equals(NVIDIA)
                        && text(entry.resolve("class")).startsWith(DISPLAY)) {
                    found.add(new PciGpu(
                            entry.getFileName().toString(),
                            text(entry.resolve("device")).replaceFirst("^0x", ""),
                            driver(entry),
                            Files.exists(entry.resolve("physfn"), LinkOption.NOFOLLOW_LINKS)));
                }
            }
        } catch (NoSuchFileException | NotDirectoryException noBus) {
            return List.of();
        } catch (DirectoryIteratorException failure) {
            throw failure.getCause();
        }
        found.sort(Comparator.comparing(PciGpu::address));
        return List.copyOf(found);
    }

    private static Optional<String> driver(Path entry) throws IOException {
        try {
            return Optional.of(Files.readSymbolicLink(entry.resolve("driver"))
                    .getFileName()
                    .toString());
        } catch (NoSuchFileException | NotLinkException unbound) {
            String named = text(entry.resolve("driver_override"));
            return Optional.of(named)
                    .filter(name -> !name.isEmpty() && !name.equals("(null)") && !name.equals(NVIDIA_DRIVER));
        }
    }

    /**
     * The data of NVIDIA's driver on the GPU at this address, by key, such as {@code GPU UUID} and {@code Model}; empty
     * if it reports none.
     */
    Map<String, String> information(PciAddress address) {
        Path file = hostRoot.resolve("proc/driver/nvidia/gpus")
                .resolve(address.toString())
                .resolve("information");
        try {
            return text(file)
                    .lines()
                    .map(line -> line.split(":", 2))
                    .filter(parts -> parts.length == 2)
                    .collect(Collectors.toMap(
                            parts -> parts[0].strip(), parts -> parts[1].strip(), (one, other) -> one));
        } catch (IOException unreadable) {
            return Map.of();
        }
    }

    /** A file's text; empty if the machine has no such file, or the device is gone. */
    private static String text(Path file) throws IOException {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).strip();
        } catch (NoSuchFileException absent) {
            return "";
        }
    }
}
