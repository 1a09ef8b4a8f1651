package io.imexagent.fabric.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelMajor.RegisteredMajor;
import io.imexagent.core.inventory.ChannelMajor.UnregisteredMajor;
import io.imexagent.fabric.local.ChannelPair.ChannelChoice;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChannelPairTest {

    private static final ChannelMajor MAJOR = new RegisteredMajor(242);

    @Test
    void takesTwoThatNoTableBinds() {
        assertThat(choose(2048, null)).isEqualTo(new ChannelChoice.Chosen(new ChannelPair(242, 256, 257)));
        assertThat(choose(258, null)).isEqualTo(new ChannelChoice.Chosen(new ChannelPair(242, 256, 257)));
    }

    @Test
    void aDriverWithFewerIsNotTriedUnlessTwoAreNamed() {
        assertThat(choose(257, null))
                .isInstanceOfSatisfying(
                        ChannelChoice.NoChannels.class,
                        none -> assertThat(none.reason())
                                .contains("257 channels")
                                .contains("--channels"));
        assertThat(choose(128, "5,6")).isEqualTo(new ChannelChoice.Chosen(new ChannelPair(242, 5, 6)));
        assertThat(choose(6, "5,6")).isInstanceOf(ChannelChoice.NoChannels.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0,1", "1,0", "5", "5,5", "5,6,7", "a,b", "", "-1,2", "5, 6"})
    void namesThatAreNotTwoChannelsAreRefused(String named) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> choose(2048, named))
                .withMessageContaining("channel 0");
    }

    @Test
    void aDriverWithoutChannelsIsNotTried() {
        assertThat(ChannelPair.choose(new UnregisteredMajor(), OptionalInt.of(2048), Optional.empty()))
                .isInstanceOf(ChannelChoice.NoChannels.class);
        assertThat(ChannelPair.choose(MAJOR, OptionalInt.empty(), Optional.empty()))
                .isInstanceOf(ChannelChoice.NoChannels.class);
    }

    private static ChannelChoice choose(int count, @Nullable String named) {
        return ChannelPair.choose(MAJOR, OptionalInt.of(count), Optional.ofNullable(named));
    }
}
