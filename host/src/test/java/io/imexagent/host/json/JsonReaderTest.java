package io.imexagent.host.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class JsonReaderTest {

    private static final JsonReader READER = new JsonReader(64, 3);

    @Test
    void readsTheOnlyValueOfAText() throws Exception {
        assertThat(whole(READER, " {\"a\":[1]} ")).isEqualTo(5);
    }

    @Test
    void refusesMoreBytesThanItsBound() {
        assertRefused(READER, '"' + "x".repeat(63) + '"', "root: is longer than 64 bytes");
    }

    @Test
    void refusesMoreLevelsThanItsBoundAndNamesThePlace() {
        assertThatThrownBy(() -> whole(READER, "{\"a\":[{\"b\":[]}]}"))
                .isInstanceOfSatisfying(
                        MalformedJsonException.class,
                        e -> assertThat(e.tooDeep()).isTrue())
                .hasMessageStartingWith("root.a[0].b")
                .hasMessageEndingWith(" is nested more than 3 levels deep");
    }

    @Test
    void refusesNumbersBeyondAnyUse() {
        assertRefused(
                new JsonReader(4096, 3),
                "{\"a\":" + "9".repeat(2000) + "}",
                "root.a: has a name or a number that is too long");
    }

    @Test
    void refusesWhatStandsBehindTheValueWhereTheWholeTextIsMeant() throws Exception {
        assertRefused(READER, "{} {}", "root: nothing may follow");
        assertThat(READER.<Integer, RuntimeException>first("{} {}".getBytes(UTF_8), "root", JsonReaderTest::tokens))
                .isEqualTo(1);
    }

    @Test
    void refusesANameThatIsThereTwiceWhereThatIsAskedFor() throws Exception {
        String twice = "{\"a\":1,\"a\":2}";

        assertThat(whole(READER, twice)).isEqualTo(5);
        assertThatThrownBy(() -> whole(new JsonReader(64, 3, StreamReadFeature.STRICT_DUPLICATE_DETECTION), twice))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessageContaining("Duplicate");
    }

    @Test
    void namesThePlaceOfBrokenText() {
        assertRefused(READER, "", "root: ends too early");
        assertRefused(READER, "{\"a\":\"b", "root.a: ends too early");
        assertThatThrownBy(() -> whole(READER, "{\"a\":x}"))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessageStartingWith("root.a: ");
    }

    private static void assertRefused(JsonReader reader, String json, String message) {
        assertThatThrownBy(() -> whole(reader, json))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessage(message);
    }

    private static int whole(JsonReader reader, String json) throws MalformedJsonException {
        return reader.<Integer, RuntimeException>whole(json.getBytes(UTF_8), "root", JsonReaderTest::tokens);
    }

    /** How many tokens follow the first one of the value. */
    private static int tokens(JsonParser parser) throws IOException {
        int tokens = 0;
        int open = parser.currentToken().isStructStart() ? 1 : 0;
        while (open > 0) {
            parser.nextToken();
            tokens++;
            open += parser.currentToken().isStructStart()
                    ? 1
                    : parser.currentToken().isStructEnd() ? -1 : 0;
        }
        return tokens;
    }
}
