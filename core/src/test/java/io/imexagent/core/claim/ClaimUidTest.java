package io.imexagent.core.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimUidTest {

    private static final String LONGEST = "a".repeat(63);

    @ParameterizedTest
    @ValueSource(strings = {"7f3c0156-3566-44cf-a6f8-8acd6bcbbf17", "a", "0", "UID-", "a--b"})
    void acceptsAndPrintsWhatKubernetesWrote(String text) {
        assertThat(ClaimUid.parse(text)).contains(new ClaimUid(text));
        assertThat(new ClaimUid(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "-a", ".", "..", "../x", "a/b", "a.b", "a_b", "a b", "a\n", "\na", "ä", "٣", "a\0", "a\\b", "%2e"
            })
    void refusesWhatCouldLeaveADirectoryOrADeviceName(String text) {
        assertThat(ClaimUid.parse(text)).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ClaimUid(text))
                .withMessageContaining("claim UID " + Quoted.of(text))
                .withMessageContaining("1 to 63");
    }

    @Test
    void accepts63CharactersAndRefuses64() {
        assertThat(ClaimUid.parse(LONGEST)).isPresent();
        assertThat(ClaimUid.parse(LONGEST + "a")).isEmpty();
    }

    @Test
    void comparesExactly() {
        assertThat(new ClaimUid("A")).isNotEqualTo(new ClaimUid("a")).isLessThan(new ClaimUid("a"));
        assertThat(new ClaimUid("a")).isEqualByComparingTo(new ClaimUid("a")).isEqualTo(new ClaimUid("a"));
    }

    @Property
    void anyTextIsEitherAUidOrNone(@ForAll String text) {
        assertThat(ClaimUid.parse(text).map(ClaimUid::value)).isIn(Optional.empty(), Optional.of(text));
        assertThat(ClaimUid.parse(text).isPresent()).isEqualTo(text.matches("[A-Za-z0-9][A-Za-z0-9-]{0,62}"));
    }
}
