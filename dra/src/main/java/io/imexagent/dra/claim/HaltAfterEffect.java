package io.imexagent.dra.claim;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process after the n-th effect since its start, without any clean-up, as a crash would: a seam for tests of
 * recovery, off unless {@value #VARIABLE} is set in the environment.
 */
public final class HaltAfterEffect implements EffectListener {

    /** The environment variable that holds n, from 1. */
    public static final String VARIABLE = "IMEX_AGENT_HALT_AFTER_EFFECT";

    private static final Logger LOG = LoggerFactory.getLogger(HaltAfterEffect.class);

    /** What a process reports that was killed. */
    private static final int KILLED = 137;

    private final AtomicLong left;
    private final IntConsumer halt;

    private HaltAfterEffect(long effects, IntConsumer halt) {
        this.left = new AtomicLong(effects);
        this.halt = halt;
    }

    /**
     * The listener that the environment asks for, {@link EffectListener#NONE} where it asks for none.
     *
     * @param environment the process's environment
     * @param halt ends the process with a status, {@code Runtime.getRuntime()::halt}
     */
    public static EffectListener of(Map<String, String> environment, IntConsumer halt) {
        String effects = environment.getOrDefault(VARIABLE, "");
        if (effects.isEmpty()) {
            return NONE;
        }
        try {
            var listener = new HaltAfterEffect(Long.parseLong(effects), halt);
            LOG.warn("this agent ends itself, as a crash would, after effects={} variable={}", effects, VARIABLE);
            return listener;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(VARIABLE + " must be a whole number, not " + effects, e);
        }
    }

    @Override
    public void after(Effect effect) {
        if (left.decrementAndGet() == 0) {
            halt.accept(KILLED);
        }
    }
}
