package io.imexagent.imex.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class DriverParametersTest {

    @Property
    void readsTheCountOfChannels(@ForAll @IntRange(min = 0, max = 999_999_999) int count) {
        assertThat(count("EnableMSI: 1\nImexChannelCount: " + count + "\nCreateImexChannel0: 0\n"))
                .hasValue(count);
    }

    @Example
    void takesNoParameterWhoseNameOnlyResembles() {
        assertThat(count("OldImexChannelCount: 5\nImexChannelCounts: 6\n ImexChannelCount: 7\n"))
                .isEmpty();
    }

    @Property
    void tellsNothingWhereTheValueIsNoNumber(@ForAll("noNumbers") String value) {
        assertThat(count("ImexChannelCount: " + value)).isEmpty();
    }

    @Provide
    Arbitrary<String> noNumbers() {
        return Arbitraries.of("", "-1", "+5", "2k", "0x800", "9999999999", "٢", "1 2", "1.0");
    }

    @Property
    void throwsOnNoBytes(@ForAll byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        assertThat(count(text)).isNotNull();
        assertThat(count("ImexChannelCount:" + text)).isNotNull();
    }

    private static OptionalInt count(String text) {
        return DriverParameters.channelCount(text.lines().toList());
    }
}
