package io.imexagent.e2e.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.slice.DesiredPool;
import io.imexagent.core.slice.Device;
import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.core.slice.PoolSlice;
import io.imexagent.core.slice.SlicePlanner;
import io.imexagent.core.slice.SlicePlanner.SliceAction;
import io.imexagent.dra.recovery.ClaimPresence;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.Reviews.AccessRule;
import io.imexagent.kubernetes.Reviews.ReviewResult;
import io.imexagent.kubernetes.Slices;
import io.imexagent.kubernetes.Slices.NodeRef;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.http.HttpKubernetesApi;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.FaultAction;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.LoggedRequest;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.RoleGrant;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.tls.KeyKind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client as a kubelet: over TLS, by the certificate that the kubelet rotates, under the node restriction. */
final class NodeIdentityTest {

    private static final String DRIVER = Fixtures.DRIVER;
    private static final NodeRef NODE = new NodeRef("node-a", Fixtures.uid(1));
    private static final ClaimName CLAIM = new ClaimName("default", "claim");
    private static final PoolSlice CONTENT = new PoolSlice("node-a", 1, 1, List.of(Device.channel(new ChannelId(0))));

    @TempDir
    private Path folder;

    private ApiDouble server;
    private HttpKubernetesApi api;
    private final BlockingQueue<List<ObservedSlice>> delivered = new LinkedBlockingQueue<>();

    @BeforeEach
    void start() throws IOException {
        server = ApiDouble.start(new ApiDoubleOptions());
        server.apply(Fixtures.node("node-a", NODE.uid()));
        server.apply(Fixtures.node("node-b", Fixtures.uid(2)));
        api = client(server);
    }

    @AfterEach
    void stop() {
        api.close();
        server.close();
    }

    private HttpKubernetesApi client(ApiDouble of) throws IOException {
        Path pem = folder.resolve("kubelet-client-current.pem");
        of.issueCertificate(UserIdentity.node("node-a"), KeyKind.EC_SEC1, Duration.ofHours(1))
                .writePem(pem);
        Path kubeconfig = of.writeKubeconfig(folder.resolve("kubelet.conf"), new Login.CertificateFile(pem));
        return new HttpKubernetesApi(
                ClusterAccess.of(List.of(kubeconfig)),
                "imex-agent/test",
                InstantSource.system(),
                () -> 0.5,
                ApiObserver.NONE);
    }

    @Test
    void findsAServerThatServesTheApi() throws ApiException {
        assertThat(api.verify()).startsWith("v1.");
    }

    @Test
    void namesAnOlderCluster() throws IOException {
        try (var older = ApiDouble.start(new ApiDoubleOptions().older());
                var client = client(older)) {
            fails(client::verify, FailureKind.UNSUPPORTED, "needs Kubernetes 1.34 or later (server: v1.33");
        }
    }

    @Test
    void readsTheClaimOfAPodOnItsNodeOnly() throws ApiException {
        var pod = Fixtures.pod("default", "pod", Fixtures.uid(4), "node-a", "claim");
        server.apply(Fixtures.allocatedClaim("default", "claim", Fixtures.uid(3), "node-a", Fixtures.uid(5), pod));

        fails(() -> api.claims().get(CLAIM), FailureKind.NO_RELATIONSHIP, "no pod on this node");
        server.apply(pod);

        var claim = api.claims().get(CLAIM).orElseThrow();
        assertThat(claim.uid()).isEqualTo(Fixtures.uid(3));
        assertThat(claim.status().toString()).contains("\"device\":\"channel-0\"");
    }

    @Test
    void tellsTheIdentityOfAnotherNode() {
        String remedy =
                "if this host is that node, set node.name to node-a; else use the kubeconfig of this node's own";

        fails(() -> api.nodes().get("node-b"), FailureKind.OTHER_NODE, remedy);
        fails(
                () -> api.slices("driver", "node-b").list(new NodeRef("node-b", Fixtures.uid(1))),
                FailureKind.OTHER_NODE,
                remedy);
    }

