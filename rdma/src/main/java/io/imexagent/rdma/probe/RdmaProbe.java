package io.imexagent.rdma.probe;

import io.imexagent.core.inventory.Gpu;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.inventory.RdmaInventory.ArpSettings;
import io.imexagent.rdma.inventory.RdmaInventory.GpuDirect;
import io.imexagent.rdma.inventory.RdmaInventory.NetnsMode;
import io.imexagent.rdma.setting.RdmaSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads the RDMA side of the host into one inventory, scan after scan. Safe for one thread at a time, like its files.
 * Constant properties of a device are read only by the first scan that finds it.
 */
public final class RdmaProbe {

    private static final String NETNS_MODE = "sys/module/ib_core/parameters/netns_mode";
    private static final String ARP = "proc/sys/net/ipv4/conf/";
    private static final Pattern RELEASE = Pattern.compile("([0-9]{1,4})\\.([0-9]{1,4}).*");

    private final HostFiles files;
    private final VpdReader vpds = new VpdReader();

    /** A probe over these files of a host. */
    public RdmaProbe(HostFiles files) {
        this.files = files;
    }

    /** The files of the host. */
    public HostFiles files() {
        return files;
    }

    /** Reads the host; fails with a remedy if the list of RDMA devices exists but cannot be read. */
    public RdmaInventory scan(List<Gpu> gpus, RdmaSettings settings, Set<InetAddress> nodeAddresses)
            throws IOException {
        var pci = new PciProbe(files, vpds);
        List<NicReading> readings = new NicProbe(files, pci).read();
        vpds.forgetOthers();
        List<Nic> nics =
                readings.stream().flatMap(reading -> reading.asNic().stream()).toList();
        UplinkProbe.FoundUplinks uplinks = new UplinkProbe(files).read(readings, settings, nodeAddresses);
        return new RdmaInventory(
                readings,
                pci.gpus(gpus),
                uplinks.uplinks(),
                uplinks.subnets(),
                arp(nics, uplinks.subnets().keySet()),
                files.nodes("sys/class/infiniband_mad"),
                files.node("sys/class/misc/rdma_cm"),
                netnsMode(),
                gpuDirect(),
                files.number("sys/fs/selinux/enforce").equals(Optional.of(1)));
    }

    /** The last scan with the current uplinks, in far less time than a scan. */
    public RdmaInventory withUplinks(RdmaInventory last, RdmaSettings settings, Set<InetAddress> nodeAddresses) {
        return last.with(new UplinkProbe(files)
                .read(last.nics(), settings, nodeAddresses)
                .uplinks());
    }

    /** The effective ARP settings of NICs with an address and of all interfaces in their subnets, if known. */
    private Map<InterfaceName, ArpSettings> arp(List<Nic> nics, Set<InterfaceName> neighbours) {
        Optional<ArpSettings> all = arp("all");
        Set<InterfaceName> names = new HashSet<>(neighbours);
        nics.stream()
                .filter(nic -> !nic.ipv4().isEmpty())
                .forEach(nic -> nic.interfaceName().ifPresent(names::add));
        Map<InterfaceName, ArpSettings> found = new HashMap<>();
        names.forEach(name ->
                arp(name.text()).flatMap(own -> all.map(own::strictest)).ifPresent(arp -> found.put(name, arp)));
        return found;
    }

    private Optional<ArpSettings> arp(String folder) {
        List<Integer> values = Stream.of("arp_announce", "arp_ignore", "arp_filter", "rp_filter")
                .flatMap(name -> files.number(ARP + folder + "/" + name).stream())
                .toList();
        return values.size() == 4
                ? Optional.of(new ArpSettings(values.get(0), values.get(1), values.get(2), values.get(3)))
                : Optional.empty();
    }

    private NetnsMode netnsMode() {
        try {
            return switch (files.value(NETNS_MODE)) {
                case "Y" -> new NetnsMode.SharedNetns();
                case "N" -> new NetnsMode.ExclusiveNetns();
                default -> new NetnsMode.UnknownNetns("/" + NETNS_MODE + " says neither Y nor N");
            };
        } catch (IOException failure) {
            return new NetnsMode.UnknownNetns(reason(NETNS_MODE, failure));
        }
    }

    private GpuDirect gpuDirect() {
        Optional<String> release = files.optional("proc/sys/kernel/osrelease");
        Optional<String> driver = files.optional("proc/driver/nvidia/version");
        boolean open = driver.orElse("").contains("Open Kernel Module");
        if (open && release.filter(RdmaProbe::hasDmaBuf).isPresent()) {
            return new GpuDirect(
                    GpuDirect.GpuDirectMethod.DMA_BUF, "kernel " + release.get() + ", open kernel modules");
        }
        Optional<String> peermem = files.optional("sys/module/nvidia_peermem/version");
        if (peermem.isPresent()) {
            return new GpuDirect(GpuDirect.GpuDirectMethod.PEERMEM, "nvidia_peermem " + peermem.get() + " is loaded");
        }
        String dmaBuf = driver.isEmpty()
                ? "the NVIDIA driver is not loaded"
                : open
                        ? "kernel " + release.orElse("unknown") + " is older than 5.12"
                        : "the NVIDIA driver is not that of the open kernel modules";
        return new GpuDirect(
                GpuDirect.GpuDirectMethod.NONE, "no dma-buf: " + dmaBuf + "; no peermem: nvidia_peermem is not loaded");
    }

    static boolean hasDmaBuf(String release) {
        Matcher matcher = RELEASE.matcher(release);
        if (!matcher.matches()) {
            return false;
        }
        int major = Integer.parseInt(matcher.group(1));
        return major > 5 || (major == 5 && Integer.parseInt(matcher.group(2)) >= 12);
    }

    /** Why a file could not be read, as a clause. */
    static String reason(String path, IOException failure) {
        return failure instanceof NoSuchFileException
                ? "/" + path + " is missing"
                : String.valueOf(failure.getMessage());
    }
}
