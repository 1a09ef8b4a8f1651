package io.imexagent.dra.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HaltAfterEffectTest {

    private static final Effect EFFECT = new Effect.RemoveCdi(Specimens.ref("a").uid());

    private final List<Integer> halts = new ArrayList<>();

    @Test
    void doesNothingUnlessTheEnvironmentAsksForIt() {
        assertThat(HaltAfterEffect.of(Map.of(), halts::add)).isSameAs(EffectListener.NONE);
        assertThat(HaltAfterEffect.of(Map.of(HaltAfterEffect.VARIABLE, ""), halts::add))
                .isSameAs(EffectListener.NONE);
    }

    @Test
    void haltsAfterTheEffectOfThatNumberAndNoOther() {
        EffectListener listener = HaltAfterEffect.of(Map.of("IMEX_AGENT_HALT_AFTER_EFFECT", "3"), halts::add);

        listener.after(EFFECT);
        listener.after(EFFECT);
        assertThat(halts).isEmpty();
        listener.after(EFFECT);
        listener.after(EFFECT);

        assertThat(halts).containsExactly(137);
    }

    @Test
    void refusesWhatIsNoNumber() {
        assertThatThrownBy(() -> HaltAfterEffect.of(Map.of(HaltAfterEffect.VARIABLE, "soon"), halts::add))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("IMEX_AGENT_HALT_AFTER_EFFECT must be a whole number, not soon");
    }
}
