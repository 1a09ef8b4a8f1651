package io.imexagent.kubernetes.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.imexagent.host.json.JsonTrees;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jackson's own mapper is the oracle. */
class JsonTreesTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "null",
                "true",
                "\"text \\u2028 < \\\" \\\\ \\n\"",
                "1",
                "-2147483649",
                "123456789012345678901234567890",
                "1.5",
                "1e300",
                "{\"a\":{\"b\":[1,2,{\"c\":null}],\"d\":\"x\"},\"e\":false}",
                "{\"twice\":1,\"twice\":2}",
                "[1] [2]"
            })
    void readsAndWritesAsTheMapperDoes(String json) throws IOException {
        JsonNode expected = MAPPER.readTree(json);

        JsonNode tree = read(bytes(json));

        assertThat(tree).isEqualTo(expected);
        assertThat(JsonTrees.text(tree)).isEqualTo(MAPPER.writeValueAsString(expected));
    }

    @Test
    void readsNothingAsMissing() throws IOException {
        assertThat(read(new byte[0])).isEqualTo(MAPPER.readTree(new byte[0]));
    }

    @Test
    void readsYamlAsTheMapperDoes() throws IOException {
        String yaml = """
                apiVersion: v1
                kind: Config
                clusters: [{name: a, cluster: {server: "https://x:6443", insecure-skip-tls-verify: true}}]
                number: 017
                anchor: &a text
                alias: *a
                empty:
                binary: !!binary aGVsbG8=
                """;

        JsonNode tree = JsonTrees.value(new YAMLFactory().createParser(bytes(yaml)));

        assertThat(tree).isEqualTo(new ObjectMapper(new YAMLFactory()).readTree(yaml));
    }

    @Test
    void writesDecimalsAsTheyAre() {
        var decimal = JsonTrees.object().put("n", new BigDecimal("1.10"));

        assertThat(JsonTrees.text(decimal)).isEqualTo("{\"n\":1.10}");
    }

    @Test
    void refusesADepthThatWouldExhaustTheStack() {
        String deep = "[".repeat(100_000);

        assertThatThrownBy(() -> read(bytes(deep)))
                .isInstanceOf(JsonProcessingException.class)
                .hasMessageContaining("nesting depth");
    }

    @Property
    void failsOnAnyBytesByItsOwnExceptionOnly(@ForAll @Size(max = 40) byte[] any) {
        try {
            assertThat(read(any)).isEqualTo(MAPPER.readTree(any));
        } catch (JsonProcessingException malformed) {
            assertThatThrownBy(() -> MAPPER.readTree(any)).isInstanceOf(JsonProcessingException.class);
        } catch (IOException encoding) {
            assertThatThrownBy(() -> MAPPER.readTree(any)).isInstanceOf(IOException.class);
        }
    }

    private static JsonNode read(byte[] json) throws IOException {
        return JsonTrees.value(new JsonFactory().createParser(json));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
