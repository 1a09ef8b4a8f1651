package io.imexagent.imex.health;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How the whole domain is, with the domain as it was reported, if it was; or why its state is not known, a clause. */
public record DomainHealth(Optional<DomainState> state, Optional<DomainReport> report, String reason) {

    /** All labels, for metrics that show every state. */
    public static final List<String> LABELS = List.of("not_told", "up", "degraded", "down");

    static DomainHealth of(QueryResult<DomainReport> answer) {
        return switch (answer) {
            case QueryResult.Failed<?> failed -> new DomainHealth(Optional.empty(), Optional.empty(), failed.detail());
            case QueryResult.Told<DomainReport>(DomainReport report) -> {
                Optional<DomainState> state = report.state().state();
                String unknown =
                        "the domain's state \"" + report.state().word() + "\" is not known; upgrade imex-agent";
                yield new DomainHealth(state, Optional.of(report), state.isPresent() ? "" : unknown);
            }
        };
    }

    /** The state in lower-case words joined by underscores, fit for a metric label. */
    public String label() {
        return state.map(known -> known.name().toLowerCase(Locale.ROOT)).orElse("not_told");
    }
}
