package io.imexagent.rdma.probe;

import io.imexagent.core.inventory.Gpu;
import io.imexagent.rdma.inventory.ArpSettings;
import io.imexagent.rdma.inventory.DeviceNumber;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.NetnsMode;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.inventory.Subnet;
import io.imexagent.rdma.inventory.Uplinks;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Reads the RDMA side of the host into one inventory. A scan keeps nothing from the one before. For one thread at a time,
 * as its files are.
 */
public final class RdmaProbe {

    private static final String ROUTES = "proc/net/route";
    private static final String NETNS_MODE = "sys/module/ib_core/parameters/netns_mode";

    private final HostFiles files;
    private final Clock clock;

    /**
     * A probe.
     *
     * @param files the host's files
     * @param clock the clock
     */
    public RdmaProbe(HostFiles files, Clock clock) {
        this.files = files;
        this.clock = clock;
    }

    /**
     * Reads the host.
     *
     * @param gpus the GPUs, from the node's inventory
     * @param hints what files do not tell of the host's own traffic
     * @throws IOException where the list of RDMA devices is there and cannot be read; the message says what to do
     */
    public RdmaInventory scan(List<Gpu> gpus, UplinkHints hints) throws IOException {
        List<NicReading> readings;
        try {
            readings = new NicProbe(files).read();
        } catch (IOException failure) {
            throw new IOException(
                    reason("sys/class/infiniband", failure) + "; make it readable for the agent", failure);
        }
        List<Nic> nics = readings.stream().flatMap(RdmaProbe::nic).toList();
        Map<InterfaceName, List<Subnet>> subnets = new HashMap<>();
        Uplinks uplinks = uplinks(files, nics, hints, subnets);
        return new RdmaInventory(
                clock.instant(),
                readings,
                new PciProbe(files).gpus(gpus),
                uplinks,
                subnets,
                arp(nics),
                files.optional("sys/class/misc/rdma_cm/dev").flatMap(DeviceNumber::parse),
                netnsMode(),
                GpuDirectProbe.read(files));
    }

    /**
     * Finds the uplinks alone, anew: in far less time than a scan, for a decision that must not rest on the last one.
     *
     * @param files the host's files
     * @param readings the NICs of the last scan
     * @param hints what files do not tell of the host's own traffic
     */
    public static Uplinks uplinks(HostFiles files, List<NicReading> readings, UplinkHints hints) {
        return uplinks(files, readings.stream().flatMap(RdmaProbe::nic).toList(), hints, new HashMap<>());
    }

    private static Stream<Nic> nic(NicReading reading) {
        return reading instanceof NicReading.Read read ? Stream.of(read.nic()) : Stream.empty();
    }

    private static Uplinks uplinks(
            HostFiles files, List<Nic> nics, UplinkHints hints, Map<InterfaceName, List<Subnet>> subnets) {
        List<Route> routes;
        try {
            routes = Route.parse(files.read(ROUTES));
        } catch (IOException failure) {
            return new Uplinks.Unknown(reason(ROUTES, failure));
        }
        for (Nic nic : nics) {
            nic.interfaceName().ifPresent(name -> subnets.put(name, subnets(name, routes)));
        }
        return new UplinkProbe(files).read(routes, nics, hints);
    }

    private static List<Subnet> subnets(InterfaceName name, List<Route> routes) {
        return routes.stream()
                .filter(route -> route.isOnLink() && route.netdev().equals(name))
                .map(Route::destination)
                .distinct()
                .toList();
    }

    private Map<InterfaceName, ArpSettings> arp(List<Nic> nics) {
        var probe = new ArpProbe(files);
        Map<InterfaceName, ArpSettings> found = new HashMap<>();
        for (Nic nic : nics) {
            if (!nic.ipv4().isEmpty()) {
                nic.interfaceName().ifPresent(name -> probe.effective(name).ifPresent(arp -> found.put(name, arp)));
            }
        }
        return found;
    }

    private NetnsMode netnsMode() {
        try {
            return switch (files.value(NETNS_MODE)) {
                case "Y" -> new NetnsMode.Shared();
                case "N" -> new NetnsMode.Exclusive();
                default -> new NetnsMode.Unknown("/" + NETNS_MODE + " says neither Y nor N");
            };
        } catch (IOException failure) {
            return new NetnsMode.Unknown(reason(NETNS_MODE, failure));
        }
    }

    /** Why a file could not be read, as a clause. */
    static String reason(String path, IOException failure) {
        return failure instanceof NoSuchFileException
                ? "/" + path + " is missing"
                : String.valueOf(failure.getMessage());
    }
}
