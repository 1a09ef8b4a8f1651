package io.imexagent.kubernetes.http;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.kubernetes.Claims.ClaimObject;
import io.imexagent.kubernetes.Claims.ClaimStatusText;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.json.JsonScanner;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpKubernetesApiTest {

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

        assertThat(first.status()).isEqualTo(new ClaimStatusText.WholeStatus(status));
        assertThat(last.status()).isEqualTo(new ClaimStatusText.WholeStatus(status));
    }

    @Test
    void readsUidAndDeletionOfTheClaimItself() throws IOException {
        ClaimObject claim = decode("""
                {"metadata":{"ownerReferences":[{"uid":"pod"}],"uid":"mine","annotations":{"note":"n","imexagent.io/compute-domain":"d"},"deletionTimestamp":"2026-11-21T08:00:00Z"},
                "spec":{"metadata":{"uid":"other"}},"status":null}""");

        assertThat(claim)
                .isEqualTo(new ClaimObject(
                        NAME,
                        "mine",
                        true,
                        Map.of(DriverNames.DOMAIN_ANNOTATION, "d"),
                        new ClaimStatusText.WholeStatus("{}")));
        assertThat(decode("{\"metadata\":{\"uid\":\"u\",\"deletionTimestamp\":null}}")
                        .deleting())
                .isFalse();
    }

    @Test
    void readsAClaimWithAnnotationsAsLargeAsTheServerTakes() throws IOException {
        String text = "x".repeat(256 << 10);
        for (String annotations : List.of(
                "{\"note\":\"" + text + "\"}",
                "{\"" + text + "\":\"\"}",
                "{\"imexagent.io/compute-domain\":\"" + text + "\"}",
                IntStream.range(0, 40_000).mapToObj(i -> "\"" + i + "\":\"\"").collect(joining(",", "{", "}")))) {
            ClaimObject claim = decode("{\"metadata\":{\"uid\":\"u\",\"annotations\":" + annotations + "}}");

            assertThat(claim.annotations()).isEmpty();
        }
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
        return HttpKubernetesApi.claim(NAME).decode(new JsonScanner(new ByteArrayInputStream(body)));
    }
}