    @Test
    void seesWhetherAPreparedClaimIsStillThere() {
        var uid = new ClaimUid(Fixtures.uid(3));
        var pod = Fixtures.pod("default", "pod", Fixtures.uid(4), "node-a", "claim");
        server.apply(pod);
        assertThat(ClaimPresence.of(api.backgroundClaims(), CLAIM, uid))
                .as("404")
                .isEqualTo(new ClaimPresence.ClaimDeleted("there is no claim default/claim"));
        server.apply(Fixtures.allocatedClaim("default", "claim", Fixtures.uid(3), "node-a", Fixtures.uid(5), pod));

        assertThat(ClaimPresence.of(api.backgroundClaims(), CLAIM, uid)).isInstanceOf(ClaimPresence.ClaimPresent.class);
        assertThat(ClaimPresence.of(api.backgroundClaims(), CLAIM, new ClaimUid("another")))
                .isEqualTo(new ClaimPresence.ClaimDeleted("claim default/claim has another UID now"));
        server.remove(ResourceType.PODS, "default", "pod");
        assertThat(ClaimPresence.of(api.backgroundClaims(), CLAIM, uid))
                .as("403 of the Node authorizer")
                .isEqualTo(new ClaimPresence.ClaimOfNoPod("no pod of this node uses claim default/claim"));
        server.goAway();
        assertThat(ClaimPresence.of(api.backgroundClaims(), CLAIM, uid))
                .isInstanceOf(ClaimPresence.PresenceUnknown.class);
    }

    @Test
    void makesReplacesAndDeletesASlice() throws ApiException {
        Slices slices = api.slices(DRIVER, "node-a");

        ObservedSlice made = slices.create(NODE, 0, CONTENT);
        assertThat(made.name()).startsWith("00000-compute-domain.nvidia.com-node-a-");
        assertThat(made.ownedByNode()).isTrue();
        assertThat(made.content()).isEqualTo(CONTENT);

        var next = new PoolSlice("node-a", 2, 1, List.of());
        ObservedSlice replaced = slices.replace(NODE, made, next);
        assertThat(slices.list(NODE)).containsExactly(replaced);
        fails(() -> slices.replace(NODE, made, CONTENT), FailureKind.CONFLICT, "another writer");

        slices.delete(replaced);
        slices.delete(replaced);
        assertThat(slices.list(NODE)).isEmpty();
        fails(() -> slices.replace(NODE, replaced, CONTENT), FailureKind.NOT_FOUND, replaced.name());
    }

    @Test
    void namesTheSlicesOfAPoolByTheirPositions() throws ApiException {
        var pool = new DesiredPool.Publish(
                "node-a",
                IntStream.range(0, 200)
                        .mapToObj(number -> Device.channel(new ChannelId(number)))
                        .toList());
        Slices slices = api.slices(DRIVER, "node-a");

        for (SliceAction action : SlicePlanner.plan(pool, slices.list(NODE))) {
            SliceAction.CreateSlice create = (SliceAction.CreateSlice) action;
            slices.create(NODE, create.index(), create.content());
        }

        List<ObservedSlice> made = slices.list(NODE);
        assertThat(made).extracting(slice -> slice.index().orElseThrow()).containsExactlyInAnyOrder(0, 1);
        assertThat(made)
                .allSatisfy(slice -> assertThat(slice.content().sliceCount()).isEqualTo(2));
        assertThat(SlicePlanner.plan(pool, made)).isEmpty();
    }

    @Test
    void isToldWhatItMayDo() throws ApiException {
        Reviews reviews = api.reviews();

        assertThat(reviews.may(AccessRule.on("list", "resource.k8s.io", "resourceslices")
                        .ofNode("node-a")))
                .isEqualTo(new ReviewResult.Allowed());
        assertThat(reviews.may(AccessRule.on("list", "resource.k8s.io", "resourceslices")
                        .ofNode("node-b")))
                .isInstanceOf(ReviewResult.Denied.class);
        assertThat(reviews.may(AccessRule.on("get", "resource.k8s.io", "resourceclaims")
                        .named("nobody")))
                .isEqualTo(new ReviewResult.AllowedOfOwnNode());
        assertThat(reviews.may(AccessRule.on("get", "", "nodes").named("node-b")))
                .isEqualTo(new ReviewResult.Denied("node 'node-a' cannot read 'node-b', only its own Node object"));
        assertThat(reviews.may(AccessRule.on("create", "", "events").in("default")))
                .isEqualTo(new ReviewResult.Allowed());
        assertThat(reviews.may(AccessRule.on("delete", "", "events").in("default")))
                .isInstanceOf(ReviewResult.Denied.class);
        assertThat(reviews.may(AccessRule.on("delete", "", "namespaces"))).isEqualTo(new ReviewResult.Denied(""));
        assertThat(reviews.may(AccessRule.on("list", "resource.nvidia.com", "computedomains")))
                .isEqualTo(new ReviewResult.Allowed());
    }

    @Test
    void isRefusedTheSlicesOfAnotherNode() {
        Slices slices = api.slices(DRIVER, "node-b");

        fails(
                () -> slices.create(new NodeRef("node-b", Fixtures.uid(2)), 0, CONTENT),
                FailureKind.OTHER_NODE,
                "set node.name to the name of this host's Node");
    }

