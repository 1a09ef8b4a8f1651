package io.imexagent.rdma.watch;

import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.probe.HostFiles;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.selection.RailSelector;
import io.imexagent.rdma.selection.Selection;
import io.imexagent.rdma.setting.RdmaSettings;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/** Reads the RDMA side of the host and decides about it, under the configuration. For one thread at a time. */
public final class RdmaReader {

    private final RdmaProbe probe;
    private final Clock clock;

    /** A reader of the host's files. */
    public RdmaReader(HostFiles files, Clock clock) {
        this.probe = new RdmaProbe(files);
        this.clock = clock;
    }

    /**
     * Reads and decides.
     *
     * @throws IOException where the list of RDMA devices cannot be read; the message says what to do
     */
    public RdmaView read(List<Gpu> gpus, KnownAddresses told, RdmaSettings config) throws IOException {
        RdmaInventory inventory = probe.scan(gpus, config, told.known());
        Selection selection = new RailSelector(config).select(inventory);
        Optional<String> unknown = inventory.nics().isEmpty() ? Optional.empty() : told.missing(config);
        return new RdmaView(
                clock.instant(),
                inventory,
                unknown.map(reason -> selection.with(addressesUnknown(reason))).orElse(selection));
    }

    private static Finding addressesUnknown(String reason) {
        return new Finding(
                "rdma-node-addresses-unknown",
                Finding.Severity.WARNING,
                "a NIC that only the address of the Node object would show to be an uplink may be offered: " + reason,
                "let the agent read its Node object, or name the addresses in rdma.nodeAddresses; it asks again");
    }
}
