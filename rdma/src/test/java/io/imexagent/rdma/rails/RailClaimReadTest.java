package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.ReadClaim;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.GroupPods;
import io.imexagent.kubernetes.Pods;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.rails.RuntimeProbe.ArpHook;
import io.imexagent.rdma.rails.RuntimeProbe.NetdevSupport;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import io.imexagent.rdma.watch.RdmaWatch;
import io.imexagent.rdma.watch.RdmaWatch.RdmaObserver;
import io.imexagent.worker.BoundedCall;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.WorkerObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Kubernetes and the container runtime are asked about a claim for rails, and when they are not. */
class RailClaimReadTest {

    private static final ClaimRef REF = new ClaimRef(new ClaimName("team", "rails"), new ClaimUid("uid-rails"));
    private static final String POD = "{\"resource\":\"pods\",\"name\":\"train-0\",\"uid\":\"pod-uid\"}";

    @TempDir
    Path folder;

    private final Map<String, Pods.PodObject> pods = new HashMap<>();
    private final Map<String, List<GroupPods.GroupPod>> groups = new HashMap<>();
    private final AtomicInteger podReads = new AtomicInteger();
    private Optional<ApiFailure> podFailure = Optional.empty();
    private Optional<Path> runtime = Optional.empty();

    @Test
    void aClaimThatMovesNothingCostsNoReadOfAPodAndNoQuestionToTheRuntime() throws Exception {
        runtime = Optional.of(runtime());

        assertThat(pod(status("Verbs", POD))).isEmpty();
        assertThat(podReads).hasValue(0);
        assertThat(folder.resolve("asked")).doesNotExist();
    }

    @Test
    void aClaimThatMovesAnInterfaceIsToldItsPodAndTheRuntimeIsAsked() throws Exception {
        runtime = Optional.of(runtime());
        pods.put("team/train-0", new Pods.PodObject("pod-uid", false, true, Map.of("rails", 1, "other", 3)));
        RuntimeProbe probe = probe();

        assertThat(pod(status("Netdev", POD), probe)).isEmpty();
        assertThat(podReads).hasValue(1);
        assertThat(probe.current()).isInstanceOf(NetdevSupport.Supported.class);
    }

    @ParameterizedTest
    @CsvSource({
        "true, rails, 1, pod train-0 has hostNetwork",
        "false, rails, 2, 2 containers of pod train-0",
        "false, another, 2, ''"
    })
    void thePodsNetworkAndTheContainersOfThisClaimAreWhatCounts(
            boolean hostNetwork, String claim, int containers, String refusal) throws Exception {
        pods.put("team/train-0", new Pods.PodObject("pod-uid", hostNetwork, true, Map.of(claim, containers)));

        assertThat(pod(status("Netdev", POD)).map(Refusal::message).orElse(""))
                .contains(refusal)
                .matches(message -> message.isEmpty() == refusal.isEmpty());
    }

