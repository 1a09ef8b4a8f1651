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

/**
 * NVIDIA's GPUs on the PCI bus of the host, from {@code /sys/bus/pci/devices} (the kernel's ABI sysfs-bus-pci): they are
 * there before any driver is.
 */
final class PciBus {

    private static final String NVIDIA = "0x10de";

    /** Base class 03, display controllers: 0300 (VGA) and 0302 (3D). NVSwitches and audio functions have others. */
    private static final String DISPLAY = "0x03";

    private static final String HEX = "0x";

    private final Path devices;

    PciBus(Path hostRoot) {
        this.devices = hostRoot.resolve("sys/bus/pci/devices");
    }

    /**
     * The GPUs, by address. A machine without a PCI bus has none.
     *
     * @throws IOException where the bus cannot be read
     */
    List<PciGpu> gpus() throws IOException {
        var found = new ArrayList<PciGpu>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(devices)) {
            for (Path entry : entries) {
                if (attribute(entry, "vendor").equals(NVIDIA)
                        && attribute(entry, "class").startsWith(DISPLAY)) {
                    found.add(new PciGpu(entry.getFileName().toString(), device(attribute(entry, "device"))));
                }
            }
        } catch (NoSuchFileException | NotDirectoryException noBus) {
            return List.of();
        }
        found.sort(Comparator.comparing(PciGpu::address));
        return List.copyOf(found);
    }

    private static String device(String id) {
        return id.startsWith(HEX) ? id.substring(HEX.length()) : id;
    }

    /** An attribute's text; empty where the device is gone by now. */
    private static String attribute(Path device, String name) throws IOException {
        try {
            return Files.readString(device.resolve(name), StandardCharsets.ISO_8859_1)
                    .strip();
        } catch (NoSuchFileException gone) {
            return "";
        }
    }
}
