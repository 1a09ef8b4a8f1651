package io.imexagent.imex.prepare;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.DeviceConfig.Source;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.dra.claim.PreparePlan;
import io.imexagent.imex.specimen.Claims;
import io.imexagent.imex.specimen.Nodes;
import io.imexagent.imex.specimen.Parameters;
import io.imexagent.kubernetes.ComputeDomains.DomainRef;
import io.imexagent.kubernetes.DriverNames;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A claim to be prepared on a node on which all is right, until a test puts a fault in. */
final class Situation {

    static final ClaimRef REF = Claims.ref("train");

    Isolation isolation = Isolation.NONE;
    Sharing sharing = Sharing.NONE;
    int offered = 2048;
    boolean allocated = true;
    String driver = DriverNames.DRIVER;
    String device = "channel-0";
    String pool = Nodes.NAME;
    String request = "channel";
    Optional<Boolean> adminAccess = Optional.empty();
    Optional<String> shareId = Optional.empty();
    int copies = 1;
    boolean daemonConfig;
    String mode = "Single";
    List<String> configuredRequests = List.of("channel");
    final List<DeviceConfig> moreConfigs = new ArrayList<>();
    Optional<DomainRef> domain = Optional.of(domain(Claims.NAMESPACE, Optional.empty(), false));
    CliqueState clique = new CliqueState.Present(Nodes.CLIQUE);
    ChannelMajor major = new ChannelMajor.Registered(Nodes.MAJOR);
    Optional<Instant> abortedAt = Optional.empty();
    Ledger ledger = Ledger.empty(Optional.of(Nodes.BOOT));
    Instant now = Nodes.NOON;

    ClaimStatus status() {
        if (!allocated) {
            return new ClaimStatus(Optional.empty(), List.of(), List.of());
        }
        var allocatedDevice = new AllocatedDevice(
                request,
                driver,
                pool,
                device,
                adminAccess,
                List.of(),
                List.of(),
                List.of(),
                shareId,
                Collections.emptySortedMap());
        var configs = new ArrayList<DeviceConfig>();
        configs.add(Claims.config(
                Source.FROM_CLAIM,
                daemonConfig ? Parameters.daemon(Claims.DOMAIN) : Parameters.channel(Claims.DOMAIN, mode),
                configuredRequests.toArray(String[]::new)));
        configs.addAll(moreConfigs);
        return Claims.status(Collections.nCopies(copies, allocatedDevice), configs);
    }

    /** A ComputeDomain. */
    static DomainRef domain(String namespace, Optional<ChannelId> channel, boolean deleting) {
        return new DomainRef(new ComputeDomainUid(Claims.DOMAIN), namespace, "train-a", channel, deleting);
    }

    Outcome<Demand> demand() {
        return new DemandReader(policy()).read(status());
    }

    Ledger ledger() {
        return abortedAt
                .map(at -> ledger.with(new ClaimEntry.Aborted(REF.uid(), Optional.of(REF.name()), status(), at)))
                .orElse(ledger);
    }

    Outcome<PreparePlan> plan() {
        return Planning.plan(policy(), inventory(), domain, REF, status(), ledger(), now);
    }

    private ServingPolicy policy() {
        return new ServingPolicy(Nodes.NAME, isolation, ServingPolicy.USUAL_CHANNELS, sharing, false);
    }

    private NodeInventory inventory() {
        NodeInventory node = Nodes.with(clique, major);
        return new NodeInventory(
                node.takenAt(),
                node.driver(),
                node.gpus(),
                node.clique(),
                node.channelMajor(),
                OptionalInt.of(offered),
                node.channelNode(),
                node.bootId(),
                node.vendor(),
                node.findings());
    }

    /** Gives the claim a channel of its own ComputeDomain, under isolation by channel. */
    Situation isolated(int channel) {
        isolation = Isolation.IMEX_CHANNEL;
        device = "channel-" + channel;
        domain = Optional.of(domain(Claims.NAMESPACE, Optional.of(new ChannelId(channel)), false));
        return this;
    }

    PreparePlan ready() {
        Outcome<PreparePlan> outcome = plan();
        return outcome.toOptional().orElseThrow(() -> new AssertionError(outcome));
    }

    Refusal refusal() {
        Outcome<PreparePlan> outcome = plan();
        return outcome.refusal().orElseThrow(() -> new AssertionError(outcome));
    }

    ClaimUid uid() {
        return REF.uid();
    }
}
