package io.imexagent.imex.mode;

import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.CheckpointReader;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.claim.Objection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps mode and isolation the same while claims are prepared: claims of another mode would be neither served nor ended
 * correctly. The mode is recorded in {@code mode.json}. The mode inferred from the claims takes precedence, since the
 * public driver, which does not use that file, may have prepared them.
 */
public final class ModeGuard implements ClaimGuard {

    private static final String FORCE = "imex-agent run --force serves all the same: pods may then share a channel that"
            + " they were not meant to share, or wait for a daemon that does not run.";
    private static final String DRAINING =
            "drain their ComputeDomain workloads (" + Objection.DRAIN + "); delete all ComputeDomains; ";
    private static final String REBOOT = " A reboot of the drained node voids its claims as well. ";
    private static final Logger LOG = LoggerFactory.getLogger(ModeGuard.class);

    private final ModeFile file;
    private final ServingMode configured;
    private final boolean force;
    private SortedSet<ClaimUid> accepted = new TreeSet<>();

    /** Creates a guard for the mode in which the agent is to serve. */
    public ModeGuard(ModeFile file, ServingMode configured) {
        this(file, configured, false);
    }

    private ModeGuard(ModeFile file, ServingMode configured, boolean force) {
        this.file = file;
        this.configured = configured;
        this.force = force;
    }

    /**
     * Returns this guard with force: it logs its objection, and the agent serves all claims. The accepted claims are
     * recorded, and do not keep a later start from serving.
     */
    public ModeGuard forced() {
        return new ModeGuard(file, configured, true);
    }

    @Override
    public Optional<Objection> objection(Ledger ledger) throws IOException {
        Optional<ModeFile.RecordedMode.ModeRecorded> recorded = recorded();
        boolean same = recorded.filter(before -> before.mode() == configured).isPresent();
        accepted = new TreeSet<>();
        if (same) {
            accepted.addAll(recorded.get().accepted());
            accepted.retainAll(uids(ledger));
        }
        Ledger rest = ledger;
        for (ClaimUid claim : accepted) {
            rest = rest.without(claim);
        }
        Optional<Objection> objection = objection(rest, recorded.map(ModeFile.RecordedMode.ModeRecorded::mode));
        if (objection.isPresent() && force) {
            LOG.warn("--force overrules the mode check: {}", objection.get().text());
            accepted.addAll(uids(ledger));
            return Optional.empty();
        }
        return objection;
    }

    private Optional<Objection> objection(Ledger ledger, Optional<ServingMode> recorded) {
        Optional<ServingMode> inferred = ServingMode.infer(ledger);
        if (inferred.isEmpty()) {
            return Optional.empty();
        }
        if (inferred.get() == ServingMode.DRIVER_MANAGED) {
            return Optional.of(driverManaged(ledger));
        }
        if (recorded.isPresent() && recorded.get() != inferred.get()) {
            // Another driver has prepared the claims since. If the record counted, no configuration would fit: neither
            // that of the record nor that of the claims, whose pods could then not even end.
            LOG.warn(
                    "recorded mode is stale, the claims have another one recorded=\"{}\" claims=\"{}\"",
                    recorded.get().text(),
                    inferred.get().text());
        }
        return inferred.get() == configured ? Optional.empty() : Optional.of(changed(inferred.get(), ledger));
    }

    private static Set<ClaimUid> uids(Ledger ledger) {
        return ledger.completed().stream().map(ClaimEntry.Completed::uid).collect(Collectors.toSet());
    }

    @Override
    public boolean isRecorded() throws IOException {
        return !force && file.read().equals(new ModeFile.RecordedMode.ModeRecorded(configured, new TreeSet<>()));
    }

    @Override
    public void record() throws IOException {
        if (!recorded().equals(Optional.of(new ModeFile.RecordedMode.ModeRecorded(configured, accepted)))) {
            file.write(configured, accepted);
            LOG.info("mode recorded mode=\"{}\" accepted={}", configured.text(), accepted.size());
        }
    }

    private Optional<ModeFile.RecordedMode.ModeRecorded> recorded() throws IOException {
        return switch (file.read()) {
            case ModeFile.RecordedMode.ModeRecorded recorded -> Optional.of(recorded);
            case ModeFile.RecordedMode.ModeMissing missing -> Optional.empty();
            case ModeFile.RecordedMode.ModeUnreadable unreadable -> {
                LOG.warn("mode is inferred from the claims reason=\"{}\"", unreadable.reason());
                yield Optional.empty();
            }
        };
    }

    private static Objection driverManaged(Ledger ledger) {
        return new Objection(
                "claims on this node were prepared driver-managed: an IMEX daemon of the public driver is among them."
                        + " The agent cannot take them over.",
                Objection.claims(ledger),
                "start the public driver again as it was; cordon the nodes and " + DRAINING
                        + "wait until their DaemonSets and claim templates are gone; start and check"
                        + " nvidia-imex.service on every node; then stop the public driver and start imex-agent."
                        + REBOOT + FORCE);
    }

    private Objection changed(ServingMode before, Ledger ledger) {
        String wayBack = before == ServingMode.HOST_MANAGED_CLUSTER_CHANNEL
                ? "start the imex-agent that prepared them, of the version of before"
                : "set the configuration back to \"" + before.text() + "\" and start imex-agent";
        return new Objection(
                "claims on this node were prepared under \"" + before.text() + "\", and the configuration says \""
                        + configured.text() + "\". Mode and isolation must not change while claims are prepared.",
                Objection.claims(ledger),
                wayBack + "; cordon the nodes and " + DRAINING + "then change the configuration and start imex-agent."
                        + REBOOT + FORCE);
    }

    /**
     * The reason why the agent must not stop serving: claims that it has prepared in this boot would be neither served
     * nor ended once it only observes. Empty if it may stop. An unreadable file does not keep it from observing.
     */
    public static Optional<Objection> leftBehind(ModeFile file, Path checkpoint, Optional<BootId> boot) {
        try {
            return file.read() instanceof ModeFile.RecordedMode.ModeRecorded recorded
                    ? CheckpointReader.prepared(checkpoint, CheckpointFormat.PUBLIC_DRIVER, boot)
                            .map(ledger -> left(recorded, ledger))
                    : Optional.empty();
        } catch (IOException failure) {
            LOG.warn(
                    "cannot tell whether claims remain from when HostManagedIMEX was on reason=\"{}\"",
                    failure.getMessage());
            return Optional.empty();
        }
    }

    private static Objection left(ModeFile.RecordedMode.ModeRecorded recorded, Ledger ledger) {
        return new Objection(
                "claims on this node were prepared under \"" + recorded.mode().text()
                        + "\", and HostManagedIMEX is off now: no driver would serve or end them.",
                Objection.claims(ledger),
                "set featureGates.HostManagedIMEX back to true and start imex-agent; cordon the node and drain its"
                        + " ComputeDomain workloads (" + Objection.DRAIN
                        + "); then switch it off. Or start the public driver's plugin, host-managed, which takes the"
                        + " claims over, before imex-agent." + REBOOT
                        + "imex-agent run --force observes all the same.");
    }
}
