package io.imexagent.rdma.probe;

import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.RdmaInventory;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Set;

/** Scans of made-up hosts. */
final class Scans {

    static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-21T10:00:00Z"), ZoneOffset.UTC);

    private Scans() {}

    static RdmaInventory of(RdmaTree tree) throws IOException {
        return of(tree, new RootedFiles(tree.root()));
    }

    static RdmaInventory of(RdmaTree tree, HostFiles files) throws IOException {
        return new RdmaProbe(files).scan(tree.gpus(), Settings.OFF, Set.of());
    }

    static Nic nic(RdmaInventory inventory, String name) {
        return inventory.nics().stream()
                .filter(reading -> reading.label().equals(name))
                .map(reading -> ((NicReading.ReadNic) reading).nic())
                .findFirst()
                .orElseThrow();
    }
}
