package io.imexagent.core.refusal;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.refusal.RefusalCode.Retry;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RefusalCodeTest {

    @Test
    void whatMayPassInMomentsIsWaitedForWithinTheCall() {
        assertThat(codes(Retry.WITHIN_CALL))
                .containsExactlyInAnyOrder(
                        RefusalCode.API_UNAVAILABLE,
                        RefusalCode.CHANNEL_HELD,
                        RefusalCode.CLIQUE_WITHOUT_TABLE,
                        RefusalCode.HOLD_LOST,
                        RefusalCode.FABRIC_NOT_READY,
                        RefusalCode.IMEX_NOT_READY,
                        RefusalCode.NO_CHANNEL_MAJOR,
                        RefusalCode.RAILS_UNKNOWN,
                        RefusalCode.RAIL_HELD,
                        RefusalCode.RAIL_NOT_OFFERED);
    }

    @Test
    void whatPassesLaterIsLeftToTheNextCall() {
        assertThat(codes(Retry.NEXT_CALL))
                .containsExactlyInAnyOrder(
                        RefusalCode.PREPARE_ABORTED,
                        RefusalCode.CHANNEL_QUEUED,
                        RefusalCode.CHANNELS_EXHAUSTED,
                        RefusalCode.NAMESPACE_CHANNELS_EXHAUSTED,
                        RefusalCode.CLIQUE_LEFT,
                        RefusalCode.CHANNEL_CONFLICT,
                        RefusalCode.CANCELLED,
                        RefusalCode.STOPPING,
                        RefusalCode.OVERLOADED,
                        RefusalCode.CHECKPOINT_FULL,
                        RefusalCode.EFFECT_FAILED,
                        RefusalCode.FOREIGN_CLAIMS,
                        RefusalCode.RAIL_RENUMBERED,
                        RefusalCode.INTERNAL);
    }

    @Test
    void whatIsWrongWithTheClaimItsConfigurationOrItsDomainIsPermanent() {
        EnumSet<RefusalCode> others = EnumSet.allOf(RefusalCode.class);
        others.removeAll(codes(Retry.WITHIN_CALL));
        others.removeAll(codes(Retry.NEXT_CALL));

        assertThat(codes(Retry.NEVER))
                .containsExactlyInAnyOrderElementsOf(others)
                .contains(
                        RefusalCode.ALLOCATION_MODE,
                        RefusalCode.DAEMON_DISABLED,
                        RefusalCode.NO_CLIQUE,
                        RefusalCode.DOMAIN_NOT_FOUND,
                        RefusalCode.CONFIG_INVALID,
                        RefusalCode.CONFIG_MISSING,
                        RefusalCode.DEVICE_NOT_PUBLISHED,
                        RefusalCode.FOREIGN_POOL);
    }

    @ParameterizedTest
    @EnumSource
    void labelsAreLowerCaseWords(RefusalCode code) {
        assertThat(code.label()).matches("[a-z]+(_[a-z]+)*");
    }

    private static Set<RefusalCode> codes(Retry retry) {
        return Arrays.stream(RefusalCode.values())
                .filter(code -> code.retry() == retry)
                .collect(Collectors.toSet());
    }
}
