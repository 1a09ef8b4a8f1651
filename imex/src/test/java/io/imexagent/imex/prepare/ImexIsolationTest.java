package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.policy.Isolation;
import io.imexagent.kubernetes.clique.ChannelTable;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ImexIsolationTest {

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
    void eachIsolationServesItsOwnDevice() {
        assertThat(policy(Isolation.NONE, 128).device()).contains("channel-0");
        assertThat(policy(Isolation.IMEX_CHANNEL, 128).device()).contains("channel");
        assertThat(policy(Isolation.IMEX_DOMAIN, 128).device()).isEmpty();
    }

    @Test
    void onlyAChannelOfOnesOwnHasPlaces() {
        assertThat(policy(Isolation.NONE, 128).placeNames()).isEmpty();
        assertThat(policy(Isolation.IMEX_CHANNEL, 128).placeNames())
                .containsExactly("channel-place-0", "channel-place-1", "channel-place-2");
        assertThat(policy(Isolation.IMEX_DOMAIN, 128).placeNames()).isEmpty();
    }

    @Test
    void aPolicyServesTheDeviceThatItPublishesAndItsPlacesAndNoOther() {
        List<String> devices =
                List.of("channel-0", "channel-1", "channel", "channel-place-0", "channel-place-2", "daemon-0");
        for (Isolation isolation : Isolation.values()) {
            ServingPolicy policy = policy(isolation, 128);
            assertThat(devices.stream().filter(policy::serves))
                    .as(isolation.text())
                    .containsExactlyInAnyOrderElementsOf(
                            Stream.concat(policy.device().stream(), policy.placeNames().stream())
                                    .filter(devices::contains)
                                    .toList());
            assertThat(devices.stream().filter(device -> !policy.isChannel(device)))
                    .as(isolation.text())
                    .containsExactly("daemon-0");
        }
    }

    @Test
    void aPlaceBeyondThoseOfTodayIsServedAllTheSame() {
        assertThat(policy(Isolation.IMEX_CHANNEL, 128).serves("channel-place-40"))
                .as("there were more when it was allocated")
                .isTrue();
    }

    @Test
    void thereAreTwoChannelsAtLeast() {
        assertThatIllegalArgumentException().isThrownBy(() -> policy(Isolation.IMEX_CHANNEL, 1));
    }

    @Test
    void channelsAreSharedByDefaultWhereEachWorkloadHasItsOwn() {
        assertThat(Sharing.defaultFor(Isolation.NONE)).isEqualTo(Sharing.NONE);
        assertThat(Sharing.defaultFor(Isolation.IMEX_CHANNEL)).isEqualTo(Sharing.DOMAIN);
    }

    @Test
    void aCdiDeviceIsNamedAfterClaimAndChannel() {
        assertThat(PreparePlanner.CDI_KIND + "=" + PreparePlanner.cdiDevice(new ClaimUid("u-1"), new ChannelId(0)))
                .isEqualTo("k8s.compute-domain.nvidia.com/claim=u-1-channel-0");
    }

    private static ServingPolicy policy(Isolation isolation, int channels) {
        return new ServingPolicy(
                "node",
                isolation,
                new ChannelTable.Limits(channels, channels),
                Sharing.NONE,
                3,
                false,
                CliqueMissing.REFUSE);
    }
}
