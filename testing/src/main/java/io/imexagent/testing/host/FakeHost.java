package io.imexagent.testing.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A node's files under a folder of their own, those of a GB200 tray with its driver loaded at first. Each method changes
 * one thing at once, also for an agent that runs. It needs no root.
 *
 * <p>Sockets stand below the folder, and the path of a socket has at most 107 bytes: give it a short one.
 */
public final class FakeHost {

    /** The driver whose plugin directory and sockets these are. */
    public static final String DRIVER = "compute-domain.nvidia.com";

    /** The device major of IMEX channels at first; above 255, as on a real host. */
    public static final int CHANNEL_MAJOR = 507;

    /** How many channels the driver offers at first, its default. */
    public static final int CHANNEL_COUNT = 2048;

    /** NVIDIA's PCI device of a GB200. */
    public static final String GB200 = "2941";

    /** One for each GPU, as NVML has them of a simulated tray. */
    private static final List<String> PCI_DOMAINS = List.of("0008", "0009", "0018", "0019");

    /** The longest path that {@code sockaddr_un} takes, without the zero at its end. */
    private static final int LONGEST_SOCKET_PATH = 107;

    private static final String DRIVER_DEVICES = """
        195 nvidia
        195 nvidiactl
        %s508 nvidia-caps
        509 nvidia-nvswitch
        511 nvidia-uvm
        """;

    private final Path directory;

    private FakeHost(Path directory) {
        this.directory = directory;
    }

    /** Lays the host out; {@link IllegalArgumentException} where the path is too long for sockets below it. */
    public static FakeHost create(Path directory) throws IOException {
        FakeHost host = new FakeHost(directory.toAbsolutePath());
        int length = host.registrationSocket().toString().length();
        if (length > LONGEST_SOCKET_PATH) {
            throw new IllegalArgumentException("sockets under " + directory + " would have paths of " + length
                    + " bytes, and " + LONGEST_SOCKET_PATH + " is the limit; take a shorter folder");
        }
        for (Path folder : List.of(
                host.registrationSocket().getParent(),
                host.kubeletRoot().resolve("plugins"),
                host.cdiDirectory(),
                host.stateDirectory(),
                host.root().resolve("dev"))) {
            Files.createDirectories(folder);
        }
        host.channelMajor(CHANNEL_MAJOR);
        host.channelCount(CHANNEL_COUNT);
        host.bootId(UUID.randomUUID().toString());
        host.write("sys/class/dmi/id/sys_vendor", "NVIDIA\n");
        host.write("proc/uptime", "1000.25 3000.50\n");
        host.imex().layOut();
        for (int gpu = 0; gpu < PCI_DOMAINS.size(); gpu++) {
            host.pciGpu(gpu, GB200);
        }
        return host;
    }

    public Path directory() {
        return directory;
    }

    /** The folder under which {@code proc}, {@code sys} and {@code dev} stand. */
    public Path root() {
        return directory.resolve("host");
    }

    public FakeImex imex() {
        return new FakeImex(root(), directory.resolve("imex"));
    }

    public Path kubeletRoot() {
        return directory.resolve("kubelet");
    }

    /** Where CDI specs are written. */
    public Path cdiDirectory() {
        return directory.resolve("cdi");
    }

    /** Where the agent keeps files of its own. */
    public Path stateDirectory() {
        return directory.resolve("state");
    }

    /** The driver's folder at the kubelet. */
    public Path pluginDirectory() {
        return kubeletRoot().resolve("plugins").resolve(DRIVER);
    }

    /** The socket on which the agent registers. */
    public Path registrationSocket() {
        return kubeletRoot().resolve("plugins_registry").resolve(DRIVER + "-reg.sock");
    }

    /** The socket on which the agent prepares claims. */
    public Path draSocket() {
        return pluginDirectory().resolve("dra.sock");
    }

    public Path checkpoint() {
        return pluginDirectory().resolve("checkpoint.json");
    }

    /** The files in the CDI directory, by name; also such as are half written. */
    public List<Path> cdiFiles() throws IOException {
        try (Stream<Path> files = Files.list(cdiDirectory())) {
            return files.sorted().toList();
        }
    }

    /** The CDI files of a claim: one while it is prepared, else none. */
    public List<Path> cdiFiles(String claimUid) throws IOException {
        return cdiFiles().stream()
                .filter(file -> file.getFileName().toString().contains(claimUid))
                .toList();
    }

    /** Registers the channels under a major, as a driver does that loads. */
    public void channelMajor(int major) throws IOException {
        devices(DRIVER_DEVICES.formatted("%3d nvidia-caps-imex-channels\n".formatted(major)));
    }

    /** Takes the channels out of {@code /proc/devices}. */
    public void withoutChannelMajor() throws IOException {
        devices(DRIVER_DEVICES.formatted(""));
    }

    public void channelCount(int count) throws IOException {
        write("proc/driver/nvidia/params", """
            ResmanDebugLevel: 4294967295
            ImexChannelCount: %d
            CreateImexChannel0: 1
            """.formatted(count));
    }

    public String bootId() throws IOException {
        return Files.readString(root().resolve("proc/sys/kernel/random/boot_id"))
                .strip();
    }

    public void bootId(String id) throws IOException {
        write("proc/sys/kernel/random/boot_id", id + "\n");
    }

    /** Reboots: another boot ID, and what lies on a temporary file system of a real host is gone. */
    public void reboot() throws IOException {
        bootId(UUID.randomUUID().toString());
        for (Path file : cdiFiles()) {
            Files.delete(file);
        }
        Files.deleteIfExists(registrationSocket());
        Files.deleteIfExists(draSocket());
    }

    /** Puts a GPU of NVIDIA's on the PCI bus, in the place of the one with this number. */
    public void pciGpu(int number, String device) throws IOException {
        String entry = pciEntry(number);
        write(entry + "/vendor", "0x10de\n");
        write(entry + "/device", "0x" + device + "\n");
        write(entry + "/class", "0x030200\n");
    }

    public void withoutPciGpus() throws IOException {
        for (int number = 0; number < PCI_DOMAINS.size(); number++) {
            for (String attribute : List.of("vendor", "device", "class")) {
                Files.deleteIfExists(root().resolve(pciEntry(number)).resolve(attribute));
            }
        }
    }

    private static String pciEntry(int number) {
        return "sys/bus/pci/devices/" + PCI_DOMAINS.get(number) + ":06:00.0";
    }

    /** Lets {@code /proc/devices} list no device of the driver, as before it has loaded. */
    public void withoutDriver() throws IOException {
        devices("");
    }

    private void devices(String ofDriver) throws IOException {
        write("proc/devices", """
            Character devices:
              1 mem
              5 /dev/tty
             10 misc
            %s
            Block devices:
            259 blkext
              8 sd
            """.formatted(ofDriver));
    }

    /** Writes a file below the root, whole or not at all, since the agent may read it at any time. */
    private void write(String path, String text) throws IOException {
        FakeImex.replace(root().resolve(path), text);
    }
}
