package io.imexagent.imex.health;

import io.imexagent.core.text.Names;
import io.imexagent.imex.health.DaemonHealth.State;
import io.imexagent.imex.health.ImexReading.Applicability;
import io.imexagent.imex.health.Verdict.Level;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The one verdict over daemon and domain, with its likely cause and the next step. */
record Verdicts(ImexReading reading, DaemonHealth daemon, DomainHealth domain, List<LinkFault> faults) {

    private static final int MOST_NAMES = 5;

    private static final Set<State> RESTING =
            EnumSet.of(State.NOT_INSTALLED, State.MASKED, State.INACTIVE, State.SKIPPED, State.FAILED);

    private static final String LOOK =
            "look at 'systemctl status nvidia-imex' and /var/log/nvidia-imex.log on the named nodes";

    Verdict verdict() {
        Verdict verdict = judged();
        // What does not run is down only where it should run, and what is enabled and failed should.
        return reading.setting().applicability() instanceof Applicability.Unknown(String reason)
                        && RESTING.contains(daemon.state())
                        && reading.unit().state() != UnitState.State.FAILED
                ? new Verdict(
                        Level.UNKNOWN,
                        verdict.code(),
                        verdict.summary(),
                        "cannot tell whether this node needs it: " + reason,
                        "see what 'imex-agent probe' says")
                : verdict;
    }

    private Verdict judged() {
        return switch (daemon.state()) {
            case NOT_APPLICABLE ->
                new Verdict(Level.NOT_APPLICABLE, "not-applicable", "IMEX not applicable", daemon.detail(), "");
            case NOT_INSTALLED ->
                down(
                        "not installed",
                        "the node takes part in an NVLink fabric and has no nvidia-imex",
                        "install the package nvidia-imex in the driver's version, write nodes_config.cfg, and start the"
                                + " service");
            case MASKED ->
                down(
                        "masked",
                        "an administrator masked nvidia-imex.service, as driver-managed IMEX needs it",
                        "systemctl unmask --now nvidia-imex where the host is to run it; otherwise switch"
                                + " HostManagedIMEX off");
            case INACTIVE -> inactive(daemon.detail().startsWith("enabled"));
            case SKIPPED ->
                down(
                        "skipped",
                        "a condition of the unit, such as the gate of imex-agent, kept it from starting",
                        "see what 'imex-agent gate' says; where it is eligible now, systemctl start nvidia-imex");
            case FAILED ->
                down(
                        "failed",
                        "systemd gives the result " + daemon.detail(),
                        "look at 'journalctl -u nvidia-imex' and /var/log/nvidia-imex.log, correct the cause, then"
                                + " systemctl restart nvidia-imex");
            case STARTING -> down("starting", daemon.detail(), "wait; if it lasts, look at /var/log/nvidia-imex.log");
            case WAITING_FOR_PEERS ->
                orFault(down(
                        "WAITING_FOR_PEERS",
                        "other nodes of nodes_config.cfg are not there yet" + waitedFor(),
                        "start nvidia-imex there, and check that their server port (50000) can be reached from"
                                + " here"));
            case WAITING_FOR_RECOVERY ->
                down(
                        "WAITING_FOR_RECOVERY",
                        "nodes that were lost have not cleaned up yet" + waitedFor(),
                        "wait; if it lasts, drain the named nodes and restart nvidia-imex there");
            case STOPPING ->
                down(
                        "stopping",
                        "the service was stopped",
                        "if that was not intended, systemctl start nvidia-imex once it has stopped");
            case UNREACHABLE ->
                down(
                        "does not answer",
                        "its unit runs, and " + daemon.detail(),
                        "look at /var/log/nvidia-imex.log; restart nvidia-imex once the node is drained");
            case NOT_READY -> down(daemon.detail(), "the daemon is not READY", "look at /var/log/nvidia-imex.log");
            case UNKNOWN -> unknown(reading.commandServiceIsOff());
            case READY -> domain.state().map(state -> orFault(domain(state))).orElseGet(this::notTold);
        };
    }

    private Verdict inactive(boolean enabled) {
        String fileState = daemon.detail();
        return down(
                "inactive",
                enabled
                        ? "the service is enabled, and it was stopped or never started since its installation"
                        : "the service is not enabled" + (fileState.isEmpty() ? "" : " (" + fileState + ")"),
                enabled ? "systemctl start nvidia-imex" : "systemctl enable --now nvidia-imex");
    }

    private Verdict unknown(boolean deaf) {
        return new Verdict(
                Level.UNKNOWN,
                deaf ? "command-service-off" : "unknown",
                "the state of nvidia-imex is unknown",
                daemon.detail(),
                deaf
                        ? "set IMEX_CMD_ENABLED=1 in config.cfg, then restart nvidia-imex once the node is drained"
                        : "run 'nvidia-imex-ctl -q' by hand, and look at /var/log/nvidia-imex.log");
    }

