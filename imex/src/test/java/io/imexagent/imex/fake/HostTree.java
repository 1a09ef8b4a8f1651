package io.imexagent.imex.fake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder that looks like the root of a host with a GB200 tray, file by file. */
public final class HostTree {

    /** The boot that {@link #gb200} tells. */
    public static final String BOOT_ID = "0d5be1d8-1fd2-4d27-9c2f-1f6ae7a1a0c3";

    private final Path root;

    /** An empty host. */
    public HostTree(Path root) {
        this.root = root;
    }

    /** A host as the driver leaves it: channel major 239, 2048 channels; on its PCI bus stands a NIC. */
    public static HostTree gb200(Path root) {
        return new HostTree(root)
                .with("proc/uptime", "1000.25 3000.50\n")
                .with("proc/devices", """
                    Character devices:
                      1 mem
                    195 nvidia
                    235 nvidia-caps
                    239 nvidia-caps-imex-channels

                    Block devices:
                      8 sd
                    """)
                .with("proc/driver/nvidia/params", "ModifyDeviceFiles: 1\nImexChannelCount: 2048\n")
                .with("proc/sys/kernel/random/boot_id", BOOT_ID + "\n")
                .with("sys/bus/pci/devices/0000:03:00.0/vendor", "0x15b3\n")
                .with("sys/class/dmi/id/sys_vendor", "NVIDIA\n");
    }

    /** The folder. */
    public Path root() {
        return root;
    }

    /** The file's path on this machine. */
    public Path path(String file) {
        return root.resolve(file);
    }

    /** This host with the file in place of what stood there. */
    public HostTree with(String file, String text) {
        try {
            Path path = path(file);
            Files.createDirectories(path.getParent());
            Files.write(path, text.getBytes(StandardCharsets.ISO_8859_1));
            return this;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** This host without the file. */
    public HostTree without(String file) {
        try {
            Files.deleteIfExists(path(file));
            return this;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** This host with a folder where the file stood, which cannot be read as a file, by root neither. */
    public HostTree unreadable(String file) {
        try {
            without(file);
            Files.createDirectories(path(file));
            return this;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
