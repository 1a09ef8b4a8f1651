package io.imexagent.dra.claim;

import io.imexagent.dra.claim.PreparedClaims.EffectListener;
import java.util.ArrayList;
import java.util.List;

/** Ends the agent's work after the n-th effect as a crash does: nothing that follows is done, not even cleaning up. */
public final class SimulatedCrash extends Error {

    private static final long serialVersionUID = 1L;

    private SimulatedCrash() {}

    /** Counts effects, and crashes after one of them. */
    public static final class AfterEffect implements EffectListener {

        public final List<Effect> ran = new ArrayList<>();
        private final int last;

        /** Crashes after so many effects; with 0 never. */
        public AfterEffect(int last) {
            this.last = last;
        }

        @Override
        public synchronized void after(Effect effect) {
            ran.add(effect);
            if (ran.size() == last) {
                throw new SimulatedCrash();
            }
        }
    }
}