    private Verdict notTold() {
        return new Verdict(
                Level.DEGRADED,
                "domain-not-told",
                "nvidia-imex READY, domain unknown",
                domain.reason(),
                "run 'nvidia-imex-ctl -N' by hand; it needs the readable file of nodes that config.cfg names");
    }

    private Verdict domain(DomainState state) {
        List<String> missing = domain.report().map(DomainReport::missing).orElse(List.of());
        return switch (state) {
            case UP -> new Verdict(Level.UP, "up", "IMEX domain UP " + ratio(), "", "");
            case DEGRADED ->
                new Verdict(
                        Level.DEGRADED,
                        "degraded",
                        "IMEX domain DEGRADED " + ratio(),
                        missing.isEmpty()
                                ? "nodes are ready and not connected to each other" + unconnected()
                                : "not ready: " + names(missing),
                        LOOK + ", and at the network between them");
            case DOWN ->
                new Verdict(
                        Level.DOWN,
                        "domain-down",
                        "IMEX domain DOWN " + ratio(),
                        missing.isEmpty() ? "the daemon gives no reason" : "not ready: " + names(missing),
                        LOOK);
        };
    }

    /** The verdict, unless nodes refuse to talk to each other, which then is the cause and no less than degraded. */
    private Verdict orFault(Verdict verdict) {
        if (faults.isEmpty()) {
            return verdict;
        }
        LinkFault.Kind kind = faults.getFirst().kind();
        List<String> pairs = faults.stream()
                .filter(fault -> fault.kind() == kind)
                .map(fault -> fault.from() + " and " + fault.to())
                .toList();
        String state = domain.report().map(told -> " " + told.state().word()).orElse("");
        return new Verdict(
                verdict.level() == Level.DOWN ? Level.DOWN : Level.DEGRADED,
                kind.text().replace(' ', '-'),
                "IMEX domain" + state + " " + ratio() + ", " + kind.text(),
                kind.text() + " between " + names(pairs) + (kind == LinkFault.Kind.VERSION_MISMATCH ? versions() : ""),
                switch (kind) {
                    case VERSION_MISMATCH ->
                        "bring nvidia-imex and the driver of all nodes to one version, then restart nvidia-imex there";
                    case NODE_MAP_MISMATCH ->
                        "put the same nodes_config.cfg on all nodes, same lines in the same order, then restart"
                                + " nvidia-imex there";
                    case AUTHENTICATION_ERROR ->
                        "check that the certificates or keytabs that config.cfg names are right and valid on both, then"
                                + " restart nvidia-imex there";
                });
    }

    private List<NodeReport> nodes() {
        return domain.report().map(DomainReport::nodes).orElse(List.of());
    }

    private String versions() {
        TreeMap<String, Long> versions = nodes().stream()
                .flatMap(node -> node.version().stream())
                .collect(Collectors.groupingBy(version -> version, TreeMap::new, Collectors.counting()));
        List<String> counted = versions.entrySet().stream()
                .map(version ->
                        version.getKey() + " on " + version.getValue() + (version.getValue() == 1 ? " node" : " nodes"))
                .toList();
        return counted.size() < 2 ? "" : " (" + names(counted) + ")";
    }

    /** The nodes that are not ready, but for the one that was asked. */
    private String waitedFor() {
        List<String> missing = nodes().stream()
                .filter(node -> !node.ready()
                        && domain.report().filter(told -> told.isLocal(node)).isEmpty())
                .map(NodeReport::name)
                .toList();
        return missing.isEmpty() ? "" : ", not ready: " + names(missing);
    }

    private String unconnected() {
        List<String> pairs = nodes().stream()
                .flatMap(from -> from.connections().entrySet().stream()
                        .filter(to -> !to.getValue().is(ConnectionState.CONNECTED))
                        .map(to -> from.name() + " and "
                                + domain.report().orElseThrow().name(to.getKey())))
                .toList();
        return pairs.isEmpty() ? "" : ": " + names(pairs);
    }

    private String ratio() {
        return domain.report()
                .map(told -> told.ready() + "/" + told.nodes().size())
                .orElse("");
    }

    private static String names(List<String> names) {
        return Names.some(names, MOST_NAMES);
    }

    private Verdict down(String state, String cause, String nextStep) {
        String code = daemon.state().name().toLowerCase(Locale.ROOT).replace('_', '-');
        return new Verdict(Level.DOWN, code, "nvidia-imex " + state, cause, nextStep);
    }
}
