package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.policy.Isolation;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IsolationTest {

    @Test
    void hasTheNamesOfTheConfiguration() {
        assertThat(Stream.of(Isolation.values()).map(Isolation::text))
                .containsExactly("None", "IMEXChannel", "IMEXDomain");
    }

    @ParameterizedTest
    @EnumSource
    void saysWhatItMeans(Isolation isolation) {
        assertThat(isolation.meaning()).isNotBlank();
    }

    @Test
    void eachIsolationServesItsOwnChannels() {
        assertThat(served(Isolation.NONE)).containsExactly(0);
        assertThat(served(Isolation.IMEX_CHANNEL)).containsExactly(1, 2, 3);
        assertThat(served(Isolation.IMEX_DOMAIN)).isEmpty();
    }

    @Test
    void aPolicyServesExactlyTheChannelsThatItLists() {
        for (Isolation isolation : Isolation.values()) {
            var policy = new ServingPolicy("node", isolation, 4, Sharing.NONE, false);
            assertThat(policy.channels(OptionalInt.empty()))
                    .as(isolation.text())
                    .isEqualTo(IntStream.range(0, 8)
                            .mapToObj(ChannelId::new)
                            .filter(policy::serves)
                            .toList());
        }
    }

    @Test
    void thereAreTwoChannelsAtLeast() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ServingPolicy("node", Isolation.IMEX_CHANNEL, 1, Sharing.NONE, false));
    }

    @Test
    void channelsAreSharedByDefaultWhereEachWorkloadHasItsOwn() {
        assertThat(Sharing.standard(Isolation.NONE)).isEqualTo(Sharing.NONE);
        assertThat(Sharing.standard(Isolation.IMEX_CHANNEL)).isEqualTo(Sharing.DOMAIN);
    }

    @Test
    void aCdiDeviceIsNamedAfterClaimAndChannel() {
        assertThat(ChannelEdits.CDI_KIND + "=" + ChannelEdits.cdiDevice(new ClaimUid("u-1"), new ChannelId(0)))
                .isEqualTo("k8s.compute-domain.nvidia.com/claim=u-1-channel-0");
    }

    private static IntStream served(Isolation isolation) {
        var policy = new ServingPolicy("node", isolation, false);
        return IntStream.range(0, 4).filter(number -> policy.serves(new ChannelId(number)));
    }
}
