package io.imexagent.imex.health;

import io.imexagent.imex.health.Verdict.VerdictLevel;
import java.util.List;
import java.util.Optional;

/** The verdict on the domain of a ready daemon, and the effect of connections on that of a waiting one. */
record DomainVerdicts(DomainHealth domain) {

    Verdict verdict() {
        Verdict verdict = domain.links()
                .flatMap(links -> domain.state().map(state -> verdict(state, links)))
                .orElseGet(this::notReported);
        return orRefusal(verdict, domain.links().map(DomainCauses::ofReady));
    }

    private static Verdict verdict(DomainState state, DomainLinks links) {
        var causes = DomainCauses.ofReady(links);
        String summary = "IMEX domain " + state(state, links);
        return switch (state) {
            case UP -> up(summary, causes);
            case DEGRADED -> new Verdict(VerdictLevel.DEGRADED, "degraded", summary, causes.text(), causes.nextStep());
            case DOWN -> new Verdict(VerdictLevel.DOWN, "domain-down", summary, causes.text(), causes.nextStep());
        };
    }

    /** The state with the number of ready nodes, and nvidia-imex's state if that differs. */
    private static String state(DomainState state, DomainLinks links) {
        PrintedState<DomainState> printed = links.report().state();
        return state + " " + ratio(links) + (printed.is(state) ? "" : ", nvidia-imex says " + printed.word());
    }

    private static Verdict up(String summary, DomainCauses causes) {
        if (causes.silent().isEmpty()) {
            return new Verdict(VerdictLevel.UP, "up", summary, "", "");
        }
        int nodes = causes.links().report().nodes().size();
        return new Verdict(
                VerdictLevel.UP,
                "up",
                causes.links().reachesAll()
                        ? "IMEX domain works as far as this node sees, " + nodes + "/" + nodes + " connected"
                        : summary,
                causes.text(),
                causes.nextStep());
    }

    private Verdict notReported() {
        return new Verdict(
                VerdictLevel.DEGRADED,
                "domain-unknown",
                "nvidia-imex READY, domain unknown",
                domain.reason(),
                switch (domain.answer()) {
                    case QueryResult.QueryFailed<?>(QueryResult.Failure failure, var _) -> nextStep(failure);
                    case QueryResult.QueryAnswered<DomainLinks>(DomainLinks links) ->
                        links.isMute()
                                ? "see that IMEX_CMD_PORT and IMEX_CMD_BIND_INTERFACE_IP in config.cfg let this node"
                                        + " reach its own command service by its address in nodes_config.cfg"
                                : "see in NVIDIA's IMEX guide what that state means, and upgrade imex-agent";
                });
    }

    private static String nextStep(QueryResult.Failure failure) {
        return switch (failure) {
            case NOT_ASKED -> "wait for the next look";
            case NO_CONFIGURATION -> "see that the config.cfg that imex.health.configuration names can be read";
            case NO_NODES_FILE ->
                "see that the file that IMEX_NODE_CONFIG_FILE in config.cfg names (by default "
                        + ImexConfiguration.NODES_FILE + ") exists and can be read";
            case UNREACHABLE ->
                "wait for the next look: the daemon answered a moment ago; if it lasts, look at"
                        + " /var/log/nvidia-imex.log";
            case ERROR -> "run 'nvidia-imex-ctl -N' by hand, and correct what it complains of";
            case HUNG ->
                "run 'nvidia-imex-ctl -N' by hand: it waits for nodes that are down; where it ends later, raise"
                        + " imex.health.timeout";
            case FLOODED ->
                "run 'nvidia-imex-ctl -N -j' by hand; where its output is a report of the domain, it is too long for"
                        + " imex-agent: report that";
            case UNREADABLE ->
                "see that nvidia-imex and nvidia-imex-ctl have one version; where they have, upgrade imex-agent";
            case NOT_STARTED -> "see that the file that imex.health.tool names exists and may be executed";
        };
    }

    /** Changes the verdict on a daemon that waits for others, if its connections show a refusal. */
    Verdict ofWaiting(Verdict verdict) {
        return orRefusal(verdict, domain.links().map(DomainCauses::ofWaiting));
    }

    /** The verdict, unless nodes refuse connections: the refusal is then the cause, and the level at least degraded. */
    private Verdict orRefusal(Verdict verdict, Optional<DomainCauses> found) {
        return found.filter(causes -> !causes.refusals().isEmpty())
                .map(causes -> refusal(verdict, causes))
                .orElse(verdict);
    }

    private Verdict refusal(Verdict verdict, DomainCauses causes) {
        DomainLinks links = causes.links();
        List<String> kinds =
                causes.refusals().stream().map(LinkFault.LinkFaultKind::text).toList();
        String state = domain.state()
                .map(known -> state(known, links))
                .orElseGet(() -> links.report().state().word() + " " + ratio(links));
        return new Verdict(
                verdict.level() == VerdictLevel.DOWN ? VerdictLevel.DOWN : VerdictLevel.DEGRADED,
                kinds.getFirst().replace(' ', '-'),
                "IMEX domain " + state + ", " + String.join(", ", kinds),
                causes.text(),
                causes.nextStep());
    }

    /** The nodes and connections for which a daemon waits; empty if they are unknown. */
    String waitedFor() {
        return waiting()
                .map(causes -> nameList(", not ready: ", causes.links().names(causes.missing()))
                        + nameList(", not connected: ", causes.links().pairs(causes.lost())))
                .orElse("");
    }

    /** The next step for a daemon that waits for others. */
    String nextStepOfWaiting() {
        boolean allRun = waiting()
                .filter(causes -> causes.missing().isEmpty() && !causes.lost().isEmpty())
                .isPresent();
        return (allRun ? "look at /var/log/nvidia-imex.log on the named nodes" : "start nvidia-imex there")
                + ", and check that their server port (50000) can be reached from here";
    }

    private Optional<DomainCauses> waiting() {
        return domain.links().filter(links -> !links.isMute()).map(DomainCauses::ofWaiting);
    }

    private static String nameList(String heading, List<String> names) {
        return names.isEmpty() ? "" : heading + DomainCauses.names(names);
    }

    private static String ratio(DomainLinks links) {
        return links.report().ready() + "/" + links.report().nodes().size();
    }
}
