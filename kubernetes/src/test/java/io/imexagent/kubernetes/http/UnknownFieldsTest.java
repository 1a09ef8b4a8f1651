package io.imexagent.kubernetes.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.Decoding;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Fields that this version does not know, before and behind the others of each object in each kind of object: what is read
 * is the same. So agent and controller see no change where a later server, or whoever else writes an object, adds a field.
 */
class UnknownFieldsTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Names that are known elsewhere must not be taken for those. */
    private static final List<String> VALUES = List.of(
            "null",
            "true",
            "7",
            "\"text\"",
            "[]",
            "[null,[{\"name\":\"other\"}],1.5]",
            "{\"name\":\"other\",\"channel\":9,\"metadata\":{\"uid\":\"other\"},\"spec\":{\"devices\":[{\"name\":\"other\"}]}}");

    /**
     * Objects whose every member is content: maps, and of a template what its claims get, where a member more makes it
     * another template. The status of a claim is kept as it was written, and read by {@code ClaimStatusJson}.
     */
    private static final Set<String> CONTENT = Set.of(
            "/metadata/labels",
            "/metadata/annotations",
            "/spec/devices/0/attributes",
            "/spec/metadata",
            "/spec/metadata/annotations",
            "/spec/spec/devices/config/0/opaque/parameters");

    private static final Set<String> CLAIMS = Set.of("own claim", "resourceclaim-allocated");

    static Stream<Arguments> made() {
        return WrongTypesTest.kinds().map(kind -> {
            Object[] of = kind.get();
            return Arguments.of(of[0], of[1], WrongTypesTest.sound((String) of[2]));
        });
    }

    static Stream<Arguments> recorded() throws IOException {
        return Stream.of(
                recorded("resourceclaim-allocated", HttpKubernetesApi.claim(new ClaimName("default", "a"))),
                recorded("resourceslice", HttpSlices.decoder(RecordedObjectsContract.NODE)),
                recorded("computedomain", HttpDomains.DOMAIN),
                recorded("resourceclaimtemplate-by-controller", HttpTemplates.TEMPLATE),
                recorded("nvlinknode", HttpFabric.NODE),
                recorded("nvlinkclique", HttpFabric.CLIQUE));
    }

    private static Arguments recorded(String kind, Decoder<?> decoder) throws IOException {
        return Arguments.of(
                kind, decoder, RecordedObjectsContract.recorded(kind).toString());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"made", "recorded"})
    void changeNothingThatIsRead(String kind, Decoder<?> decoder, String sound) throws IOException {
        Object expected = Decoding.of(decoder, sound);
        List<String> places = places("", MAPPER.readTree(sound)).stream()
                .filter(place -> !CONTENT.contains(place) && !(CLAIMS.contains(kind) && place.startsWith("/status")))
                .toList();
        assertThat(places).contains("", "/metadata");

        for (String place : places) {
            for (String value : VALUES) {
                JsonNode later = MAPPER.readTree(sound);
                add((ObjectNode) later.at(place), MAPPER.readTree(value));

                assertThat(Decoding.of(decoder, later.toString()))
                        .as("%s at \"%s\"", value, place)
                        .isEqualTo(expected);
            }
        }
    }

    private static void add(ObjectNode object, JsonNode value) {
        ObjectNode known = object.deepCopy();
        object.removeAll();
        object.set("laterField", value);
        object.setAll(known);
        object.set("yetLater", value);
    }

    /** The JSON pointer of each object in a value. */
    private static List<String> places(String at, JsonNode node) {
        var places = new ArrayList<String>();
        if (node instanceof ObjectNode object) {
            places.add(at);
            object.properties()
                    .forEach(field -> places.addAll(places(at + "/" + pointer(field.getKey()), field.getValue())));
        } else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                places.addAll(places(at + "/" + i, array.get(i)));
            }
        }
        return places;
    }

    private static String pointer(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }
}
