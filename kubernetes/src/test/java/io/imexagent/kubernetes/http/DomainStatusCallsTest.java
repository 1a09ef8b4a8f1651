package io.imexagent.kubernetes.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.DomainStatus;
import io.imexagent.kubernetes.DomainCondition;
import io.imexagent.kubernetes.DomainCondition.ConditionStatus;
import io.imexagent.kubernetes.ObjectRef;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The status of a ComputeDomain as it is written, and as it is read. */
class DomainStatusCallsTest {

    private static final String TRAIN = "/apis/resource.nvidia.com/v1beta1/namespaces/team/computedomains/train";
    private static final Instant TEN = Instant.parse("2026-11-21T10:00:00Z");
    private static final DomainObject OBSERVED = new DomainObject(
            new ObjectRef("u", "team", "train", "7"),
            1,
            false,
            List.of(),
            "channel",
            "Single",
            new DomainStatus(false, List.of()),
            "");
    private static final DomainCondition READY =
            new DomainCondition("Ready", ConditionStatus.TRUE, "TemplateReady", "it is there", 1, TEN);

    @TempDir
    Path folder;

    private StubServer server;
    private HttpControlPlane cluster;

    @BeforeEach
    void start() throws IOException {
        server = StubServer.plain();
        cluster = new ClientFixture().controlPlane(folder, "http://127.0.0.1:" + server.port(), Duration.ofSeconds(60));
    }

    @AfterEach
    void stop() {
        cluster.close();
        server.close();
    }

    private DomainObject written(String conditions) throws ApiException {
        server.on("PATCH " + TRAIN + "/status", 200, """
                {"metadata":{"uid":"u","namespace":"team","name":"train","resourceVersion":"8","generation":3},
                 "spec":{"channel":{"resourceClaimTemplate":{"name":"channel"},"allocationMode":"Single"}},
                 "status":{"status":"Ready"%s}}""".formatted(conditions));
        return cluster.setStatus(OBSERVED, new DomainStatus(true, List.of(READY)));
    }

    @Test
    void statusAndConditionsAreOnePatchOfTheStateThatWasObserved() throws Exception {
        written("");

        assertThat(server.requests()).hasSize(1);
        var mapper = new ObjectMapper();
        assertThat(mapper.readTree(server.requests().getFirst().body())).isEqualTo(mapper.readTree("""
                {"metadata":{"uid":"u","resourceVersion":"7"},
                 "status":{"status":"Ready","conditions":[{"type":"Ready","status":"True","observedGeneration":1,
                  "lastTransitionTime":"2026-11-21T10:00:00Z","reason":"TemplateReady","message":"it is there"}]}}"""));
    }

    private static final String BILLED = """
            {"type":"Billed","status":"True","lastTransitionTime":"2026-11-20T08:00:00.5Z","reason":"Paid",
             "message":"%s","observedGeneration":7,"account":{"name":"research","share":0.5}}""";

    private String patchBeside(String billed) throws Exception {
        String there = """
                {"metadata":{"uid":"u","namespace":"team","name":"train","resourceVersion":"7"},
                 "spec":{"channel":{"resourceClaimTemplate":{"name":"channel"},"allocationMode":"Single"}},
                 "status":{"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2026-11-20T08:00:00Z",
                  "reason":"NoTemplate","message":""},%s]}}""".formatted(billed);
        server.on("GET " + TRAIN, 200, there);
        server.on("PATCH " + TRAIN + "/status", 200, there);
        DomainObject observed = cluster.setStatus(OBSERVED, new DomainStatus(false, List.of(READY)));

        cluster.setStatus(observed, new DomainStatus(true, List.of(READY)));
        return server.requests().getLast().body();
    }

    @Test
    void conditionsOfOthersAreWrittenBackAsTheyAre() throws Exception {
        String billed = BILLED.formatted("x".repeat(32768));

        var patch = new ObjectMapper().readTree(patchBeside(billed));

        assertThat(patch.at("/status/conditions")).hasSize(2);
        assertThat(patch.at("/status/conditions/0/reason").asText()).isEqualTo("TemplateReady");
        assertThat(patch.at("/status/conditions/1")).isEqualTo(new ObjectMapper().readTree(billed));
        assertThat(patch.at("/metadata/resourceVersion").asText()).isEqualTo("7");
    }

