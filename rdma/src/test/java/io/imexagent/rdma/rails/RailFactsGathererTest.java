package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.dra.claim.ClaimFacts.ClaimLookup;
import io.imexagent.dra.claim.ClaimFacts.PodLookup;
import io.imexagent.dra.claim.Gathered;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Claims;
import io.imexagent.kubernetes.Pods;
import io.imexagent.rdma.dra.NetdevSupport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Kubernetes and the container runtime are asked about a claim for rails, and when they are not. */
class RailFactsGathererTest {

    private static final ClaimRef REF = new ClaimRef(new ClaimName("team", "rails"), new ClaimUid("uid-rails"));
    private static final String POD = "{\"resource\":\"pods\",\"name\":\"train-0\",\"uid\":\"pod-uid\"}";

    @TempDir
    Path folder;

    private final Map<String, Pods.PodObject> pods = new HashMap<>();
    private final AtomicInteger podReads = new AtomicInteger();
    private Optional<ApiFailure> podFailure = Optional.empty();
    private Optional<Path> runtime = Optional.empty();

    @Test
    void aClaimThatMovesNothingCostsNoReadOfAPodAndNoQuestionToTheRuntime() throws IOException {
        runtime = Optional.of(runtime());

        Gathered gathered = gather(status("Verbs", POD));

        assertThat(gathered.facts().claim()).isInstanceOf(ClaimLookup.Found.class);
        assertThat(gathered.facts().pod()).isEqualTo(new PodLookup.NotAsked());
        assertThat(podReads).hasValue(0);
        assertThat(folder.resolve("asked")).doesNotExist();
    }

    @Test
    void aClaimThatMovesAnInterfaceIsToldItsPodAndTheRuntimeIsAsked() throws IOException {
        runtime = Optional.of(runtime());
        pods.put("team/train-0", new Pods.PodObject("pod-uid", false, Map.of("rails", 1, "other", 3)));
        RuntimeProbe probe = probe();

        Gathered gathered = gatherer(status("Netdev", POD), probe).gather(REF);

        assertThat(gathered.facts().pod()).isEqualTo(new PodLookup.Found("train-0", false, 1));
        assertThat(probe.current()).isInstanceOf(NetdevSupport.Supported.class);
    }

    @ParameterizedTest
    @CsvSource({"true, rails, 1, 1", "false, rails, 2, 2", "false, another, 1, 0"})
    void thePodsNetworkAndTheContainersOfThisClaimAreWhatCounts(
            boolean hostNetwork, String claim, int containers, int expected) {
        pods.put("team/train-0", new Pods.PodObject("pod-uid", hostNetwork, Map.of(claim, containers)));

        assertThat(gather(status("Netdev", POD)).facts().pod())
                .isEqualTo(new PodLookup.Found("train-0", hostNetwork, expected));
    }

    @Test
    void aPodThatIsGoneOrAnotherOfItsNameIsNotThePod() {
        assertThat(gather(status("Netdev", POD)).facts().pod()).isEqualTo(new PodLookup.NotOne("pod train-0 is gone"));

        pods.put("team/train-0", new Pods.PodObject("another-uid", false, Map.of("rails", 1)));
        assertThat(gather(status("Netdev", POD)).facts().pod()).isEqualTo(new PodLookup.NotOne("pod train-0 is gone"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "~~ | 0",
                "~{\"resource\":\"pods\",\"name\":\"a\",\"uid\":\"1\"},{\"resource\":\"pods\",\"name\":\"b\",\"uid\":\"2\"}~"
                        + " | 2",
                "~{\"apiGroup\":\"x\",\"resource\":\"workloads\",\"name\":\"a\",\"uid\":\"1\"}~ | 1"
            })
    void aClaimOfNoPodOrOfSeveralHasNoOnePod(String users, int count) {
        assertThat(gather(status("Netdev", users)).facts().pod())
                .isEqualTo(new PodLookup.NotOne("the claim is reserved for " + count + " users"));
        assertThat(podReads).hasValue(0);
    }

    @Test
    void aPodThatCannotBeReadIsAFailureOfTheApiAndTheClaimIsKnownAllTheSame() {
        podFailure = Optional.of(
                new ApiFailure(ApiFailure.Kind.FORBIDDEN, "user alice lacks the verb get on pods", Optional.empty()));

        Gathered gathered = gather(status("Netdev", POD));

        assertThat(gathered.facts().claim()).isInstanceOf(ClaimLookup.Found.class);
        assertThat(gathered.facts().pod()).isEqualTo(new PodLookup.Failed("user alice lacks the verb get on pods"));
    }

    @Test
    void aServerThatRestsIsAskedAgainNotBefore() {
        var throttled =
                new ApiFailure(ApiFailure.Kind.THROTTLED, "the API server is busy", Optional.of(Duration.ofSeconds(7)));
        Claims busy = name -> {
            throw new ApiException(throttled);
        };

        Gathered gathered = new RailFactsGatherer(busy, this::pod, "node-1", probe()).gather(REF);

        assertThat(gathered.facts().claim()).isEqualTo(new ClaimLookup.Failed("the API server is busy"));
        assertThat(gathered.restFor()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void aClaimWithABentConfigurationIsNotAskedAboutFurther() {
        String bent = status("Netdev", POD).replace("\"mode\"", "\"mood\"");

        assertThat(gather(bent).facts().pod()).isEqualTo(new PodLookup.NotAsked());
        assertThat(podReads).hasValue(0);
    }

    private Gathered gather(String status) {
        return gatherer(status, probe()).gather(REF);
    }

    private RailFactsGatherer gatherer(String status, RuntimeProbe probe) {
        return new RailFactsGatherer(
                name -> Optional.of(new Claims.ClaimObject(name, REF.uid().value(), false, status)),
                this::pod,
                "node-1",
                probe);
    }

    private Optional<Pods.PodObject> pod(String namespace, String name) throws ApiException {
        podReads.incrementAndGet();
        if (podFailure.isPresent()) {
            throw new ApiException(podFailure.get());
        }
        return Optional.ofNullable(pods.get(namespace + "/" + name));
    }

    private RuntimeProbe probe() {
        return new RuntimeProbe(() -> runtime, new ArpHook(Path.of("/bin/sh"), List.of(folder)));
    }

    /** A runtime that can move interfaces, and leaves a mark when it is asked. */
    private Path runtime() throws IOException {
        Files.copy(Path.of("/bin/true"), folder.resolve("nsenter"), StandardCopyOption.REPLACE_EXISTING);
        Path file = Files.writeString(folder.resolve("runc"), """
            #!/bin/sh
            touch "$(dirname "$0")/asked"
            echo '{"linux":{"netDevices":{"enabled":true}}}'
            """);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file;
    }

    private static String status(String mode, String users) {
        List<String> parts = List.of(
                "{\"allocation\":{\"devices\":{\"results\":[{\"request\":\"nics\",\"driver\":\"rdma.imexagent.io\","
                        + "\"pool\":\"node-1\",\"device\":\"rail-0000-03-00-0\"}],\"config\":[{\"source\":\"FromClaim\","
                        + "\"requests\":[],\"opaque\":{\"driver\":\"rdma.imexagent.io\",\"parameters\":"
                        + "{\"apiVersion\":\"rdma.imexagent.io/v1alpha1\",\"kind\":\"RdmaRailConfig\",\"mode\":\"",
                mode,
                "\"}}}]}},\"reservedFor\":[",
                users,
                "]}");
        return String.join("", parts);
    }
}
