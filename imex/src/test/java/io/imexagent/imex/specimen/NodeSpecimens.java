package io.imexagent.imex.specimen;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelNode;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.imex.prepare.CliqueMissing;
import io.imexagent.imex.prepare.ServingPolicy;
import io.imexagent.imex.prepare.Sharing;
import io.imexagent.kubernetes.clique.ChannelTable;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** NodeSpecimens, their policy and their time. */
public final class NodeSpecimens {

    public static final String NAME = "node-a";
    public static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    public static final int MAJOR = 508;
    public static final BootId BOOT = new BootId("boot-1");
    public static final ServingPolicy POLICY = policy(NAME, Isolation.NONE, false);
    public static final CliqueId CLIQUE = new CliqueId("3f2a8b1c-00d4-4e5f-9a6b-7c8d9e0f1a2b.4");

    private NodeSpecimens() {}

    /** A policy with the default numbers, the sharing of the isolation, and refusals if there is no clique. */
    public static ServingPolicy policy(String poolName, Isolation isolation, boolean withholdWithoutClique) {
        return new ServingPolicy(
                poolName,
                isolation,
                new ChannelTable.Limits(ServingPolicy.USUAL_CHANNELS, ServingPolicy.USUAL_CHANNELS),
                Sharing.defaultFor(isolation),
                ServingPolicy.USUAL_PLACES,
                withholdWithoutClique,
                CliqueMissing.REFUSE);
    }

    /** A node of a healthy rack. */
    public static NodeInventory healthy() {
        return with(new CliqueState.KnownClique(CLIQUE), new ChannelMajor.RegisteredMajor(MAJOR));
    }

    /** A node with this clique, healthy otherwise. */
    public static NodeInventory with(CliqueState clique) {
        return with(clique, new ChannelMajor.RegisteredMajor(MAJOR));
    }

    /** A node with this device major, healthy otherwise. */
    public static NodeInventory with(ChannelMajor major) {
        return with(new CliqueState.KnownClique(CLIQUE), major);
    }

    /** A node with this clique and device major, healthy otherwise. */
    public static NodeInventory with(CliqueState clique, ChannelMajor major) {
        return with(clique, major, Optional.of(BOOT));
    }

    /** A node with this clique, device major and boot; it has no node of channel 0, which nobody needs. */
    public static NodeInventory with(CliqueState clique, ChannelMajor major, Optional<BootId> boot) {
        return new NodeInventory(
                NOON,
                new DriverState.LoadedDriver("580.95.05", "13.580.95.05"),
                List.of(),
                clique,
                major,
                OptionalInt.of(2048),
                new ChannelNode.AbsentNode(),
                boot,
                Optional.of("NVIDIA"),
                List.of());
    }

    /** A healthy node whose driver offers so many channels. */
    public static NodeInventory offering(OptionalInt channels) {
        NodeInventory healthy = healthy();
        return new NodeInventory(
                healthy.takenAt(),
                healthy.driver(),
                healthy.gpus(),
                healthy.clique(),
                healthy.channelMajor(),
                channels,
                healthy.channelNode(),
                healthy.bootId(),
                healthy.vendor(),
                healthy.findings());
    }

    /** A healthy node in this boot. */
    public static NodeInventory in(BootId boot) {
        return with(new CliqueState.KnownClique(CLIQUE), new ChannelMajor.RegisteredMajor(MAJOR), Optional.of(boot));
    }
}
