package io.imexagent.e2e.process;

import io.imexagent.agent.runtime.Main;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.PreparedClaims.EffectListener;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;

/**
 * The agent, ended after the n-th effect since its start without any clean-up, as a crash would end it. It runs on the
 * agent's jars, with nothing else of e2e on its class path.
 */
public final class HaltingAgent implements EffectListener {

    /** What a process reports that was killed. */
    public static final int KILLED = 137;

    private final AtomicLong left;
    private final IntConsumer halt;

    HaltingAgent(long effects, IntConsumer halt) {
        this.left = new AtomicLong(effects);
        this.halt = halt;
    }

    /**
     * Runs the agent's program.
     *
     * @param arguments the number of effects, from 1; {@code -jar} and the agent's jar, with which the launcher ends the
     *     options of the JVM; the agent's own arguments
     */
    public static void main(String[] arguments) {
        Main.run(
                Arrays.copyOfRange(arguments, 3, arguments.length),
                new HaltingAgent(Long.parseLong(arguments[0]), Runtime.getRuntime()::halt));
    }

    @Override
    public void after(Effect effect) {
        if (left.decrementAndGet() == 0) {
            halt.accept(KILLED);
        }
    }
}
