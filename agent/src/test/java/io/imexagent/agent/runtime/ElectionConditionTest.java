package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Condition;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What {@code /readyz} of a controller says of the election. */
class ElectionConditionTest {

    @Test
    void itHoldsWhereSomebodyLeadsWhoeverThatIs() {
        assertThat(RunningController.election(true, Optional.of("one"), Optional.empty()))
                .isEqualTo(new Condition("election", true, "this one leads: one"));
        assertThat(RunningController.election(false, Optional.of("one"), Optional.empty()))
                .isEqualTo(new Condition("election", true, "led by: one"));
    }

    @Test
    void itFailsWhereNobodyRenewsTheLease() {
        assertThat(RunningController.election(false, Optional.empty(), Optional.empty()))
                .isEqualTo(new Condition("election", false, "nobody leads, as far as this one sees"));
    }

    @Test
    void itFailsAndSaysWhyWhereTheLeaseCannotBeReadOrWritten() {
        assertThat(RunningController.election(false, Optional.of("one"), Optional.of("no right to get leases")))
                .isEqualTo(new Condition(
                        "election", false, "led by: one; the last attempt failed: no right to get leases"));
    }
}
