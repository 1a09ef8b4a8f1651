package io.imexagent.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.kubernetes.Claims.ClaimObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeJsonTest {

    private static final ClaimName NAME = new ClaimName("ns", "claim");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"z\":1.0,\"a\":1e3,\"n\":12345678901234567890123,\"b\":-0.0}",
                "{\"text\":\"\\u003cä\uD83D\uDE80}\\\"{\",\"nested\":[{\"uid\":\"no\"},{}]}",
                "{\"allocation\":{\"devices\":{\"config\":[{\"opaque\":{\"parameters\":{\"b\":1,\"a\":2}}}]}}}"
            })
    void keepsTheStatusAsTheServerWroteIt(String status) throws IOException {
        ClaimObject first = decode("{\"metadata\":{\"uid\":\"u\",\"name\":\"ä\uD83D\uDE80\"},\"spec\":{\"status\":{}},"
                + "\"status\":" + status + "}");
        ClaimObject last = decode("{\"status\":" + status + ",\"metadata\":{\"uid\":\"u\"}}\n");

        assertThat(first.statusJson()).isEqualTo(status);
        assertThat(last.statusJson()).isEqualTo(status);
    }

    @Test
    void readsUidAndDeletionOfTheClaimItself() throws IOException {
        ClaimObject claim = decode("""
                {"metadata":{"ownerReferences":[{"uid":"pod"}],"uid":"mine","deletionTimestamp":"2026-11-21T08:00:00Z"},
                "spec":{"metadata":{"uid":"other"}},"status":null}""");

        assertThat(claim).isEqualTo(new ClaimObject(NAME, "mine", true, "{}"));
        assertThat(decode("{\"metadata\":{\"uid\":\"u\",\"deletionTimestamp\":null}}")
                        .deleting())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "[]", "<html>", "{}", "{\"metadata\":{}}", "{\"metadata\":{\"uid\":\"u\"},\"status\":{"})
    void refusesWhatIsNoClaim(String body) {
        assertThatThrownBy(() -> decode(body)).isInstanceOf(IOException.class);
    }

    @Property(tries = 500)
    void throwsNothingUnforeseenOnArbitraryBytes(@ForAll byte[] body) {
        try {
            assertThat(decode(body).uid()).isNotEmpty();
        } catch (IOException e) {
            assertThat(e).isNotNull();
        }
    }

    @Property(tries = 500)
    void throwsNothingUnforeseenOnTruncatedClaims(@ForAll short cut) {
        byte[] claim =
                "{\"metadata\":{\"uid\":\"u\"},\"status\":{\"a\":[1,{\"b\":\"ä\"}]}}".getBytes(StandardCharsets.UTF_8);
        byte[] body = Arrays.copyOf(claim, Math.floorMod(cut, claim.length));

        assertThatThrownBy(() -> decode(body)).isInstanceOf(IOException.class);
    }

    private static ClaimObject decode(String body) throws IOException {
        return decode(body.getBytes(StandardCharsets.UTF_8));
    }

    private static ClaimObject decode(byte[] body) throws IOException {
        return NodeJson.claim(NAME).decode(new JsonScanner(new ByteArrayInputStream(body)).object());
    }
}
