package io.imexagent.controller.work;

import io.imexagent.controller.plan.Conflict;
import io.imexagent.controller.plan.Work;
import io.imexagent.controller.state.ClusterState;
import io.imexagent.core.inventory.CliqueId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notices conflicts that come and go: ComputeDomains that are there hear of theirs, of others the log has a line. */
final class Conflicts {

    private static final Logger LOG = LoggerFactory.getLogger(Conflicts.class);

    private final ClusterState state;
    private final Consumer<Work> again;
    private final Map<CliqueId, List<Conflict>> noticed = new ConcurrentHashMap<>();

    Conflicts(ClusterState state, Consumer<Work> again) {
        this.state = state;
        this.again = again;
    }

    /** Looks at a clique. */
    void look(CliqueId clique) {
        List<Conflict> now = state.conflicts(clique);
        List<Conflict> before = Optional.ofNullable(now.isEmpty() ? noticed.remove(clique) : noticed.put(clique, now))
                .orElse(List.of());
        if (now.equals(before)) {
            return;
        }
        Stream.concat(now.stream(), before.stream())
                .flatMap(conflict -> conflict.domains().stream())
                .distinct()
                .forEach(uid -> again.accept(new Work.Domain(uid)));
        now.stream()
                .filter(conflict -> !before.contains(conflict))
                .filter(conflict -> conflict.domains().stream()
                        .allMatch(uid -> state.domain(uid).isEmpty()))
                .forEach(conflict -> LOG.warn("{}", conflict.problem().message()));
    }
}
