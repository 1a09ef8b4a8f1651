package io.imexagent.core.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimNameTest {

    @ParameterizedTest
    @CsvSource({"default,train-a", "a,b", "0,0", "kube-system,a.b-c.d", "team-1,pod-0-channel-x7f2q"})
    void acceptsTheNamesOfKubernetes(String namespace, String name) {
        assertThat(ClaimName.parse(namespace, name)).contains(new ClaimName(namespace, name));
        assertThat(new ClaimName(namespace, name)).hasToString(namespace + "/" + name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", "a-", "A", "a.b", "a/b", "..", "a_b", "a\n", "ä"})
    void refusesANamespaceThatIsNoLabel(String namespace) {
        assertThat(ClaimName.parse(namespace, "claim")).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ClaimName(namespace, "claim"))
                .withMessageContaining(Quoted.of(namespace))
                .withMessageContaining("lower-case DNS names");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", "a-", "A", "a..b", ".a", "a.", "a.-b", "a/b", "..", "a_b", "a\n", "ä"})
    void refusesANameThatIsNoSubdomain(String name) {
        assertThat(ClaimName.parse("default", name)).isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> new ClaimName("default", name));
    }

    @Test
    void boundsTheLengths() {
        assertThat(ClaimName.parse("n".repeat(63), "c".repeat(253))).isPresent();
        assertThat(ClaimName.parse("n".repeat(64), "c")).isEmpty();
        assertThat(ClaimName.parse("n", "c".repeat(254))).isEmpty();
    }

    @Test
    void anEndlessNameIsRefusedAndDoesNotExhaustTheStack() {
        String endless = "a.".repeat(1_000_000);

        assertThat(ClaimName.parse("default", endless)).isEmpty();
        assertThat(ClaimName.parse(endless, "claim")).isEmpty();
    }

    @Property
    void anyTextsAreANameOrNone(@ForAll String namespace, @ForAll String name) {
        ClaimName.parse(namespace, name).ifPresent(parsed -> assertThat(parsed).hasToString(namespace + "/" + name));
    }
}
