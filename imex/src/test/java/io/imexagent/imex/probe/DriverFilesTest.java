package io.imexagent.imex.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.ChannelMajor;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class DriverFilesTest {

    @Example
    void findsTheMajorByItsExactName() {
        assertThat(parse("""
            Character devices:
              1 mem
            195 nvidia
            239 nvidia-caps-imex-channels
            240 nvidia-caps
            """)).isEqualTo(new ChannelMajor.RegisteredMajor(239));
    }

    @Example
    void takesNoDeviceWhoseNameOnlyResembles() {
        assertThat(parse("""
            Character devices:
            235 nvidia-caps
            236 nvidia-caps-imex-channels-v2
            237 my-nvidia-caps-imex-channels
            238 NVIDIA-CAPS-IMEX-CHANNELS
            """)).isEqualTo(new ChannelMajor.UnregisteredMajor());
    }

    @Example
    void takesNothingFromTheBlockSection() {
        assertThat(parse("""
            Character devices:
              1 mem

            Block devices:
            239 nvidia-caps-imex-channels
            """)).isEqualTo(new ChannelMajor.UnregisteredMajor());
    }

    @Example
    void takesNothingFromABlockSectionThatComesFirst() {
        assertThat(parse("""
            Block devices:
            239 nvidia-caps-imex-channels

            Character devices:
            240 nvidia-caps-imex-channels
            """)).isEqualTo(new ChannelMajor.RegisteredMajor(240));
    }

    @Property
    void takesMajorsOfTwelveBits(@ForAll @IntRange(min = 1, max = 4095) int major) {
        assertThat(parse("Character devices:\n%3d nvidia-caps-imex-channels\n".formatted(major)))
                .isEqualTo(new ChannelMajor.RegisteredMajor(major));
    }

    @Example
    void cannotTellWithoutTheCharacterSection() {
        assertThat(parse("Block devices:\n239 nvidia-caps-imex-channels\n"))
                .isInstanceOf(ChannelMajor.UnknownMajor.class);
        assertThat(parse("")).isInstanceOf(ChannelMajor.UnknownMajor.class);
    }

    @Property
    void cannotTellFromAMajorThatIsNone(@ForAll("noMajors") String digits) {
        assertThat(parse("Character devices:\n" + digits + " nvidia-caps-imex-channels\n"))
                .isInstanceOf(ChannelMajor.UnknownMajor.class);
    }

    @Provide
    Arbitrary<String> noMajors() {
        return Arbitraries.oneOf(
                Arbitraries.of("0", "-1", "4096", "2147483648", "99999999999999999999", "x", "0x10", "1.5", "239x"),
                Arbitraries.strings().withCharRange('a', 'z').ofMinLength(1).ofMaxLength(8));
    }

    @Property
    void throwsOnNoBytes(@ForAll byte[] bytes) {
        assertThat(parse(new String(bytes, StandardCharsets.ISO_8859_1))).isNotNull();
    }

    @Property
    void throwsOnNoTextBehindTheHeading(@ForAll String text) {
        assertThat(parse("Character devices:\n" + text + "\n" + text + " nvidia-caps-imex-channels"))
                .isNotNull();
    }

    private static ChannelMajor parse(String text) {
        return DriverFiles.channelMajor(text.lines().toList());
    }

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
    void tellsNoCountWhereTheValueIsNoNumber(@ForAll("noCounts") String value) {
        assertThat(count("ImexChannelCount: " + value)).isEmpty();
    }

    @Provide
    Arbitrary<String> noCounts() {
        return Arbitraries.of("", "-1", "+5", "2k", "0x800", "9999999999", "٢", "1 2", "1.0");
    }

    @Property
    void throwsOnNoBytesOfParameters(@ForAll byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        assertThat(count(text)).isNotNull();
        assertThat(count("ImexChannelCount:" + text)).isNotNull();
    }

    private static OptionalInt count(String text) {
        return DriverFiles.channelCount(text.lines().toList());
    }
}
