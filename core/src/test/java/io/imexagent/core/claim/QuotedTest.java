package io.imexagent.core.claim;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuotedTest {

    @Test
    void ordinaryTextKeepsItsCharacters() {
        assertThat(Quoted.of("Größe=1 \\ 'x'")).isEqualTo("\"Größe=1 \\ 'x'\"");
        assertThat(Quoted.of("")).isEqualTo("\"\"");
    }

    @ParameterizedTest
    @ValueSource(chars = {'\n', '\r', '\t', '\0', '\u001b', '\u007f', '\u0085', '"', '\ud83d'})
    void replacesWhatBreaksALineOrAQuotation(char c) {
        assertThat(Quoted.of("a" + c + "b")).isEqualTo("\"a?b\"");
    }

    @ParameterizedTest
    @ValueSource(chars = {'\u2028', '\u2029', '\u202e', '\u2066', '\u200b', '\ufeff', '\ue000', '\uffff'})
    void replacesWhatTurnsHidesOrEndsALineElsewhere(char c) {
        assertThat(Quoted.of("a" + c + "b")).isEqualTo("\"a?b\"");
    }

    @Test
    void cutsAfter80CharactersAndSaysSo() {
        assertThat(Quoted.of("x".repeat(80))).isEqualTo("\"" + "x".repeat(80) + "\"");
        assertThat(Quoted.of("x".repeat(81))).isEqualTo("\"" + "x".repeat(80) + "…\"");
    }

    @Property
    void anyTextBecomesOneBoundedLine(@ForAll String text) {
        String quoted = Quoted.of(text);

        assertThat(quoted.lines()).hasSize(1);
        assertThat(quoted).hasSizeLessThanOrEqualTo(83).startsWith("\"").endsWith("\"");
        assertThat(quoted.substring(1, quoted.length() - 1)).doesNotContain("\"");
    }
}
