package io.imexagent.rdma.rails;

import io.imexagent.cdi.CdiKind;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.claim.ClaimRecall;
import io.imexagent.dra.claim.ClaimRules;
import io.imexagent.dra.claim.ClaimTerms;
import io.imexagent.dra.claim.Grant;
import io.imexagent.dra.claim.ReadClaim;
import io.imexagent.dra.driver.DriverClaims.DriverDefinition;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.DeviceReports.Facts;
import io.imexagent.kubernetes.GroupPods;
import io.imexagent.kubernetes.GroupPods.GroupPod;
import io.imexagent.kubernetes.Pods;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.probe.HostFiles;
import io.imexagent.rdma.watch.RdmaView;
import io.imexagent.rdma.watch.RdmaWatch;
import io.imexagent.worker.BoundedCall;
import io.imexagent.worker.Worker;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules for claims of rails, over the current state of the node. The pool is the node's name; {@code looks} bounds
 * the last check of the host's files before a node is handed out: a claim is refused if the check hangs.
 */
public record RailRules(
        Pods pods,
        GroupPods groups,
        RdmaWatch watch,
        String pool,
        HostFiles files,
        BoundedCall<Optional<Refusal>> rechecks,
        RuntimeProbe runtime)
        implements ClaimRules<RailClaim> {

    private static final Logger LOG = LoggerFactory.getLogger(RailRules.class);

    public static final CdiKind KIND = CdiKind.of(RailDriver.CDI_KIND);

    /** The terms for rails in messages. */
    public static final ClaimTerms WORDS = new ClaimTerms("an RDMA NIC", "RDMA NICs", "workloads with RDMA NICs");

    /** The agent's own record of prepared rails. */
    public static final CheckpointFormat RECORD = CheckpointFormat.own("rails.state", "imex-agent-rails");

    public DriverDefinition<RailClaim> driver() {
        return new DriverDefinition<>("rails", KIND, RECORD, WORDS, ClaimGuard.NONE, this);
    }

    @Override
    public String driverName() {
        return RailDriver.NAME;
    }

    /** Reads the demand; if an interface is to move, also the pod and the support of the container runtime. */
    @Override
    public Outcome<RailClaim> read(ClaimRef ref, ReadClaim claim) throws ApiException {
        return RailClaim.read(claim.status(), pool)
                .map(requested ->
                        requested.config().movesInterfaces() ? requested.withPod(pod(ref, claim.status())) : requested);
    }

    private Optional<Refusal> pod(ClaimRef ref, ClaimStatus status) throws ApiException {
        var _ = runtime.read();
        List<ClaimStatus.ConsumerReference> users = status.reservedFor();
        if (users.size() != 1) {
            return RailClaim.notOfOnePod("the claim is reserved for " + users.size() + " users");
        }
        ClaimStatus.ConsumerReference user = users.getFirst();
        if (user.isPodGroup()) {
            return podOfGroup(ref, user.name());
        }
        if (!user.isPod()) {
            return RailClaim.notOfOnePod("the claim is reserved for " + Quoted.of(user.resource() + "/" + user.name())
                    + ", which is no pod");
        }
        return pods.get(ref.name().namespace(), user.name())
                .filter(one -> one.uid().equals(user.uid()))
                .map(one -> RailClaim.refused(
                        user.name(),
                        one.hostNetwork(),
                        one.users().getOrDefault(ref.name().name(), 0)))
                .orElseGet(() -> RailClaim.notOfOnePod("pod " + user.name() + " is gone"));
    }

    /**
     * The refusal of a group's claim unless exactly one pod of the group is on the node: the claim is prepared once for
     * all its pods here, which are the ones to which the kubelet gives the claim, whoever wrote the reservation.
     */
    private Optional<Refusal> podOfGroup(ClaimRef ref, String group) throws ApiException {
        List<GroupPod> here =
                groups.using(ref.name().namespace(), group, ref.name().name());
        if (here.size() != 1) {
            return RailClaim.notOfOnePod("PodGroup " + Quoted.of(group) + " has "
                    + (here.isEmpty() ? "no pod" : here.size() + " pods") + " with the claim on this node");
        }
        GroupPod one = here.getFirst();
        return RailClaim.refused(
                one.name(),
                one.pod().hostNetwork(),
                one.pod().users().getOrDefault(ref.name().name(), 0));
    }

    @Override
    public Outcome<Grant> plan(ClaimRef ref, RailClaim claim, Ledger ledger) {
        return RailPlanner.plan(ref, claim, ledger, watch.current(), runtime.current());
    }

    @Override
    public Optional<ClaimEdits> edits(ClaimEntry.Completed entry) {
        return RailPlanner.edits(pool, entry, watch.current(), runtime.current());
    }

    @Override
    public Facts facts(PreparedDevice device) {
        return RailPlanner.facts(device.returned().device(), watch.current());
    }

    @Override
    public Outcome<List<PreparedGroup>> promise(ClaimUid uid, ClaimStatus status) {
        return RailPlanner.promise(pool, uid, status);
    }

    @Override
    public ClaimRecall recall() {
        return recall(pool);
    }

    /** The recall of claims of this pool whose entries are lost. */
    public static ClaimRecall recall(String pool) {
        return (uid, prepared, status, _) -> status.isPresent()
                ? RailPlanner.promise(pool, uid, status.get())
                : Outcome.accepted(List.of(PreparedGroup.plain(prepared.stream()
                        .<PreparedDevice>map(PreparedDevice.Plain::new)
                        .toList())));
    }

    /**
     * The nodes, usable ports and GIDs of each NIC, and the settings that apply to them; empty before the first
     * reading.
     */
    @Override
    public Optional<?> basis() {
        return watch.current().map(this::basis);
    }

    private Map<String, String> basis(RdmaView view) {
        var basis = new TreeMap<String, String>();
        for (Nic nic : view.inventory().readNics()) {
            nic.uverbs()
                    .ifPresent(node -> basis.put(
                            nic.pci().address() + " " + nic.name(), node.name() + "=" + node.number() + ports(nic)));
        }
        view.inventory().rdmaCm().ifPresent(node -> basis.put("rdma_cm", node.number()));
        view.inventory()
                .management()
                .forEach(
                        (device, nodes) -> nodes.forEach(node -> basis.put(node.name() + " " + device, node.number())));
        view.topologyFile().ifPresent(file -> basis.put("topologyFile", file));
        basis.put("env", PodVariables.of(view).defaultMode().text());
        basis.put("ncclGidIndex", Boolean.toString(view.settings().ncclGidIndex()));
        return basis;
    }

    private static String ports(Nic nic) {
        return nic.ports().stream()
                .map(port -> " " + port.number() + (port.isUsable() ? "" : " unusable")
                        + port.bestGid(nic.interfaceName())
                                .map(best -> " gid" + best.index()
                                        + (best.gid().ipv4().isPresent() ? "/IPv4" : "/IPv6"))
                                .orElse(""))
                .collect(Collectors.joining());
    }

    @Override
    public Optional<Refusal> recheck(ClaimUid uid, Grant grant) {
        Optional<Refusal> objection = boundedRecheck(uid, grant);
        if (objection.isPresent()) {
            watch.wake();
        } else {
            sayWhatIsReplaced(uid, grant.edits());
        }
        return objection;
    }

    /** Logs the variables that may replace the pod's; the pod is not read, so it is unknown whether it sets them. */
    private void sayWhatIsReplaced(ClaimUid uid, ClaimEdits edits) {
        String variables = edits.shared().environment().stream()
                .map(variable -> variable.substring(0, variable.indexOf('=')))
                .collect(Collectors.joining(","));
        if (edits.file().isEmpty() && !variables.isEmpty()) {
            watch.current()
                    .map(PodVariables::of)
                    .ifPresent(pod ->
                            LOG.info("variables of a claim {} uid={} variables={}", pod.always(), uid, variables));
        }
    }

    private Optional<Refusal> boundedRecheck(ClaimUid uid, Grant grant) {
        try {
            return rechecks.result(() -> new RailRecheck(files, watch).at(uid, grant.edits()))
                    .orElseGet(() -> hanging("do not answer in time"));
        } catch (ExecutionException failure) {
            return hanging("cannot be read: " + Worker.reason(failure));
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
            return hanging("were not read to the end, since the agent stops");
        }
    }

    private static Optional<Refusal> hanging(String why) {
        return Optional.of(new Refusal(
                RefusalCode.RAIL_RENUMBERED,
                "the files of this node's RDMA devices below /sys " + why
                        + "; look at the kernel log for hung tasks; the claim is retried"));
    }

    @Override
    public void onChange(Runnable listener) {
        watch.onChange(changed -> listener.run());
    }
}