    @Test
    void conditionsOfOthersThatAreTooLargeToReadAreLeftAlone() throws Exception {
        var patch = new ObjectMapper().readTree(patchBeside(BILLED.formatted("x".repeat(300_000))));

        assertThat(patch.at("/status/status").asText()).isEqualTo("Ready");
        assertThat(patch.at("/status").has("conditions")).isFalse();
    }

    @Test
    void whatTheServerKeepsIsReadAsItWasWritten() throws Exception {
        DomainObject now = written("""
                ,"conditions":[{"lastTransitionTime":"2026-11-21T10:00:00Z","message":"it is there",
                "observedGeneration":1,"reason":"TemplateReady","status":"True","type":"Ready"}]""");

        assertThat(now.status()).isEqualTo(new DomainStatus(true, List.of(READY)));
        assertThat(now.generation()).isEqualTo(3);
        assertThat(written("").status()).isEqualTo(new DomainStatus(true, List.of()));
    }

    @Test
    void aMessageOfTheGreatestLengthComesBackWhateverItIsMadeOf() throws Exception {
        String quotes = "<".repeat(600);
        var longest = new DomainCondition("Ready", ConditionStatus.TRUE, "R", quotes, 1, TEN.plusMillis(7));
        String asGoWritesIt = longest.message().replace("<", "\\u003c");
        assertThat(longest.message()).hasSize(512);

        DomainObject now = written("""
                ,"conditions":[{"lastTransitionTime":"2026-11-21T10:00:00Z","message":"%s",
                "observedGeneration":1,"reason":"R","status":"True","type":"Ready"}]""".formatted(asGoWritesIt));

        assertThat(now.status().conditions()).containsExactly(longest);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"Odd\",\"status\":\"Maybe\",\"lastTransitionTime\":\"2026-11-21T10:00:00Z\"}",
                "{\"type\":\"Odd\",\"status\":\"True\",\"lastTransitionTime\":\"yesterday\"}",
                "{\"type\":\"Odd\",\"status\":\"True\"}",
                "{}",
                "null",
                "7"
            })
    void whatIsNoConditionIsLeftOut(String odd) throws Exception {
        DomainObject now = written("""
                ,"conditions":[%s,{"lastTransitionTime":"2026-11-21T10:00:00Z","message":"it is there",
                "observedGeneration":1,"reason":"TemplateReady","status":"True","type":"Ready"}]""".formatted(odd));

        assertThat(now.status().conditions()).containsExactly(READY);
    }

    @Test
    void fiveThousandComputeDomainsOfOneNamespaceHaveRoomInTheHeapOfAController() throws Exception {
        DomainObject domain = written("""
                ,"conditions":[%s,%s,%s]""".formatted(
                        kept("Ready", "TemplateReady", 68),
                        kept("ChannelBound", "ChannelAssigned", 90),
                        kept("Degraded", "ChannelConflict", 300)));

        assertThat(domain.status().conditions()).hasSize(3);
        long heap = 120L << 20;
        assertThat(HttpDomains.DOMAIN.cost().applyAsInt(domain)).isLessThan((int) (heap / 4 / 2 / 5000));
    }

    @Test
    void theMostAndLongestConditionsThatTheDefinitionAdmitsAreRead() throws Exception {
        String longest = Stream.of("a", "b", "c", "d", "e", "f", "g")
                .map(type -> "," + kept(type.repeat(316), "R".repeat(1024), 4000))
                .collect(Collectors.joining());

        DomainObject domain = written(",\"conditions\":[" + kept("Ready", "TemplateReady", 512) + longest + "]");

        assertThat(domain.status().conditions()).hasSize(8);
    }

    private static String kept(String type, String reason, int length) {
        return """
            {"type":"%s","status":"True","reason":"%s","message":"%s","observedGeneration":1,
             "lastTransitionTime":"2026-11-21T10:00:00Z"}""".formatted(type, reason, "m".repeat(length));
    }

    @Test
    void aMessageThatNoControllerWritesCountsAsNone() throws Exception {
        DomainObject now = written("""
                ,"conditions":[{"lastTransitionTime":"2026-11-21T10:00:00Z","message":"%s",
                "observedGeneration":1,"reason":"TemplateReady","status":"True","type":"Ready"}]""".formatted("x".repeat(32768)));

        assertThat(now.status().conditions())
                .containsExactly(new DomainCondition("Ready", ConditionStatus.TRUE, "TemplateReady", "", 1, TEN));
    }
}
