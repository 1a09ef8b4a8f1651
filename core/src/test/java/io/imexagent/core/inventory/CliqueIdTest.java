package io.imexagent.core.inventory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CliqueIdTest {

    private static final String TEXT = "3f2a8b1c-00d4-4e5f-9a6b-7c8d9e0f1a2b";
    private static final UUID CLUSTER = UUID.fromString(TEXT);
    private static final long LARGEST = 4_294_967_295L;

    @Test
    void printsTheClusterInLowerCaseAndTheNumberInDecimal() {
        assertThat(CliqueId.of(CLUSTER, 32766))
                .hasValueSatisfying(id -> assertThat(id).hasToString(TEXT + ".32766"));
    }

    @Test
    void aClusterOfZerosIsNoClique() {
        assertThat(CliqueId.of(new UUID(0, 0), 7)).isEmpty();
    }

    @Test
    void aCliqueNumberOfZeroIsAClique() {
        assertThat(CliqueId.of(CLUSTER, 0)).contains(new CliqueId(TEXT + ".0"));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, LARGEST + 1, 9_999_999_999L, Long.MAX_VALUE, Long.MIN_VALUE})
    void refusesANumberThatDoesNotFitIn32Bits(long number) {
        assertThatIllegalArgumentException().isThrownBy(() -> CliqueId.of(CLUSTER, number));
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
            @ForAll long high, @ForAll long low, @ForAll @LongRange(max = LARGEST) long number) {
        UUID cluster = new UUID(high, low);
        CliqueId.of(cluster, number).ifPresent(id -> {
            assertThat(new CliqueId(id.text())).isEqualTo(id);
            assertThat(id.text()).endsWith("." + number).hasSizeLessThanOrEqualTo(63);
            assertThat(CliqueId.of(cluster, number)).contains(id);
        });
    }

    @Test
    void ordersByItsText() {
        assertThat(new CliqueId(TEXT + ".1")).isLessThan(new CliqueId(TEXT + ".2"));
    }
}