    @Test
    void seesItsSlicesGoWhenTheKubeletStarts() throws Exception {
        api.slices(DRIVER, "node-a").create(NODE, 0, CONTENT);
        watchSlices();
        assertThat(next(slices -> true)).hasSize(1);

        server.deleteSlicesOfNode("node-a");

        assertThat(next(slices -> true)).isEmpty();
    }

    @Test
    void keepsWatchingThroughCutsForgottenVersionsAndAnAbsence() throws Exception {
        Slices slices = api.slices(DRIVER, "node-a");
        watchSlices();
        next(List::isEmpty);

        server.dropWatches();
        slices.create(NODE, 0, CONTENT);
        next(now -> now.size() == 1);

        server.goAway();
        server.apply(Fixtures.node("node-c", Fixtures.uid(7)));
        server.deleteSlicesOfNode("node-a");
        server.compact();
        server.comeBack();
        next(List::isEmpty);
    }

    @Test
    void takesARotatedCertificateOnceTheOldOneIsRefused() throws Exception {
        watchSlices();
        next(List::isEmpty);
        Path pem = folder.resolve("kubelet-client-current.pem");
        server.issueCertificate(UserIdentity.node("node-a"), KeyKind.EC_PKCS8, Duration.ofHours(1))
                .writePem(pem);

        server.inject(LoggedRequest.of(RequestVerb.GET, "nodes"), FaultAction.answer(401), 1);
        assertThat(api.nodes().get("node-a")).isPresent();

        api.slices(DRIVER, "node-a").create(NODE, 0, CONTENT);
        next(now -> now.size() == 1);
        assertThat(server.requests().count("watch", "resourceslices")).isEqualTo(1);
    }

    @Test
    void labelsItsNode() throws ApiException {
        api.nodes().label("node-a", "nvidia.com/gpu.clique", Optional.of("cluster.1"));
        assertThat(api.nodes().get("node-a").orElseThrow().labels())
                .containsEntry("nvidia.com/gpu.clique", "cluster.1");

        api.nodes().label("node-a", "nvidia.com/gpu.clique", Optional.empty());
        assertThat(api.nodes().get("node-a").orElseThrow().labels()).doesNotContainKey("nvidia.com/gpu.clique");
        assertThat(api.nodes().get("node-a").orElseThrow().uid()).isEqualTo(NODE.uid());
    }

    @Test
    void findsAComputeDomainByItsNameAndByItsUid() throws Exception {
        var uid = new ComputeDomainUid(Fixtures.uid(9));
        var domains = api.domains();
        assertThat(domains.in("team", uid)).isEmpty();

        server.apply(Fixtures.computeDomain("team", "domain", uid.value(), "template"));

        assertThat(domains.in("team", uid).orElseThrow().name()).isEqualTo("domain");
        assertThat(domains.in("default", uid)).as("elsewhere").isEmpty();
        assertThat(domains.named("team", "domain").orElseThrow().uid()).isEqualTo(uid);
        assertThat(server.requests().count("watch", "computedomains")).isZero();
    }

    @Test
    void saysThatItMayNotReadComputeDomainsUntilItMay() throws Exception {
        try (var strict = ApiDouble.start(new ApiDoubleOptions());
                var client = client(strict)) {
            var uid = new ComputeDomainUid(Fixtures.uid(9));
            strict.revoke(UserIdentity.NODES, ResourceType.COMPUTE_DOMAINS);
            strict.apply(Fixtures.computeDomain("default", "domain", uid.value(), "template"));
            var domains = client.domains();

            fails(() -> domains.in("default", uid), FailureKind.FORBIDDEN, "verb list on computedomains");
            fails(() -> domains.named("default", "domain"), FailureKind.FORBIDDEN, "the group system:nodes");

            strict.grant(RoleGrant.reading(UserIdentity.NODES, ResourceType.COMPUTE_DOMAINS));
            assertThat(domains.in("default", uid)).isPresent();
        }
    }

    private void watchSlices() {
        api.slices(DRIVER, "node-a").watch(NODE, delivered::add);
    }

    private List<ObservedSlice> next(Predicate<List<ObservedSlice>> fits) throws InterruptedException {
        while (true) {
            List<ObservedSlice> next = delivered.poll(30, TimeUnit.SECONDS);
            Objects.requireNonNull(next, "no delivery within 30 s");
            if (fits.test(next)) {
                return next;
            }
        }
    }

    private static void fails(ThrowingCallable call, FailureKind kind, String words) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.failure().kind()).as(e.getMessage()).isEqualTo(kind))
                .hasMessageContaining(words);
    }
}
