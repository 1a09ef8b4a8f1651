package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Prepare's questions and their order (design of host-managed IMEX, 7.2), with a fault at every one of them. */
class PrepareOrderTest {

    /** What only the agent around the planner can say, and what is said of RDMA NICs. */
    private static final Set<RefusalCode> NOT_OF_THE_PLANNER = EnumSet.of(
            RefusalCode.RAILS_UNKNOWN,
            RefusalCode.RAIL_NOT_OFFERED,
            RefusalCode.RAIL_HELD,
            RefusalCode.RAIL_RENUMBERED,
            RefusalCode.RDMA_NAMESPACES,
            RefusalCode.MANAGEMENT_NODES,
            RefusalCode.NETDEV_RUNTIME,
            RefusalCode.NETDEV_POD,
            RefusalCode.BAD_REQUEST,
            RefusalCode.CLAIM_NOT_FOUND,
            RefusalCode.CLAIM_REPLACED,
            RefusalCode.CLAIM_UNREADABLE,
            RefusalCode.CLAIM_TOO_LARGE,
            RefusalCode.API_UNAVAILABLE,
            RefusalCode.INTERNAL,
            RefusalCode.CANCELLED,
            RefusalCode.STOPPING,
            RefusalCode.OVERLOADED,
            RefusalCode.EFFECT_FAILED,
            RefusalCode.CHECKPOINT_FULL,
            RefusalCode.FOREIGN_CLAIMS,
            RefusalCode.IMEX_NOT_READY,
            RefusalCode.USER_NAMESPACE,
            RefusalCode.CHANNEL_QUEUED);

    @ParameterizedTest
    @EnumSource
    void aFaultAtAnyStepIsRefusedWithItsCode(Fault fault) {
        var situation = new Situation();
        fault.into(situation);

        assertThat(situation.refusal().code()).isEqualTo(fault.code);
    }

    @ParameterizedTest
    @EnumSource
    void everyRefusalIsOneSentenceOnOneLineThatEndsWithItsCodeInTheAnswer(Fault fault) {
        var situation = new Situation();
        fault.into(situation);
        Refusal refusal = situation.refusal();

        assertThat(refusal.message()).isNotBlank().doesNotContain("\n").doesNotEndWith(".");
        assertThat(refusal.answer()).isEqualTo(refusal.message() + " [" + fault.code.label() + "]");
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void ofTwoFaultsTheEarlierQuestionIsAnswered(Fault earlier, Fault later) {
        var situation = new Situation();
        later.into(situation);
        earlier.into(situation);

        assertThat(situation.refusal().code()).isEqualTo(earlier.code);
    }

    @Test
    void everyCodeOfThePlannerHasAFaultThatLeadsToIt() {
        Set<RefusalCode> told =
                Arrays.stream(Fault.values()).map(fault -> fault.code).collect(Collectors.toSet());

        assertThat(EnumSet.complementOf(EnumSet.copyOf(NOT_OF_THE_PLANNER))).containsExactlyInAnyOrderElementsOf(told);
    }

    @Test
    void withoutAFaultTheClaimIsReady() {
        assertThat(new Situation().plan()).isInstanceOf(Outcome.Accepted.class);
    }

    private static Stream<Arguments> pairs() {
        return Arrays.stream(Fault.values())
                .flatMap(earlier -> Arrays.stream(Fault.values())
                        .filter(later -> earlier.step.compareTo(later.step) < 0)
                        .map(later -> Arguments.of(earlier, later)));
    }
}
