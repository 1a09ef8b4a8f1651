package io.imexagent.imex.health;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The health of the whole domain for workloads of this node. It is derived from the state that nvidia-imex reports,
 * from connections, and from the states of nodes.
 */
public record DomainHealth(QueryResult<DomainLinks> answer) {

    /** All labels, for metrics with one series per state. */
    public static final List<String> LABELS = List.of("unknown", "up", "degraded", "down");

    static DomainHealth of(QueryResult<DomainReport> answer) {
        return new DomainHealth(answer.map(DomainLinks::of));
    }

    /** The state; empty if no answer determines it. */
    public Optional<DomainState> state() {
        return links().filter(links -> !links.isMute()).flatMap(DomainHealth::state);
    }

    private static Optional<DomainState> state(DomainLinks links) {
        // The tool reports DEGRADED or DOWN for nodes that it could not query, even if these are connected.
        boolean works = !links.silent().isEmpty() && links.reachesAll();
        return links.report().state().state().map(state -> switch (state) {
            case UP -> links.missing().isEmpty() && links.lost().isEmpty() ? DomainState.UP : DomainState.DEGRADED;
            case DEGRADED -> works ? DomainState.UP : DomainState.DEGRADED;
            case DOWN -> links.reachesAll() || links.isReachedByAll() ? DomainState.DEGRADED : DomainState.DOWN;
        });
    }

    /** The reported nodes and connections. */
    public Optional<DomainLinks> links() {
        return answer.answer();
    }

    public Optional<DomainReport> report() {
        return links().map(DomainLinks::report);
    }

    /** The reason why the state is unknown, a clause; empty if it is known. */
    public String reason() {
        return switch (answer) {
            case QueryResult.QueryFailed<?> failed -> failed.detail();
            case QueryResult.QueryAnswered<DomainLinks>(DomainLinks links) -> {
                if (links.isMute()) {
                    yield "no node answered 'nvidia-imex-ctl -N', this one included";
                }
                yield state().isPresent()
                        ? ""
                        : "the domain's state \"" + links.report().state().word() + "\" is not known";
            }
        };
    }

    /** The state in lower-case words joined by underscores, as a metric label. */
    public String label() {
        return state().map(known -> known.name().toLowerCase(Locale.ROOT)).orElse("unknown");
    }
}
