package io.imexagent.imex.gate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The machine of a host whose {@code sys} stands under the root, as the kernel shows it before any driver of NVIDIA's is
 * loaded: the vendor in the DMI table, and NVIDIA's GPUs on the PCI bus (the kernel's ABI sysfs-bus-pci).
 */
public record Machine(Path hostRoot) {

    /** An NVIDIA GPU by its PCI address, {@code 0008:06:00.0}, and device ID in lower case, {@code 2941} for a GB200. */
    public record PciGpu(String address, String device) {}

    private static final String NVIDIA = "0x10de";

    /** Base class 03, display controllers: 0300 (VGA) and 0302 (3D). NVSwitches and audio functions have others. */
    private static final String DISPLAY = "0x03";

    /** The vendor in the DMI table; empty where there is none. */
    public Optional<String> vendor() throws IOException {
        return Optional.of(text(hostRoot.resolve("sys/class/dmi/id/sys_vendor")))
                .filter(name -> !name.isEmpty());
    }

    /** NVIDIA's GPUs on the PCI bus, by address. A machine without a PCI bus has none. */
    public List<PciGpu> gpus() throws IOException {
        var found = new ArrayList<PciGpu>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(hostRoot.resolve("sys/bus/pci/devices"))) {
            for (Path entry : entries) {
                if (text(entry.resolve("vendor")).equals(NVIDIA)
                        && text(entry.resolve("class")).startsWith(DISPLAY)) {
                    found.add(new PciGpu(
                            entry.getFileName().toString(),
                            text(entry.resolve("device")).replaceFirst("^0x", "")));
                }
            }
        } catch (NoSuchFileException | NotDirectoryException noBus) {
            return List.of();
        }
        found.sort(Comparator.comparing(PciGpu::address));
        return List.copyOf(found);
    }

    /** A file's text; empty where the machine has no such file, or the device is gone. */
    private static String text(Path file) throws IOException {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).strip();
        } catch (NoSuchFileException absent) {
            return "";
        }
    }
}
