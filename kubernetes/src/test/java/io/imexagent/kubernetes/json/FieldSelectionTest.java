package io.imexagent.kubernetes.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FieldSelectionTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int ROOM = 4_000;

    private static FieldSelection wanted() {
        return FieldSelection.of("a.b[].c", "a.c.*", "b[]", "c", "*").room(ROOM).identified();
    }

    private static JsonScanner body(String text) {
        return new JsonScanner(new ByteArrayInputStream(text.getBytes(UTF_8)));
    }

    private static FieldValues read(FieldSelection wanted, String text) throws IOException {
        return wanted.read(body(text));
    }

    @Property(tries = 2_000)
    void keepsNoMoreThanThereIsRoomForAndStandsBehindTheValue(@ForAll("values") Object value) throws IOException {
        JsonScanner body = body(MAPPER.writeValueAsString(List.of(value, "behind")));
        assertThat(body.next()).isEqualTo('[');
        var fields = new FieldValues("");
        try {
            wanted().read(body, body.next(), fields);
        } catch (UnreadableException notAnObject) {
            assertThat(value).isNotInstanceOf(Map.class);
        }

        assertThat(fields.spent()).isLessThanOrEqualTo(ROOM);
        assertThat(body.next()).isEqualTo(',');
        assertThat(body.next()).isEqualTo('"');
        assertThat(body.text(10)).contains("behind");
    }

    /** JSON with the names of wanted fields in all places, of any nesting. */
    @Provide
    Arbitrary<Object> values() {
        Arbitrary<Object> leaf = Arbitraries.oneOf(
                Arbitraries.strings().ofMaxLength(2_000),
                Arbitraries.longs(),
                Arbitraries.bigIntegers(),
                Arbitraries.doubles(),
                Arbitraries.of(true, false));
        Arbitrary<String> names = Arbitraries.of("a", "b", "c", "metadata", "uid", "x\"y", "[]");
        Arbitrary<Object> values = leaf;
        for (int level = 0; level < 6; level++) {
            Arbitrary<Object> inner = values;
            values = Arbitraries.oneOf(
                    leaf,
                    inner.list().ofMaxSize(4).map(Object.class::cast),
                    Arbitraries.maps(names, inner).ofMaxSize(4).map(Object.class::cast));
        }
        return values;
    }

    @Property(tries = 500)
    void readsTextsAsJacksonDoes(@ForAll String text) throws IOException {
        String escaped = text.chars().mapToObj("\\u%04x"::formatted).collect(Collectors.joining());

        assertThat(read(FieldSelection.of("a").longest(1 << 20, "a"), "{\"a\":\"" + escaped + "\"}")
                        .text("a"))
                .isEqualTo(text);
        String plain = MAPPER.writeValueAsString(Map.of("a", text));
        assertThat(read(FieldSelection.of("a").longest(1 << 20, "a"), plain).text("a"))
                .isEqualTo(MAPPER.readTree(plain.getBytes(UTF_8)).get("a").asText());
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\u12", "\\u12G4", "\\u"})
    void anEscapeThatIsNoneIsAFault(String escape) {
        assertThatThrownBy(() -> read(FieldSelection.of("a"), "{\"a\":\"" + escape + "\"}"))
                .isInstanceOf(UnreadableException.class);
    }

    @Test
    void aTextMayHaveAsManyBytesAsItsLimitSays() throws IOException {
        FieldSelection wanted = FieldSelection.of("a", "b").longest(2_000, "b");
        assertThatThrownBy(() -> read(wanted, document(1_025, 1)).requireSound())
                .hasMessage("a has more than 1024 bytes");
        assertThatThrownBy(() -> read(wanted, document(1, 2_001)).requireSound())
                .hasMessage("b has more than 2000 bytes");

        FieldValues largest = read(wanted, document(1_024, 2_000));
        largest.requireSound();
        assertThat(largest.text("a")).hasSize(1_024);
        assertThat(largest.text("b")).hasSize(2_000);
    }

    @Test
    void aNoteThatIsTooLongCountsAsNotThere() throws IOException {
        FieldSelection wanted = FieldSelection.of("c").note("a", "x.y/z").identified();
        FieldValues noted = read(wanted, "{\"a\":{\"x.y/z\":\"v\",\"x\":{\"y/z\":\"w\"}}}");
        assertThat(noted.text("a.x.y/z")).isEqualTo("v");
        assertThat(noted.count("a")).isEqualTo(2);

        FieldValues tooLong = read(wanted, "{\"a\":{\"x.y/z\":\"" + "v".repeat(1_025) + "\"},\"c\":\"d\"}");
        tooLong.requireSound();
        assertThat(tooLong.has("a.x.y/z")).isFalse();
        assertThat(tooLong.text("c")).isEqualTo("d");
    }

    private static String document(int a, int b) {
        return "{\"a\":\"" + "x".repeat(a) + "\",\"b\":\"" + "y".repeat(b) + "\"}";
    }

    @Test
    void ofAnObjectThatIsTooLargeItIsKnownWhichOneItIsWhereverThatStands() throws IOException {
        String labels = "\"labels\":{\"k\":\"v\"" + ",\"k\":\"v\"".repeat(10_000) + "}";
        FieldValues fields = read(
                FieldSelection.ofObject("metadata.labels.*"),
                "{\"metadata\":{" + labels + ",\"name\":\"a\",\"namespace\":\"team\",\"uid\":\"u\"}}");

        assertThatThrownBy(fields::requireSound).hasMessage("what is wanted of it takes more than 262144 bytes");
        assertThat(fields.path()).isEqualTo("team/a");
        assertThat(fields.text("metadata.uid")).isEqualTo("u");
    }
}
