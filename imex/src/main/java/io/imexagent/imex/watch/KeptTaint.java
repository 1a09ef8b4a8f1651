package io.imexagent.imex.watch;

import io.imexagent.core.slice.Device.Taint;
import io.imexagent.imex.health.ImexHealth;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The taint of the node's devices over the lives of the agent: one that starts while nvidia-imex is down begins with the
 * taint that stood, and not with none until it has looked and waited. Every change is recorded before it is published.
 * A record that cannot be kept costs no more than that memory; it is logged.
 */
public final class KeptTaint {

    private static final Logger LOG = LoggerFactory.getLogger(KeptTaint.class);

    private final TaintRecord record;
    private @Nullable ImexTaint taint;
    private Optional<Kept> kept = Optional.empty();

    /** A taint whose record stands in this directory; nothing is read yet. */
    public KeptTaint(Path stateDirectory) {
        this.record = new TaintRecord(stateDirectory);
    }

    /** The taints at this moment, as {@link ImexTaint#taints} has them. A change of them takes one write of a file. */
    public synchronized List<Taint> taints(Optional<ImexHealth> health, Duration after, Instant now) {
        ImexTaint present = taint == null ? new ImexTaint(before()) : taint;
        taint = present;
        List<Taint> taints = present.taints(health, after, now);
        keep(taints.stream().map(Taint::value).findFirst());
        return taints;
    }

    /** Nobody wants a taint: what is known of one is forgotten. */
    public synchronized void forget() {
        taint = null;
        keep(Optional.empty());
    }

    private Optional<String> before() {
        try {
            Optional<String> before = record.read();
            kept = Optional.of(new Kept(before));
            before.ifPresent(value -> LOG.info("a taint stood when the agent ended, it stays value={}", value));
            return before;
        } catch (IOException failure) {
            LOG.warn("the taint that stood is not known reason=\"{}\"", failure.getMessage());
            return Optional.empty();
        }
    }

    private void keep(Optional<String> value) {
        var change = new Kept(value);
        if (kept.filter(change::equals).isPresent()) {
            return;
        }
        // Tried once for each change: a disk that is full is not asked at each plan.
        kept = Optional.of(change);
        try {
            if (value.isPresent()) {
                record.write(value.get());
            } else {
                record.remove();
            }
        } catch (IOException failure) {
            LOG.warn("the taint is not recorded reason=\"{}\"", failure.getMessage());
        }
    }

    /**
     * What the record says.
     *
     * @param value the taint's value; empty where there is none
     */
    private record Kept(Optional<String> value) {}
}
