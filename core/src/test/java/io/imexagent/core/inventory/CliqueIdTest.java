package io.imexagent.core.inventory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CliqueIdTest {

    private static final String UUID = "3f2a8b1c-00d4-4e5f-9a6b-7c8d9e0f1a2b";
    private static final byte[] BYTES = HexFormat.of().parseHex(UUID.replace("-", ""));
    private static final long LARGEST = 4_294_967_295L;

    @Test
    void printsTheClusterInLowerCaseAndTheNumberInDecimal() {
        assertThat(CliqueId.of(BYTES, 32766))
                .hasValueSatisfying(id -> assertThat(id).hasToString(UUID + ".32766"));
    }

    @Test
    void aClusterOfZerosIsNoClique() {
        assertThat(CliqueId.of(new byte[16], 7)).isEmpty();
    }

    @Test
    void aCliqueNumberOfZeroIsAClique() {
        assertThat(CliqueId.of(BYTES, 0)).contains(new CliqueId(UUID + ".0"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 15, 17})
    void refusesAClusterUuidOfAnotherLength(int length) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CliqueId.of(new byte[length], 0))
                .withMessageContaining("16 bytes, not " + length);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, LARGEST + 1, 9_999_999_999L, Long.MAX_VALUE, Long.MIN_VALUE})
    void refusesANumberThatDoesNotFitIn32Bits(long number) {
        assertThatIllegalArgumentException().isThrownBy(() -> CliqueId.of(BYTES, number));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "3f2a8b1c-00d4-4e5f-9a6b-7c8d9e0f1a2b",
                "3f2a8b1c-00d4-4e5f-9a6b-7c8d9e0f1a2b.",
                "3f2a8b1c-00d4-4e5f-9a6b-7c8d9e0f1a2b.01",
                "3f2a8b1c-00d4-4e5f-9a6b-7c8d9e0f1a2b.-1",
                "3f2a8b1c-00d4-4e5f-9a6b-7c8d9e0f1a2b.4294967296",
                "3f2a8b1c-00d4-4e5f-9a6b-7c8d9e0f1a2b.1\n",
                "3F2A8B1C-00D4-4E5F-9A6B-7C8D9E0F1A2B.1",
                "3f2a8b1c00d44e5f9a6b7c8d9e0f1a2b.1",
                "3f2a8b1-c00d4-4e5f-9a6b-7c8d9e0f1a2b.1"
            })
    void refusesTextThatIsNotCanonical(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CliqueId(text))
                .withMessageContaining("is not <cluster UUID>.<number>");
    }

    @Test
    void aRefusalShowsForeignTextOnOneLine() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CliqueId("x\ny".repeat(1000)))
                .satisfies(
                        refused -> assertThat(refused).message().hasLineCount(1).hasSizeLessThan(200));
    }

    @Property
    void everyClusterAndNumberHaveOneTextThatFitsALabel(
            @ForAll @Size(16) byte[] cluster, @ForAll @LongRange(max = LARGEST) long number) {
        CliqueId.of(cluster, number).ifPresent(id -> {
            assertThat(new CliqueId(id.text())).isEqualTo(id);
            assertThat(id.text()).endsWith("." + number).hasSizeLessThanOrEqualTo(63);
            assertThat(CliqueId.of(cluster, number)).contains(id);
        });
    }

    @Test
    void ordersByItsText() {
        assertThat(new CliqueId(UUID + ".1")).isLessThan(new CliqueId(UUID + ".2"));
    }
}
