package io.imexagent.rdma.rails;

import io.imexagent.cdi.CdiKind;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.dra.claim.ClaimFacts;
import io.imexagent.dra.claim.ClaimRules;
import io.imexagent.dra.claim.ClaimWords;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.PrepareOutcome;
import io.imexagent.dra.recovery.BackupPlanner;
import io.imexagent.rdma.dra.RailDemandReader;
import io.imexagent.rdma.dra.RailDriver;
import io.imexagent.rdma.dra.RailNode;
import io.imexagent.rdma.dra.RailPlanner;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.probe.HostFiles;
import io.imexagent.rdma.probe.NodeCheck;
import io.imexagent.rdma.watch.RdmaSettings;
import io.imexagent.rdma.watch.RdmaView;
import io.imexagent.rdma.watch.RdmaWatch;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/** What becomes of claims for rails, over what the node has at this moment. */
public final class RailRules implements ClaimRules {

    /** The kind of the CDI devices of rails. */
    public static final CdiKind KIND = CdiKind.parse(RailDriver.CDI_KIND).orElseThrow();

    /** How people are told what claims for rails hold. */
    public static final ClaimWords WORDS = new ClaimWords("an RDMA NIC", "RDMA NICs", "workloads with RDMA NICs");

    /** The agent's own record of prepared rails. */
    public static final CheckpointFormat RECORD = CheckpointFormat.own("rails.state", "imex-agent-rails");

    private final RdmaWatch watch;
    private final Supplier<RdmaSettings> config;
    private final HostFiles files;
    private final RuntimeProbe runtime;
    private final NodeCheck check;
    private final LastLook look;
    private final RailPlanner planner;

    /**
     * Rules over this view of the node.
     *
     * @param files the host's files, for the last look before a node is handed out
     * @param runtime tells whether the container runtime can move interfaces
     */
    public RailRules(
            RdmaWatch watch, Supplier<RdmaSettings> config, String pool, HostFiles files, RuntimeProbe runtime) {
        this.watch = watch;
        this.config = config;
        this.files = files;
        this.runtime = runtime;
        this.check = new NodeCheck(files);
        this.look = new LastLook(files, watch::current, watch::nodeAddresses, config);
        this.planner = planner(pool);
    }

    private static RailPlanner planner(String pool) {
        return new RailPlanner(new RailDemandReader(pool, RailConfigDecoder::decode));
    }

    @Override
    public PrepareOutcome plan(ClaimFacts facts, Ledger ledger, Instant now) {
        return planner.plan(facts, ledger, node(), now);
    }

    @Override
    public List<Effect> grant(ClaimEntry.Completed entry) {
        return planner.grant(entry, node());
    }

    /** What begun claims were to be given, for the ledger of a backup, on the node with this pool. */
    public static BackupPlanner.Promise promise(String pool) {
        return planner(pool)::promise;
    }

    /** Which node belongs to which NIC; empty before the first reading. */
    @Override
    public Optional<?> basis() {
        return watch.current().map(RailRules::numbers);
    }

    private static Map<String, String> numbers(RdmaView view) {
        var numbers = new TreeMap<String, String>();
        for (NicReading reading : view.inventory().nics()) {
            if (reading instanceof NicReading.Read read) {
                read.nic()
                        .uverbs()
                        .ifPresent(node -> numbers.put(
                                read.nic().pci().address() + " " + read.nic().name(),
                                node.name() + "=" + node.number()));
            }
        }
        view.inventory().rdmaCm().ifPresent(number -> numbers.put("rdma_cm", number.toString()));
        return numbers;
    }

    @Override
    public Optional<Refusal> lastLook(PrepareOutcome.Ready ready) {
        for (Effect effect : ready.effects()) {
            if (effect instanceof Effect.WriteCdi write) {
                Optional<Refusal> objection = look.at(write.claim(), write.edits());
                if (objection.isPresent()) {
                    watch.refresh();
                    return objection;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<RailNode> node() {
        return watch.current()
                .map(view -> new RailNode(
                        view.inventory(), view.selection(), topologyFile(), check::management, runtime.current()));
    }

    /** The configured topology file, where it is there. */
    private Optional<String> topologyFile() {
        return config.get()
                .rails()
                .topologyFile()
                .map(Object::toString)
                .filter(path -> files.optional(path.substring(1)).isPresent());
    }

    @Override
    public void onChange(Runnable listener) {
        watch.onChange(changed -> listener.run());
    }
}