    @Test
    void aPodThatIsGoneOrAnotherOfItsNameIsNotThePod() throws Exception {
        assertThat(pod(status("Netdev", POD))).isEqualTo(RailClaim.notOfOnePod("pod train-0 is gone"));

        pods.put("team/train-0", new Pods.PodObject("another-uid", false, true, Map.of("rails", 1)));
        assertThat(pod(status("Netdev", POD))).isEqualTo(RailClaim.notOfOnePod("pod train-0 is gone"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "~~ | 0",
                "~{\"resource\":\"pods\",\"name\":\"a\",\"uid\":\"1\"},{\"resource\":\"pods\",\"name\":\"b\",\"uid\":\"2\"}~"
                        + " | 2",
                "~{\"apiGroup\":\"scheduling.k8s.io\",\"resource\":\"podgroups\",\"name\":\"g\",\"uid\":\"1\"},"
                        + "{\"resource\":\"pods\",\"name\":\"b\",\"uid\":\"2\"}~ | 2"
            })
    void aClaimOfNoPodOrOfSeveralHasNoOnePod(String users, int count) throws Exception {
        assertThat(pod(status("Netdev", users)))
                .isEqualTo(RailClaim.notOfOnePod("the claim is reserved for " + count + " users"));
        assertThat(podReads).hasValue(0);
    }

    /** Kubernetes 1.37 reserves the claim of a PodGroup for the group, once for all of its pods. */
    @Test
    void aClaimOfAGroupWithOnePodHereIsThatPods() throws Exception {
        groups.put("team/ring/rails", List.of(grouped("ring-3", false, 1)));

        assertThat(pod(status("Netdev", group("ring")))).isEmpty();
        assertThat(podReads).hasValue(0);
    }

    @Test
    void thePodOfAGroupIsLookedAtAsAnyOther() throws Exception {
        groups.put("team/ring/rails", List.of(grouped("ring-3", true, 1)));
        assertThat(message(group("ring"))).contains("pod ring-3 has hostNetwork");

        groups.put("team/ring/rails", List.of(grouped("ring-3", false, 2)));
        assertThat(message(group("ring"))).contains("2 containers of pod ring-3");
    }

    @Test
    void aGroupWithSeveralPodsHereOrWithNoneHasNoOnePod() throws Exception {
        assertThat(message(group("ring"))).contains("PodGroup \"ring\" has no pod with the claim on this node");

        groups.put("team/ring/rails", List.of(grouped("ring-3", false, 1), grouped("ring-4", false, 1)));
        assertThat(message(group("ring"))).contains("PodGroup \"ring\" has 2 pods with the claim on this node");
    }

    /** A reservation by hand: what only calls itself a pod or a group is neither. */
    @ParameterizedTest
    @CsvSource({"x.example.com, pods", "x.example.com, podgroups", "'', podgroups", "x.example.com, workloads"})
    void aUserOfAnotherKindIsNoPod(String group, String resource) throws Exception {
        pods.put("team/train-0", new Pods.PodObject("pod-uid", false, true, Map.of("rails", 1)));
        groups.put("team/train-0/rails", List.of(grouped("train-0", false, 1)));

        assertThat(message("{\"apiGroup\":\"" + group + "\",\"resource\":\"" + resource
                        + "\",\"name\":\"train-0\",\"uid\":\"pod-uid\"}"))
                .contains("\"" + resource + "/train-0\", which is no pod");
        assertThat(podReads).hasValue(0);
    }

    @Test
    void aPodThatCannotBeReadIsAFailureOfTheApi() {
        podFailure = Optional.of(new ApiFailure(
                ApiFailure.FailureKind.FORBIDDEN, "user alice lacks the verb get on pods", Optional.empty()));

        assertThatThrownBy(() -> pod(status("Netdev", POD)))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("user alice lacks the verb get on pods");
    }

    @Test
    void aClaimWithABentConfigurationIsNotAskedAboutFurther() throws Exception {
        String bent = status("Netdev", POD).replace("\"mode\"", "\"mood\"");

        assertThat(read(bent, probe()).refusal()).map(Refusal::code).contains(RefusalCode.CONFIG_INVALID);
        assertThat(podReads).hasValue(0);
    }

    private static GroupPods.GroupPod grouped(String name, boolean hostNetwork, int containers) {
        return new GroupPods.GroupPod(name, new Pods.PodObject(name, hostNetwork, true, Map.of("rails", containers)));
    }

    private static String group(String name) {
        return "{\"apiGroup\":\"scheduling.k8s.io\",\"resource\":\"podgroups\",\"name\":\"" + name
                + "\",\"uid\":\"g\"}";
    }

    private String message(String users) throws ApiException {
        return pod(status("Netdev", users)).map(Refusal::message).orElse("");
    }

    private List<GroupPods.GroupPod> group(String namespace, String group, String claim) {
        return groups.getOrDefault(namespace + "/" + group + "/" + claim, List.of());
    }

    private Optional<Refusal> pod(String status) throws ApiException {
        return pod(status, probe());
    }

    private Optional<Refusal> pod(String status, RuntimeProbe probe) throws ApiException {
        return read(status, probe).toOptional().orElseThrow().pod();
    }

    private Outcome<RailClaim> read(String status, RuntimeProbe probe) throws ApiException {
        var files = new RootedFiles(folder);
        var looks = new BoundedCall<Optional<Refusal>>(
                new Worker("rdma-files", 1, WorkerObserver.NONE, System::nanoTime), Duration.ofSeconds(30));
        var watch = new RdmaWatch(
                files,
                Settings.calls(),
                Clock.systemUTC(),
                List::of,
                () -> new KnownAddresses.ReadAddresses(Set.of(), Optional.empty()),
                () -> Settings.OFF,
                () -> Duration.ofSeconds(30),
                new RdmaObserver() {},
                System::nanoTime);
        return new RailRules(this::pod, this::group, watch, "node-1", files, looks, probe)
                .read(REF, new ReadClaim(DraSpecimens.decoded(status), Map.of()));
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
