package io.imexagent.e2e.process;

import io.imexagent.agent.runtime.Main;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.EffectListener;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;

/** The agent, ended after the n-th effect since its start without any clean-up, as a crash would end it. */
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
     * @param arguments the number of effects, from 1, and the agent's own arguments
     */
    public static void main(String[] arguments) {
        Main.run(
                Arrays.copyOfRange(arguments, 1, arguments.length),
                new HaltingAgent(Long.parseLong(arguments[0]), Runtime.getRuntime()::halt));
    }

    /**
     * Lets a launch of the checkout's agent start one that halts after so many effects, with the same jars and options of
     * the JVM. Options of the JVM that are added do not count.
     */
    public static AgentLaunch after(int effects, AgentLaunch launch) {
        Path image = Checkout.find().image();
        String classes = HaltingAgent.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        return launch.program(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + image.resolve("jvm.options"),
                "-cp",
                image.resolve("lib/imex-agent.jar") + ":" + classes,
                HaltingAgent.class.getName(),
                String.valueOf(effects)));
    }

    @Override
    public void after(Effect effect) {
        if (left.decrementAndGet() == 0) {
            halt.accept(KILLED);
        }
    }
}
