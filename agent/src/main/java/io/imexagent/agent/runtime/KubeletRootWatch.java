package io.imexagent.agent.runtime;

import io.imexagent.core.check.Condition;
import io.imexagent.dra.kubelet.KubeletUnits;
import io.imexagent.worker.Deadline;
import io.imexagent.worker.Loop;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Until a kubelet registers the agent, queries systemd whether the node's kubelet looks for plugins in another
 * directory. A registration proves that it does not, and ends these queries.
 */
final class KubeletRootWatch implements Lifetime.Part {

    /** The time until the first query; a running kubelet registers a plugin within a second or two. */
    private static final Duration FIRST = Duration.ofSeconds(10);

    private static final Duration AGAIN = Duration.ofMinutes(1);

    private final KubeletUnits units;
    private final Path root;
    private final BooleanSupplier registered;
    private final Loop loop = Loop.of("kubelet-root", this::turn);
    private boolean began;
    private volatile Optional<String> objection = Optional.empty();

    KubeletRootWatch(KubeletUnits units, Path root, BooleanSupplier registered) {
        this.units = units;
        this.root = root;
        this.registered = registered;
    }

    void start() {
        loop.start();
    }

    /** The directory of this agent, or how the kubelet's directory differs from it; never blocks. */
    Condition condition() {
        Optional<String> why = registered.getAsBoolean() ? Optional.empty() : objection;
        return new Condition("kubelet-root", why.isEmpty(), why.orElse(root.toString()));
    }

    private Duration turn() throws InterruptedException {
        if (!began) {
            began = true;
            return FIRST;
        }
        check();
        return AGAIN;
    }

    void check() throws InterruptedException {
        objection = registered.getAsBoolean()
                ? Optional.empty()
                : units.running()
                        .flatMap(kubelet -> kubelet.differsFrom(root).map(why -> why + "; " + kubelet.remedy()));
    }

    @Override
    public void stop(Deadline deadline) {
        loop.close();
    }
}
