package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.checkpoint.KubeletClaims;
import io.imexagent.controller.report.CliqueReport;
import io.imexagent.controller.report.ClusterReport;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.inventory.XidHistory;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.dra.recovery.Sighting;
import io.imexagent.imex.gate.GateVerdict;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.provision.Provisioning;
import io.imexagent.rdma.dra.NetdevSupport;
import io.imexagent.rdma.watch.RdmaView;
import io.imexagent.rdma.watch.RecordingFiles;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What the commands are done with. Each is asked only by its own command.
 *
 * @param version the agent's version
 * @param runner runs the agent
 * @param probe reads the host
 * @param checks checks what must be so before the agent can serve, in the order in which it is told
 * @param claims reads the claims that this node has prepared, of each DRA driver that has or may have any
 * @param forget forgets such claims
 * @param rdma reads the RDMA side of the host; an exception where the list of RDMA devices cannot be read
 * @param netdev asks whether interfaces can move into containers; empty where {@code rdma.runtime} names no runtime to ask
 * @param health looks at nvidia-imex; what nobody could tell is part of the answer
 * @param controller runs the controller
 * @param domains reads the ComputeDomains of the cluster
 * @param cliques reads the cliques of the cluster
 * @param gate decides whether nvidia-imex should run here
 * @param provision installs nvidia-imex and enables its unit
 */
public record Collaborators(
        String version,
        Runner runner,
        Source<Probed> probe,
        Source<List<CheckResult>> checks,
        Source<List<ClaimRecords.Answer>> claims,
        ForgetSource forget,
        Source<RdmaReading> rdma,
        Source<Optional<NetdevSupport>> netdev,
        Source<ImexHealth> health,
        Runner controller,
        Source<ClusterReport> domains,
        Source<List<CliqueReport>> cliques,
        GateSource gate,
        ProvisionSource provision) {

    /** Reads something as it is now, once, and changes nothing. */
    @FunctionalInterface
    public interface Source<T> {

        /**
         * What was read.
         *
         * @throws IOException where it cannot be read; the message says why and what to do
         */
        T read(AgentConfig config) throws IOException, InterruptedException;
    }

    /**
     * What was found of the host.
     *
     * @param inventory the node; what could not be read is a finding
     * @param xids the Xids that agents have heard since the boot; empty where none has listened
     */
    public record Probed(NodeInventory inventory, Optional<XidHistory> xids) {}

    /**
     * What was read of the host's RDMA side.
     *
     * @param view the RDMA side
     * @param files the files of sysfs and procfs that it was read from, as they answered
     */
    public record RdmaReading(RdmaView view, RecordingFiles files) {}

    /** Decides whether nvidia-imex should run on this host. */
    public interface GateSource {

        /** The verdict. Ends within ten seconds. */
        GateVerdict ask(AgentConfig config) throws InterruptedException;

        /**
         * Leaves word of a start that was decided, for the daemon.
         *
         * @return why no word could be left; the verdict holds all the same
         */
        Optional<String> leaveWord(AgentConfig config, GateVerdict verdict);
    }

    /** Forgets prepared claims that no kubelet will unprepare. */
    public interface ForgetSource {

        /** Asks whoever else may know the claim. */
        Witnesses ask(AgentConfig config, ClaimEntry entry);

        /**
         * Leaves nothing of the claim on this node, and a line in the journal.
         *
         * @param entry the claim as it was shown; one that has changed since is left alone
         * @throws IOException where it could not be forgotten; the message says why and what to do
         */
        Forgotten forget(AgentConfig config, String driver, ClaimEntry entry) throws IOException, InterruptedException;
    }

    /**
     * What others say of a claim.
     *
     * @param apiServer what the API server says
     * @param kubelet the claims that the kubelet has
     */
    public record Witnesses(Sighting apiServer, KubeletClaims kubelet) {}

    /**
     * A claim was forgotten.
     *
     * @param line what was done, and by whom
     * @param inJournal whether the journal took that line
     */
    public record Forgotten(String line, boolean inJournal) {}

    /** Installs nvidia-imex and enables its unit where it belongs. */
    @FunctionalInterface
    public interface ProvisionSource {

        /**
         * Provisions this host.
         *
         * @param config what it goes by
         * @param change whether to change what must be changed, or only to tell
         * @param lines is told what happens, one line each
         * @throws IOException where the host does not tell what it is; the message says what to do
         */
        Provisioning.Outcome provision(AgentConfig config, boolean change, Consumer<String> lines)
                throws IOException, InterruptedException;
    }
}
