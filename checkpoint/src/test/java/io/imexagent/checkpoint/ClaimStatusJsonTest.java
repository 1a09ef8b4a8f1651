package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.JsonText;
import io.imexagent.host.json.MalformedJsonException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimStatusJsonTest {

    /**
     * Fields of Kubernetes 1.37, and one of no version yet, at every level: the status is the one without them, and so the
     * same version of a claim. {@code skipNodeOperations} tells the kubelet which calls to leave out, copied from a slice
     * (KEP-5945); no slice of ours has it, and a call that comes all the same is a call.
     */
    @Test
    void fieldsOfNewerServersChangeNothing() throws Exception {
        String today = """
                {"allocation":{"devices":{"results":[{"request":"channel","driver":"compute-domain.nvidia.com",\
                "pool":"node-1","device":"channel-0"%s}],"config":[{"source":"FromClaim","opaque":\
                {"driver":"compute-domain.nvidia.com","parameters":{"a":1}%s}%s}]%s}%s},\
                "reservedFor":[{"apiGroup":"scheduling.k8s.io","resource":"podgroups","name":"ring","uid":"g"%s}],\
                "devices":[{"driver":"compute-domain.nvidia.com","pool":"node-1","device":"channel-0"%s}]%s}\
                """;
        String newer = ",\"newer\":{\"a\":[1,{\"b\":null}]}";

        ClaimStatus status = ClaimStatusJson.read(today.formatted(
                ",\"skipNodeOperations\":[\"NodeUnprepareResources\"]" + newer,
                newer,
                newer,
                newer,
                newer,
                newer,
                newer,
                newer));

        assertThat(status).isEqualTo(ClaimStatusJson.read(today.formatted("", "", "", "", "", "", "", "")));
        assertThat(status.reservedFor()).singleElement().matches(ClaimStatus.ConsumerReference::isPodGroup);
    }

    @Test
    void readsEveryFieldThatItWrites() throws Exception {
        ClaimStatus status = LedgerSpecimens.everyField();

        assertThat(ClaimStatusJson.read(LedgerSpecimens.json(status))).isEqualTo(status);
    }

    @Test
    void writesAnEmptyStatus() {
        assertThat(LedgerSpecimens.json(new ClaimStatus(Optional.empty(), List.of(), List.of())))
                .isEqualTo("{}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"allocation\":null,\"reservedFor\":null,\"devices\":null}",
                "{\"newer\":[{\"a\":[1,\"x\",{}]}],\"reservedFor\":[]}",
                " { } "
            })
    void readsAnEmptyStatusInEveryForm(String json) throws Exception {
        assertThat(ClaimStatusJson.read(json)).isEqualTo(new ClaimStatus(Optional.empty(), List.of(), List.of()));
    }

    /** Left what the author wrote, right what is kept of it: as Go's json.Compact with HTML escaping. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "{ \"b\" : 1 , \"a\" : [ ] }|{\"b\":1,\"a\":[]}",
                "[1.0, 1e5,-0 ,10000000000000000000000]|[1.0,1e5,-0,10000000000000000000000]",
                "\" a  b \"|\" a  b \"",
                "\"<&>\"|\"\\u003c\\u0026\\u003e\"",
                "\"\\u003C\\u00e9\\/\"|\"\\u003C\\u00e9\\/\"",
                "\"a\\\" , \\\\\" |\"a\\\" , \\\\\"",
                "{\"a\\\\\": \" x\" }|{\"a\\\\\":\" x\"}",
                "\"é\uD83D\uDE00\"|\"é\uD83D\uDE00\"",
                "\"\u2028\u2029\"|\"\\u2028\\u2029\"",
                "true |true",
                " null|null",
                "12 |12",
                "{\"a\":1,\"a\":2}|{\"a\":1,\"a\":2}",
            })
    void keepsParametersAsTheirAuthorWroteThem(String written, String kept) throws Exception {
        assertThat(parameters(written)).isEqualTo(new JsonText(kept));
    }

    @Test
    void keepsParametersBetweenOtherFields() throws Exception {
        String json = "{\"allocation\":{\"devices\":{\"config\":[{\"opaque\":{\"parameters\":\n\t{ \"é\" : [ 1 ] }\n,"
                + "\"driver\":\"d\"},\"source\":\"FromClass\"}]}}}";

        var opaque = ClaimStatusJson.read(json)
                .allocation()
                .orElseThrow()
                .config()
                .getFirst()
                .opaque()
                .orElseThrow();

        assertThat(opaque.driver()).isEqualTo("d");
        assertThat(opaque.parameters().text()).isEqualTo("{\"é\":[1]}");
    }

    @Test
    void takesParametersThatAreMissingForNull() throws Exception {
        String json = "{\"allocation\":{\"devices\":{\"config\":[{\"source\":\"FromClaim\",\"opaque\":{}}]}}}";

        assertThat(LedgerSpecimens.json(ClaimStatusJson.read(json)))
                .contains("\"opaque\":{\"driver\":\"\",\"parameters\":null}");
    }

    @Test
    void escapesParametersThatCameInSomeOtherWay() {
        var status = new JsonText("{ \"a\": \"<\" }");

        assertThat(new String(new GoJson().verbatim(status.text()).toBytes(), UTF_8))
                .isEqualTo("{\"a\":\"\\u003c\"}");
    }

    /** Go reads a surrogate without a partner as U+FFFD, and writes that as it is. */
    @Test
    void writesASurrogateWithoutAPartnerAsTheReplacementCharacter() throws Exception {
        ClaimStatus status = ClaimStatusJson.read("{\"reservedFor\":[{\"name\":\"a\\ud800b\"}]}");

        assertThat(LedgerSpecimens.json(status)).contains("\"name\":\"a\uFFFDb\"");
    }

    @Test
    void countsTimesInWholeSecondsOfUtc() throws Exception {
        ClaimStatus status =
                ClaimStatusJson.read("{\"allocation\":{\"allocationTimestamp\":\"2026-11-21T07:46:49.5+02:00\"}}");

        assertThat(status.allocation().orElseThrow().timestamp()).contains(LedgerSpecimens.TIME);
        assertThat(LedgerSpecimens.json(status))
                .isEqualTo("{\"allocation\":{\"devices\":{},\"allocationTimestamp\":\"2026-11-21T05:46:49Z\"}}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    []                                                           | status: must be an object
                    {"allocation":1}                                             | status.allocation: must be an object
                    {"allocation":{"devices":{"results":{}}}}                    | status.allocation.devices.results: must be a list
                    {"allocation":{"devices":{"results":[1]}}}                   | status.allocation.devices.results[0]: must be an object
                    {"allocation":{"devices":{"results":[{},{"pool":7}]}}}       | status.allocation.devices.results[1].pool: must be a text
                    {"allocation":{"devices":{"results":[{"adminAccess":"x"}]}}} | status.allocation.devices.results[0].adminAccess: must be true or false
                    {"allocation":{"devices":{"results":[{"tolerations":[{"tolerationSeconds":1.5}]}]}}} | results[0].tolerations[0].tolerationSeconds: must be a whole number
                    {"allocation":{"devices":{"config":[{"source":"FromHell"}]}}} | status.allocation.devices.config[0].source: "FromHell" must be FromClass or FromClaim
                    {"allocation":{"devices":{"config":[{}]}}}                   | status.allocation.devices.config[0]: field "source" is missing
                    {"allocation":{"allocationTimestamp":"today"}}               | status.allocation.allocationTimestamp: "today" is no time of RFC 3339
                    {"allocation":{"allocationTimestamp":"+10000-01-01T00:00:00Z"}} | is no time of RFC 3339
                    {"reservedFor":[{"name":{}}]}                                | status.reservedFor[0].name: must be a text
                    {"reservedFor":[null]}                                       | status.reservedFor[0]: must be an object
                    {"allocation":{                                              | status.allocation: ends too early
                    {} {}                                                        | status: nothing may follow
                    {"a":tru}                                                    | status.a: is no JSON from byte
                    ~~                                                           | status: ends too early
                    """)
    void namesTheFieldThatIsWrong(String json, String message) {
        assertThatThrownBy(() -> ClaimStatusJson.read(json))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessageContaining(message);
    }

    @Test
    void boundsTheNesting() {
        String deep = "{\"a\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";

        assertThatThrownBy(() -> ClaimStatusJson.read(deep))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessage("status.a[0][0][0][0][0][0] is nested more than 200 levels deep");
    }

    @Test
    void refusesTextThatIsNoUtf8() {
        byte[] json = "{\"reservedFor\":[{\"name\":\"?\"}]}".getBytes(UTF_8);
        json[25] = (byte) 0xC3;

        assertThatThrownBy(() -> ClaimStatusJson.status(JsonValue.read(json, "status")))
                .isInstanceOf(MalformedJsonException.class);
    }

    private static JsonText parameters(String json) throws MalformedJsonException {
        return ClaimStatusJson.read("{\"allocation\":{\"devices\":{\"config\":[{\"source\":\"FromClaim\",\"opaque\":"
                        + "{\"driver\":\"d\",\"parameters\":" + json + "}}]}}}")
                .allocation()
                .orElseThrow()
                .config()
                .getFirst()
                .opaque()
                .orElseThrow()
                .parameters();
    }

    @Test
    void parametersOfAUserCostTheirBytesAndNoValueForEachPartOfThem() throws Exception {
        String parameters = "[" + "1,".repeat(1_000_000) + "1]";
        String status = "{\"allocation\":{\"devices\":{\"config\":[{\"source\":\"FromClaim\",\"opaque\":"
                + "{\"driver\":\"d\",\"parameters\":" + parameters + "}}]}}}";
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();

        ClaimStatus read = ClaimStatusJson.read(status);

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(20L * parameters.length());
        assertThat(read.allocation()
                        .orElseThrow()
                        .config()
                        .getFirst()
                        .opaque()
                        .orElseThrow()
                        .parameters()
                        .text())
                .isEqualTo(parameters);
    }
}
