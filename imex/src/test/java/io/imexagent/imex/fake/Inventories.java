package io.imexagent.imex.fake;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelNode;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.core.ledger.BootId;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Inventories for tests. */
public final class Inventories {

    /** The clique of {@link #gb200}. */
    public static final CliqueId CLIQUE = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766");

    private Inventories() {}

    /** A tray that is well: one GPU, a clique, channel major 239. */
    public static NodeInventory gb200() {
        return new NodeInventory(
                Instant.parse("2026-11-21T10:00:00Z"),
                new DriverState.LoadedDriver("580.95.05", "13.580.95.05"),
                List.of(gpu("NVIDIA GB200")),
                new CliqueState.KnownClique(CLIQUE),
                new ChannelMajor.RegisteredMajor(239),
                OptionalInt.of(2048),
                new ChannelNode.PresentNode(239, 0, 0666),
                Optional.of(new BootId(HostTree.BOOT_ID)),
                Optional.of("NVIDIA"),
                List.of());
    }

    /** A GPU of this name. */
    public static Gpu gpu(String name) {
        return new Gpu(
                0,
                name,
                "GPU-0",
                Optional.of(new PciAddress(8, 6, 0, 0)),
                new Gpu.GpuFabric.FabricRegistered(Optional.of(CLIQUE), List.of(), List.of()),
                GpuHealth.UNTOLD);
    }

    /** The inventory with this driver. */
    public static NodeInventory with(NodeInventory from, DriverState driver) {
        return of(from, driver, from.gpus(), from.clique(), from.channelMajor(), from.findings());
    }

    /** The inventory with these GPUs. */
    public static NodeInventory with(NodeInventory from, List<Gpu> gpus) {
        return of(from, from.driver(), gpus, from.clique(), from.channelMajor(), from.findings());
    }

    /** The inventory with this clique. */
    public static NodeInventory with(NodeInventory from, CliqueState clique) {
        return of(from, from.driver(), from.gpus(), clique, from.channelMajor(), from.findings());
    }

    /** The inventory with this channel major. */
    public static NodeInventory with(NodeInventory from, ChannelMajor major) {
        return of(from, from.driver(), from.gpus(), from.clique(), major, from.findings());
    }

    /** The inventory with these findings. */
    public static NodeInventory with(NodeInventory from, Finding... findings) {
        return of(from, from.driver(), from.gpus(), from.clique(), from.channelMajor(), Arrays.asList(findings));
    }

    /** The inventory of this boot. */
    public static NodeInventory with(NodeInventory from, Optional<BootId> boot) {
        return new NodeInventory(
                from.takenAt(),
                from.driver(),
                from.gpus(),
                from.clique(),
                from.channelMajor(),
                from.channelCount(),
                from.channelNode(),
                boot,
                from.vendor(),
                from.findings());
    }

    private static NodeInventory of(
            NodeInventory from,
            DriverState driver,
            List<Gpu> gpus,
            CliqueState clique,
            ChannelMajor major,
            List<Finding> findings) {
        return new NodeInventory(
                from.takenAt(),
                driver,
                gpus,
                clique,
                major,
                from.channelCount(),
                from.channelNode(),
                from.bootId(),
                from.vendor(),
                findings);
    }
}
