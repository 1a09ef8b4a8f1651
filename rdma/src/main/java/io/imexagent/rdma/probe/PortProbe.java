package io.imexagent.rdma.probe;

import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.LinkLayer;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.PortState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** Reads the ports of an RDMA device. A port that cannot be read at all throws; a single fact that is not told is empty. */
final class PortProbe {

    private final HostFiles files;
    private final GidTableProbe gids;

    PortProbe(HostFiles files) {
        this.files = files;
        this.gids = new GidTableProbe(files);
    }

    /**
     * The ports.
     *
     * @param device the device's folder, {@code sys/class/infiniband/mlx5_0}
     * @param netdev the device's own interface, as far as PCI tells it
     */
    List<Port> read(String device, Optional<InterfaceName> netdev) throws IOException {
        List<Port> ports = new ArrayList<>();
        for (String name : files.list(device + "/ports")) {
            OptionalInt number = SysfsNumbers.decimal(name);
            if (number.isPresent()) {
                ports.add(port(device + "/ports/" + name, number.getAsInt(), netdev));
            }
        }
        ports.sort(Comparator.comparingInt(Port::number));
        return ports;
    }

    private Port port(String folder, int number, Optional<InterfaceName> netdev) throws IOException {
        PortState state = PortState.of(files.value(folder + "/state"));
        LinkLayer layer = LinkLayer.of(files.value(folder + "/link_layer"));
        return new Port(
                number,
                layer,
                state,
                files.optional(folder + "/phys_state").map(PortProbe::word),
                files.optional(folder + "/rate").map(SysfsNumbers::gbps).orElse(OptionalDouble.empty()),
                layer == LinkLayer.INFINIBAND
                        ? files.optional(folder + "/lid").map(SysfsNumbers::lid).orElse(OptionalInt.empty())
                        : OptionalInt.empty(),
                // Whoever cannot carry RoCE traffic needs no search to the end of the table.
                gids.read(folder, layer == LinkLayer.ETHERNET && state == PortState.ACTIVE && netdev.isPresent()));
    }

    /** The word of {@code 5: LinkUp}. */
    private static String word(String text) {
        return text.substring(text.indexOf(':') + 1).strip();
    }
}
