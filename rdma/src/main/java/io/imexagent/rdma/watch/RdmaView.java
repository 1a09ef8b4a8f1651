package io.imexagent.rdma.watch;

import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.probe.HostFiles;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.selection.RailSelector;
import io.imexagent.rdma.selection.Selection;
import io.imexagent.rdma.setting.RdmaSettings;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * The RDMA devices of the node at one moment and the selection by these settings, with the node's known addresses and
 * the topology file of the settings.
 */
public record RdmaView(
        Instant takenAt,
        RdmaInventory inventory,
        Selection selection,
        KnownAddresses nodeAddresses,
        TopologyFile topology,
        RdmaSettings settings) {

    /** Reads the host by this probe and selects, on one thread at a time; a failure names the remedy. */
    public static RdmaView read(
            RdmaProbe probe, InstantSource clock, List<Gpu> gpus, KnownAddresses known, RdmaSettings settings)
            throws IOException {
        HostFiles files = probe.files();
        RdmaInventory inventory = probe.scan(gpus, settings, known.known());
        TopologyFile topology = TopologyFile.read(files, settings);
        var undecided = new Selection(List.of(), List.of(), List.of());
        return new RdmaView(clock.instant(), inventory, undecided, known, topology, settings)
                .under(new RailSelector(settings));
    }

    /** The same reading with the selection by this selector. */
    public RdmaView under(RailSelector selector) {
        Selection decided = selector.select(inventory);
        Optional<String> unknown = inventory.nics().isEmpty() ? Optional.empty() : nodeAddresses.missing(settings);
        Selection known =
                unknown.map(reason -> decided.with(addressesUnknown(reason))).orElse(decided);
        Selection complete = topology.finding().map(known::with).orElse(known);
        return new RdmaView(takenAt, inventory, complete, nodeAddresses, topology, settings);
    }

    /** The topology file that containers get. */
    public Optional<String> topologyFile() {
        return topology.usable();
    }

    private static Finding addressesUnknown(String reason) {
        return Finding.warning(
                "rdma-node-addresses-unknown",
                "a NIC that only the address of the Node object would show to be an uplink may be offered: " + reason,
                "let the agent read its Node object, or name the addresses in rdma.nodeAddresses; it asks again");
    }

    /** Whether both are equal, apart from the time and from settings that have no effect on this node. */
    public boolean hasSameContentAs(RdmaView other) {
        return inventory.equals(other.inventory)
                && selection.equals(other.selection)
                && topology.equals(other.topology);
    }
}
