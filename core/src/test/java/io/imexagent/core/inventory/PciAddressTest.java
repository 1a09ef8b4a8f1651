package io.imexagent.core.inventory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Optional;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PciAddressTest {

    @ParameterizedTest
    @CsvSource({
        "0000:3b:00.0, 0000:3b:00.0",
        "00000008:01:00.0, 0008:01:00.0",
        "0008:01:1F.7, 0008:01:1f.7",
        "00010000:06:00.0, 10000:06:00.0",
        "FFFFFFFF:FF:1F.7, ffffffff:ff:1f.7"
    })
    void readsTheFormsOfSysfsAndNvmlAndPrintsOne(String text, String canonical) {
        assertThat(PciAddress.parse(text).map(PciAddress::toString)).contains(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "3b:00.0",
                "000:3b:00.0",
                "000000000:3b:00.0",
                "0000:3b:20.0",
                "0000:3b:00.8",
                "0000:3b:00",
                "0000:3b:00.0 ",
                "0000:3b:00.0\n",
                "0000:3b:0g.0",
                "0000-3b-00.0",
                "٠٠٠٠:3b:00.0"
            })
    void refusesEverythingElse(String text) {
        assertThat(PciAddress.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"-1,0,0,0", "4294967296,0,0,0", "0,-1,0,0", "0,256,0,0", "0,0,-1,0", "0,0,32,0", "0,0,0,-1", "0,0,0,8"})
    void refusesNumbersOutsideTheirRanges(long domain, int bus, int device, int function) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PciAddress(domain, bus, device, function))
                .withMessageContaining("no PCI address");
    }

    @Test
    void ordersByNumberAlsoWhereADomainHasMoreDigits() {
        assertThat(Stream.of("10000:00:00.0", "2000:00:00.0", "0000:80:00.0", "0000:0a:00.1", "0000:0a:00.0")
                        .map(PciAddress::parse)
                        .flatMap(Optional::stream)
                        .sorted())
                .extracting(PciAddress::toString)
                .containsExactly("0000:0a:00.0", "0000:0a:00.1", "0000:80:00.0", "2000:00:00.0", "10000:00:00.0");
    }

    @Property
    void everyAddressIsReadBackFromItsText(
            @ForAll @LongRange(max = 0xffff_ffffL) long domain,
            @ForAll @IntRange(max = 255) int bus,
            @ForAll @IntRange(max = 31) int device,
            @ForAll @IntRange(max = 7) int function) {
        var address = new PciAddress(domain, bus, device, function);

        assertThat(PciAddress.parse(address.toString())).contains(address);
    }

    @Property
    void anyTextIsAnAddressOrNone(@ForAll String text) {
        assertThat(PciAddress.parse(text)
                        .map(PciAddress::toString)
                        .map(String::length)
                        .orElse(12))
                .isBetween(12, 16);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0, 0, 0000:00:00.0",
        "10, 3, 31, 7, 000a:03:1f.7",
        "65535, 255, 16, 1, ffff:ff:10.1",
        "65536, 16, 1, 2, 10000:10:01.2",
        "4294967295, 255, 31, 7, ffffffff:ff:1f.7"
    })
    void writesEveryPartWithItsDigits(long domain, int bus, int device, int function, String text) {
        var address = new PciAddress(domain, bus, device, function);

        assertThat(address).hasToString(text);
        assertThat(PciAddress.parse(text)).contains(address);
    }
}
