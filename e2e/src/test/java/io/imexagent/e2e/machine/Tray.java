package io.imexagent.e2e.machine;

import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.nvml.simulated.TrayPreset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The hardware of a machine, as its kernel and its driver tell of it: files over {@code /proc} and {@code /sys}, which a
 * unit mounts before anything of the host asks, device nodes, and NVML. What is written while the machine runs holds at
 * once.
 */
final class Tray {

    /** NVIDIA's device major. */
    static final int GPU_MAJOR = 195;

    /** The device major of IMEX channels. */
    static final int CHANNEL_MAJOR = 234;

    private static final String HOST = "/srv/host";

    private static final String PARAMETERS = HOST + "/driver/nvidia/params";

    private static final String UNIT = """
            [Unit]
            Description=Hardware of the test
            DefaultDependencies=no
            Before=sysinit.target systemd-tmpfiles-setup.service
            [Service]
            Type=oneshot
            RemainAfterExit=yes
            ExecStart=/srv/host/mount
            """;

    private static final String MOUNT = """
            #!/bin/sh -e
            mount --bind /srv/host/devices /proc/devices
            mount --bind /srv/host/driver /proc/driver
            mount --bind /srv/host/class /sys/class
            mount --bind /srv/host/bus /sys/bus
            if [ -e /srv/host/loaded ]; then
              /srv/host/nodes
            fi
            """;

    /** A unit with a sandbox is given a {@code /proc} that is mounted anew, without what lies over the first one. */
    private static final String SANDBOX = """
            [Service]
            BindReadOnlyPaths=/srv/host/devices:/proc/devices /srv/host/driver:/proc/driver
            BindReadOnlyPaths=/srv/host/class:/sys/class /srv/host/bus:/sys/bus
            """;

    private static final String NODES = """
            #!/bin/sh -e
            mknod -m 666 /dev/nvidiactl c 195 255
            for minor in 0 1 2 3; do
              mknod -m 666 /dev/nvidia$minor c 195 $minor
            done
            """;

    private static final String DEVICES = """
            Character devices:
              1 mem
              5 /dev/tty
            """;
    private static final String DRIVER_DEVICES = """
            195 nvidia
            195 nvidiactl
            %3d nvidia-caps-imex-channels
            """.formatted(CHANNEL_MAJOR);
    private static final String BLOCK_DEVICES = """

            Block devices:
            259 blkext
            """;

    private final SystemdMachine machine;

    private Tray(SystemdMachine machine) {
        this.machine = machine;
    }

    /** Gives a machine that is off hardware of a vendor, without any GPU yet. */
    static Tray in(SystemdMachine machine, String vendor) throws IOException {
        Tray tray = new Tray(machine);
        machine.write("/etc/systemd/system/test-hardware.service", UNIT);
        Path wants = Files.createDirectories(machine.file("/etc/systemd/system/sysinit.target.wants"));
        Files.createSymbolicLink(
                wants.resolve("test-hardware.service"), Path.of("/etc/systemd/system/test-hardware.service"));
        machine.write("/etc/systemd/system/imex-agent.service.d/test-hardware.conf", SANDBOX);
        machine.write("/etc/systemd/system/imex-agent-late-driver.service.d/test-hardware.conf", SANDBOX);
        machine.program(HOST + "/mount", MOUNT);
        machine.program(HOST + "/nodes", NODES);
        Files.createDirectories(machine.file(HOST + "/driver"));
        Files.createDirectories(machine.file(HOST + "/bus/pci/devices"));
        machine.write(HOST + "/class/dmi/id/sys_vendor", vendor + "\n");
        machine.write(HOST + "/devices", DEVICES + BLOCK_DEVICES);
        return tray;
    }

    /** Plugs a GPU in, as the bus tells of it, such as {@code 2941} for a GB200. */
    Tray pciDevice(String address, String device) throws IOException {
        String folder = HOST + "/bus/pci/devices/" + address;
        machine.write(folder + "/vendor", "0x10de\n");
        machine.write(folder + "/device", "0x" + device + "\n");
        machine.write(folder + "/class", "0x030200\n");
        return this;
    }

    /** A GB200 tray's four GPUs on the bus. */
    Tray gb200() throws IOException {
        for (int domain = 0; domain < 4; domain++) {
            pciDevice("000%d:01:00.0".formatted(domain + 8), "2941");
        }
        return this;
    }

    /** Loads the driver, before the boot or while the machine runs. */
    FakeNvmlLibrary load(TrayPreset preset) throws IOException, InterruptedException {
        FakeNvmlLibrary library = FakeNvmlLibrary.compile(machine.root());
        library.write(preset);
        loaded();
        return library;
    }

    /** Loads a driver, before the boot, whose library hangs as it is loaded itself. */
    void loadWithAHangingLibrary() throws IOException, InterruptedException {
        FakeNvmlLibrary.compileHangingOnLoad(machine.root());
        loaded();
    }

    /** Whoever reads the driver's parameters waits from now on, as for a driver that is stuck. */
    void blockParameters() throws IOException, InterruptedException {
        machine.succeed("rm", PARAMETERS);
        machine.succeed("mkfifo", PARAMETERS);
    }

    /** They can be read again, and who waited reads an end. */
    void unblockParameters() throws IOException, InterruptedException {
        String pipe = PARAMETERS + ".pipe";
        machine.succeed("mv", PARAMETERS, pipe);
        writeParameters();
        machine.succeed("sh", "-c", ": <>" + pipe + " && rm " + pipe);
    }

    private void writeParameters() throws IOException {
        machine.write(PARAMETERS, "ImexChannelCount: 2048\nCreateImexChannel0: 0\n");
    }

    private void loaded() throws IOException, InterruptedException {
        writeParameters();
        machine.write(HOST + "/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module  580.95.05\n");
        machine.write(HOST + "/devices", DEVICES + DRIVER_DEVICES + BLOCK_DEVICES);
        machine.write(HOST + "/loaded", "");
        if (machine.isOn()) {
            machine.succeed(HOST + "/nodes");
        }
    }
}
