package io.imexagent.imex.health;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How the whole domain is for workloads of this node. nvidia-imex's own word is one thing that counts; connections and
 * the states of nodes are others.
 */
public record DomainHealth(QueryResult<DomainLinks> answer) {

    /** All labels, for metrics that show every state. */
    public static final List<String> LABELS = List.of("unknown", "up", "degraded", "down");

    static DomainHealth of(QueryResult<DomainReport> answer) {
        return new DomainHealth(answer.map(DomainLinks::of));
    }

    /** The state; empty where nothing that was heard tells it. */
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

    /** What was heard of nodes and connections. */
    public Optional<DomainLinks> links() {
        return answer.answer();
    }

    public Optional<DomainReport> report() {
        return links().map(DomainLinks::report);
    }

    /** Why the state is not known, a clause; empty where it is. */
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

    /** The state in lower-case words joined by underscores, fit for a metric label. */
    public String label() {
        return state().map(known -> known.name().toLowerCase(Locale.ROOT)).orElse("unknown");
    }
}
