package io.imexagent.agent.runtime;

import io.imexagent.dra.claim.EffectListener;
import java.time.Clock;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * What a process has of its own, handed down from {@link Main} so that nothing below reaches for it.
 *
 * @param environment the environment's variables
 * @param clock the time of day
 * @param nanoTime the monotonic clock
 * @param random random numbers in 0 … 1
 * @param effects is told of each effect on a claim's files
 */
record ThisProcess(
        Map<String, String> environment,
        Clock clock,
        LongSupplier nanoTime,
        DoubleSupplier random,
        EffectListener effects) {

    ThisProcess {
        environment = Map.copyOf(environment);
    }
}
