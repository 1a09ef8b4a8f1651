package io.imexagent.dra.claim;

/** Hears of every effect once it is done and durable. Crash tests end the process there. */
@FunctionalInterface
public interface EffectListener {

    /** A listener that does not care. */
    EffectListener NONE = effect -> {};

    /** The effect is done. */
    void after(Effect effect);
}
