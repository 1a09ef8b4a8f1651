package io.imexagent.imex.prepare;

import io.imexagent.core.claim.AllocatedDevice;
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
import io.imexagent.dra.claim.ClaimPlanner.PreparePlan;
import io.imexagent.imex.prepare.DemandReader.Demand;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.imex.specimen.Parameters;
import io.imexagent.kubernetes.ComputeDomains.DomainRef;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.clique.ChannelTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A claim to be prepared on a node on which all is right, until a test puts a fault in. */
final class Situation {

    static final ClaimRef REF = ClaimSpecimens.ref("train");

    Isolation isolation = Isolation.NONE;
    Sharing sharing = Sharing.NONE;
    int offered = 2048;
    boolean allocated = true;
    String driver = DriverNames.DRIVER;
    String device = "channel-0";
    String pool = NodeSpecimens.NAME;
    String request = "channel";
    Optional<Boolean> adminAccess = Optional.empty();
    Optional<String> shareId = Optional.empty();
    int copies = 1;
    boolean daemonConfig;
    String mode = "Single";
    List<String> configuredRequests = List.of("channel");
    final List<DeviceConfig> moreConfigs = new ArrayList<>();
    Optional<DomainRef> domain = Optional.of(domain(ClaimSpecimens.NAMESPACE, false));
    Planning.Table table = Planning.Table.of(1);
    CliqueState clique = new CliqueState.KnownClique(NodeSpecimens.CLIQUE);
    ChannelMajor major = new ChannelMajor.RegisteredMajor(NodeSpecimens.MAJOR);
    Optional<Instant> abortedAt = Optional.empty();
    Ledger ledger = Ledger.empty(Optional.of(NodeSpecimens.BOOT));
    Instant now = NodeSpecimens.NOON;

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
        configs.add(ClaimSpecimens.config(
                Source.FROM_CLAIM,
                daemonConfig
                        ? Parameters.daemon(ClaimSpecimens.DOMAIN)
                        : Parameters.channel(ClaimSpecimens.DOMAIN, mode),
                configuredRequests.toArray(String[]::new)));
        configs.addAll(moreConfigs);
        return ClaimSpecimens.status(Collections.nCopies(copies, allocatedDevice), configs);
    }

    /** A ComputeDomain. */
    static DomainRef domain(String namespace, boolean deleting) {
        return new DomainRef(new ComputeDomainUid(ClaimSpecimens.DOMAIN), namespace, "train-a", deleting);
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
        return Planning.plan(policy(), inventory(), domain, table, REF, status(), ledger(), now);
    }

    private ServingPolicy policy() {
        return new ServingPolicy(
                NodeSpecimens.NAME,
                isolation,
                new ChannelTable.Limits(ServingPolicy.USUAL_CHANNELS, ServingPolicy.USUAL_CHANNELS),
                sharing,
                ServingPolicy.USUAL_PLACES,
                false,
                CliqueMissing.REFUSE);
    }

    private NodeInventory inventory() {
        NodeInventory node = NodeSpecimens.with(clique, major);
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

    /** Gives the claim's ComputeDomain this channel of its own, under isolation by channel. */
    Situation isolated(int channel) {
        return isolated(Planning.Table.of(channel));
    }

    /** Looks for a channel of the ComputeDomain's own in this table, under isolation by channel. */
    Situation isolated(Planning.Table looked) {
        isolation = Isolation.IMEX_CHANNEL;
        device = ServingPolicy.CHANNEL;
        table = looked;
        return this;
    }

    /** Lets nothing keep the ComputeDomain from its own channel: what is wrong with that channel is known only so. */
    Situation bound() {
        if (isolation == Isolation.NONE) {
            return this;
        }
        domain = Optional.of(domain(ClaimSpecimens.NAMESPACE, false));
        clique = new CliqueState.KnownClique(NodeSpecimens.CLIQUE);
        return table.found() instanceof Outcome.Refused ? isolated(5) : this;
    }

    /** The channel that the claim would get. */
    int channel() {
        return isolation == Isolation.NONE
                ? 0
                : table.found().toOptional().orElseThrow().number();
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
