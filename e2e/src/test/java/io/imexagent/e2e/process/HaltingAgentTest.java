package io.imexagent.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.dra.claim.Effect;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HaltingAgentTest {

    private static final Effect EFFECT = new Effect.RemoveCdi(new ClaimUid("uid-a"));

    @Test
    void haltsAfterTheEffectOfThatNumberAndNoOther() {
        List<Integer> halts = new ArrayList<>();
        var agent = new HaltingAgent(3, halts::add);

        agent.after(EFFECT);
        agent.after(EFFECT);
        assertThat(halts).isEmpty();
        agent.after(EFFECT);
        agent.after(EFFECT);

        assertThat(halts).containsExactly(137);
    }
}
