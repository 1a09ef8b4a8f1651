package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Condition;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What {@code /readyz} of a controller says of the election, and of its work. */
class ControllerConditionsTest {

    @Test
    void theElectionHoldsWhereSomebodyLeadsWhoeverThatIs() {
        assertThat(RunningController.election(true, Optional.of("one"), Optional.empty()))
                .isEqualTo(new Condition("election", true, "this one leads: one"));
        assertThat(RunningController.election(false, Optional.of("one"), Optional.empty()))
                .isEqualTo(new Condition("election", true, "led by: one"));
    }

    @Test
    void theElectionFailsWhereNobodyRenewsTheLease() {
        assertThat(RunningController.election(false, Optional.empty(), Optional.empty()))
                .isEqualTo(new Condition("election", false, "no leader is known"));
    }

    @Test
    void theElectionFailsAndSaysWhyWhereTheLeaseCannotBeReadOrWritten() {
        assertThat(RunningController.election(false, Optional.of("one"), Optional.of("no right to get leases")))
                .isEqualTo(new Condition(
                        "election", false, "led by: one; the last attempt failed: no right to get leases"));
    }

    @Test
    void workHoldsWhileNothingIsBroken() {
        assertThat(RunningController.work(List.of())).isEqualTo(new Condition("work", true, "nothing is broken"));
    }

    @Test
    void workFailsAndNamesWhatBroke() {
        assertThat(RunningController.work(List.of("imex-worker-1: java.lang.StackOverflowError")))
                .isEqualTo(new Condition(
                        "work",
                        false,
                        "failed by a defect, trying again: imex-worker-1:" + " java.lang.StackOverflowError"));
        assertThat(RunningController.work(List.of("ComputeDomain a: one", "ComputeDomain b: two", "imex-election: x")))
                .isEqualTo(new Condition(
                        "work", false, "failed by a defect, trying again: ComputeDomain a: one; and 2" + " more"));
    }
}
