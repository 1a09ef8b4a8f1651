package io.imexagent.core.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChannelIdTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "channel",
                "channel-",
                "channel--1",
                "channel-+1",
                "channel-01",
                "channel-00",
                "channel-1048576",
                "channel-9999999",
                "channel-99999999999999999999",
                "channel-٣",
                "channel- 1",
                "channel-1 ",
                "channel-1\n",
                "Channel-1",
                "daemon-0",
                "xchannel-0"
            })
    void aDeviceOfAnyOtherNameIsNoChannel(String device) {
        assertThat(ChannelId.ofDevice(device)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, ChannelId.LARGEST + 1, Integer.MAX_VALUE})
    void refusesANumberThatIsNoMinor(int number) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ChannelId(number))
                .withMessage("channel " + number + " is not in 0 … 1048575");
    }

    @Test
    void namesItsDeviceItsNodeAndItself() {
        var channel = new ChannelId(2047);

        assertThat(channel.device()).isEqualTo("channel-2047");
        assertThat(channel.path()).isEqualTo("/dev/nvidia-caps-imex-channels/channel2047");
        assertThat(channel).hasToString("2047");
    }

    @Test
    void ordersByNumber() {
        assertThat(new ChannelId(9)).isLessThan(new ChannelId(10));
    }

    @Property
    void everyChannelIsReadBackFromItsDevice(@ForAll @IntRange(max = ChannelId.LARGEST) int number) {
        var channel = new ChannelId(number);

        assertThat(ChannelId.ofDevice(channel.device())).contains(channel);
    }

    @Property
    void anyDeviceNameIsCanonicalOrNone(@ForAll String tail) {
        String device = "channel-" + tail;

        ChannelId.ofDevice(device)
                .ifPresent(channel -> assertThat(channel.device()).isEqualTo(device));
    }
}
