package io.imexagent.imex.health;

import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.imex.health.ImexReading.Applicability;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Readings of nvidia-imex whose files are unremarkable, on a node whose names are not known. */
public final class Readings {

    static final ImexFiles UNREMARKABLE = new ImexFiles(
            new HostFile.ReadFile("/etc/nvidia-imex/config.cfg", "", Instant.MIN),
            new HostFile.ReadFile(ImexConfiguration.NODES_FILE, "", Instant.MIN),
            Optional.empty());

    private Readings() {}

    public static ImexReading.ImexNode node(Applicability applicability, boolean hostManaged) {
        return new ImexReading.ImexNode(applicability, hostManaged, NodeIdentity.NONE);
    }

    public static ImexReading of(
            Instant at,
            ImexReading.ImexNode setting,
            boolean installed,
            UnitState unit,
            Optional<ImexConfiguration> configuration,
            Optional<List<String>> nodes,
            QueryResult<PrintedState<DaemonState>> local,
            QueryResult<DomainReport> domain) {
        return new ImexReading(at, setting, installed, unit, configuration, nodes, local, domain, UNREMARKABLE);
    }
}
