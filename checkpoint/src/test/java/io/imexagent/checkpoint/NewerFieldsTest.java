package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.imexagent.core.ledger.Ledger;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Fields that this version does not know, in each object of a claim's status and of the public driver's checkpoint: what is
 * read is the same. What the kubelet keeps is read strictly instead, see {@link KubeletClaims} and {@link KubeletDriverState}.
 */
class NewerFieldsTest {

    /** Objects whose every member is content. */
    private static final Set<String> CONTENT = Set.of("parameters", "data", "consumedCapacity");

    @ParameterizedTest
    @ValueSource(
            strings = {"null", "true", "7", "\"text\"", "[[],{\"name\":\"other\"}]", "{\"driver\":{\"pool\":[1.5]}}"})
    void changeNothingInTheStatusOfAClaim(String value) throws Exception {
        String sound = LedgerSpecimens.json(LedgerSpecimens.everyField());
        List<Integer> objects = objects(sound);
        assertThat(objects).hasSizeGreaterThan(10);

        for (int at : objects) {
            String newer = with(sound, at, value);
            assertThat(ClaimStatusJson.read(newer)).as(newer).isEqualTo(LedgerSpecimens.everyField());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"completed", "without-clique", "started", "aborted"})
    void changeNothingInAClaimOfThePublicDriversCheckpoint(String name) throws Exception {
        byte[] recorded = LedgerSpecimens.resource("public-driver-0.5/" + name + ".json");
        String sound = new String(
                JsonValue.read(recorded, "")
                        .required("v2", v2 -> v2.required("preparedClaims", claims -> claims))
                        .bytes(),
                UTF_8);
        Ledger expected = ledger(sound);
        assertThat(expected.entries()).isNotEmpty();

        for (int at : objects(sound)) {
            // The outermost object has the claims themselves by their UIDs.
            if (at > 0) {
                String newer = with(sound, at, "{\"device\":[7,{\"id\":\"text\"},null]}");
                assertThat(ledger(newer)).as(newer).isEqualTo(expected);
            }
        }
    }

    private static Ledger ledger(String claims) {
        var decoded = CheckpointFormat.PUBLIC_DRIVER.decode(
                LedgerSpecimens.summed(claims).getBytes(UTF_8));
        assertThat(decoded).isInstanceOf(CheckpointFormat.Decoded.IntactCheckpoint.class);
        return ((CheckpointFormat.Decoded.IntactCheckpoint) decoded).ledger();
    }

    /** The JSON with one field more in the object that begins at the index. */
    private static String with(String json, int at, String value) {
        String rest = json.substring(at + 1);
        return json.substring(0, at + 1) + "\"newerField\":" + value + (rest.startsWith("}") ? "" : ",") + rest;
    }

    /** Where each object begins whose members are fields. */
    private static List<Integer> objects(String json) throws IOException {
        var found = new ArrayList<Integer>();
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token != JsonToken.START_OBJECT) {
                    continue;
                }
                String name = parser.getParsingContext().getParent().getCurrentName();
                if (name != null && CONTENT.contains(name)) {
                    parser.skipChildren();
                } else {
                    found.add((int) parser.currentTokenLocation().getCharOffset());
                }
            }
        }
        return found;
    }
}
