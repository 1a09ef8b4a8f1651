package io.imexagent.rdma.probe;

import io.imexagent.rdma.inventory.Gid;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.Port;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** Reads the ports of an RDMA device. A port that cannot be read at all throws; a single fact that cannot be read is empty. */
final class PortProbe {

    /** Empty slots in a row after which the rest is taken for empty. Holes come from addresses that were removed. */
    private static final int EMPTY_RUN = 8;

    /** More GID slots than any driver has. */
    private static final int MOST_SLOTS = 4096;

    private final HostFiles files;

    PortProbe(HostFiles files) {
        this.files = files;
    }

    /**
     * The ports, by number.
     *
     * @param device the device's folder, {@code sys/class/infiniband/mlx5_0}
     * @param withNetdev whether PCI tells that the device has an interface of its own
     */
    List<Port> read(String device, boolean withNetdev) throws IOException {
        List<Port> ports = new ArrayList<>();
        for (String name : files.list(device + "/ports")) {
            OptionalInt number = SysfsNumbers.decimal(name);
            if (number.isPresent()) {
                ports.add(port(device + "/ports/" + name, number.getAsInt(), withNetdev));
            }
        }
        ports.sort(Comparator.comparingInt(Port::number));
        return ports;
    }

    private Port port(String folder, int number, boolean withNetdev) throws IOException {
        Port.State state = Port.State.of(files.value(folder + "/state"));
        Port.LinkLayer layer = Port.LinkLayer.of(files.value(folder + "/link_layer"));
        return new Port(
                number,
                layer,
                state,
                files.optional(folder + "/phys_state").map(PortProbe::word),
                files.optional(folder + "/rate").map(SysfsNumbers::gbps).orElse(OptionalDouble.empty()),
                layer == Port.LinkLayer.INFINIBAND
                        ? files.optional(folder + "/lid").map(SysfsNumbers::lid).orElse(OptionalInt.empty())
                        : OptionalInt.empty(),
                // A port that cannot carry RoCE traffic needs no search to the end of the table.
                gids(folder, layer == Port.LinkLayer.ETHERNET && state == Port.State.ACTIVE && withNetdev));
    }

    /** The word of {@code 5: LinkUp}. */
    private static String word(String text) {
        return text.substring(text.indexOf(':') + 1).strip();
    }

    /**
     * The slots of the GID table that are not empty. Most, of 256 on mlx5, are empty, and the kernel fills the lowest empty
     * one first; so the reading ends after a run of empty slots.
     *
     * @param thorough whether to go on to the end of the table until a usable GID with an IPv4 address is found
     */
    private List<Gid.Entry> gids(String port, boolean thorough) {
        List<Gid.Entry> entries = new ArrayList<>();
        int run = 0;
        boolean sought = thorough;
        for (int index = 0; index < MOST_SLOTS && (sought || run < EMPTY_RUN); index++) {
            Optional<Gid> gid;
            try {
                gid = Gid.parse(files.value(port + "/gids/" + index));
            } catch (IOException endOfTable) {
                break;
            }
            if (gid.isEmpty() || gid.get().isZero()) {
                run++;
                continue;
            }
            run = 0;
            Gid.Entry entry = entry(port, index, gid.get());
            entries.add(entry);
            sought &= !(entry.isUsable() && entry.gid().ipv4().isPresent());
        }
        return entries;
    }

    private Gid.Entry entry(String port, int index, Gid gid) {
        return new Gid.Entry(
                index,
                gid,
                files.optional(port + "/gid_attrs/types/" + index)
                        .map(Gid.Type::of)
                        .orElse(Gid.Type.UNLISTED),
                files.optional(port + "/gid_attrs/ndevs/" + index).flatMap(InterfaceName::parse));
    }
}
