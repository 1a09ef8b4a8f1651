package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.claim.Refused;
import io.imexagent.dra.driver.FakeNodes;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.imex.fake.FakeChannelNodes;
import io.imexagent.imex.prepare.UserNamespaces.PodLookupCondition;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.Reviews.ReviewResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pods with {@code hostUsers: false}, for which a runtime binds the host's node. */
class UserNamespacesTest {

    private static final int MAJOR = 239;
    private static final String RED = "5d1c5c6e-0000-4000-8000-00000000000a";

    @TempDir
    Path folder;

    @TempDir
    Path host;

    private final FakePods pods = new FakePods();

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IMEX_DOMAIN")
    void aPodIsRefusedWhereTheHostHasNoNode(Isolation isolation) throws Exception {
        pods.put("train-0", "uid-train-0", false);
        try (Node node = node(isolation, nodes())) {
            Refusal refusal = refusal(node.prepare(claim(node, isolation, "train-0")));

            assertThat(refusal.code()).isEqualTo(RefusalCode.USER_NAMESPACE);
            assertThat(refusal.message()).contains("pod train-0", "hostUsers: false", "host has no", "mode 0666");
            assertNothingIsLeft(node);
        }
    }

    @ParameterizedTest
    @CsvSource({"0600, mode 0600", "0660, mode 0660", "0604, mode 0604", "0602, mode 0602"})
    void aPodIsRefusedWhereTheNodeLetsNoOtherUserIn(String mode, String told) throws Exception {
        pods.put("train-0", "uid-train-0", false);
        for (Isolation isolation : List.of(Isolation.NONE, Isolation.IMEX_CHANNEL)) {
            FakeChannelNodes nodes = nodes().make(0, MAJOR, Integer.parseInt(mode, 8))
                    .make(1, MAJOR, Integer.parseInt(mode, 8))
                    .make(2, MAJOR, 0666);
            try (Node node = node(isolation, nodes)) {
                Refusal refusal = refusal(node.prepare(claim(node, isolation, "train-0")));

                assertThat(refusal.code()).isEqualTo(RefusalCode.USER_NAMESPACE);
                assertThat(refusal.message()).contains(told);
                assertNothingIsLeft(node);
            }
        }
    }

    @Test
    void aNodeThatIsStaleOrNoneOrInAClosedFolderIsOfNoUse() throws Exception {
        pods.put("train-0", "uid-train-0", false);
        for (FakeChannelNodes nodes : List.of(
                nodes().make(0, MAJOR + 1, 0666),
                nodes().file(0),
                nodes().make(0, MAJOR, 0666).folder(0700))) {
            try (Node node = node(Isolation.NONE, nodes)) {
                Refusal refusal = refusal(node.prepare(claim(node, Isolation.NONE, "train-0")));

                assertThat(refusal.code()).isEqualTo(RefusalCode.USER_NAMESPACE);
                assertThat(refusal.message()).containsAnyOf("is stale", "not a character device", "folder");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IMEX_DOMAIN")
    void aPodIsPreparedWhereTheNodeLetsAllUsersIn(Isolation isolation) throws Exception {
        pods.put("train-0", "uid-train-0", false);
        try (Node node = node(isolation, nodes().make(0, MAJOR, 0666).make(1, MAJOR, 0666))) {
            assertPrepared(node.prepare(claim(node, isolation, "train-0")));
        }
    }

    /** Channel 1 is bound; that channels 0 and 2 have nodes is of no use to it. */
    @Test
    void ofSeveralChannelsTheBoundOneCounts() throws Exception {
        pods.put("train-0", "uid-train-0", false);
        try (Node node =
                node(Isolation.IMEX_CHANNEL, nodes().make(0, MAJOR, 0666).make(2, MAJOR, 0666))) {
            Refusal refusal = refusal(node.prepare(claim(node, Isolation.IMEX_CHANNEL, "train-0")));

            assertThat(refusal.message())
                    .contains("the host has no /dev/nvidia-caps-imex-channels/channel1", "opens channel 1");
            Eventually.holds("the hold is given back", () -> node.channels.underWay() == 0);
        }
    }

    /** Nobody is bound to channel 0, nor to one that the agent does not hand out. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 0, ServingPolicy.USUAL_CHANNELS, 2047})
    void aChannelIsNotEvenLookedForWhereTheHostHasNoneToBind(int open) throws Exception {
        pods.put("train-0", "uid-train-0", false);
        FakeChannelNodes nodes = open < 0 ? nodes() : nodes().make(open, MAJOR, 0666);
        try (Node node = node(Isolation.IMEX_CHANNEL, nodes)) {
            Refusal refusal = refusal(node.prepare(claim(node, Isolation.IMEX_CHANNEL, "train-0")));

            assertThat(refusal.code()).isEqualTo(RefusalCode.USER_NAMESPACE);
            assertThat(refusal.message()).contains("no node of channels 1 to 127");
            assertThat(node.channels.binds()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IMEX_DOMAIN")
    void aPodWithTheHostsUsersNeedsNoNode(Isolation isolation) throws Exception {
        pods.put("train-0", "uid-train-0", true);
        try (Node node = node(isolation, nodes())) {
            assertPrepared(node.prepare(claim(node, isolation, "train-0")));
        }
    }

    @Test
    void noPodIsReadWhereTheHostsNodeIsOpen() throws Exception {
        try (Node node = node(Isolation.NONE, nodes().make(0, MAJOR, 0666))) {
            assertPrepared(node.prepare(claim(node, Isolation.NONE, "train-0")));

            assertThat(pods.reads()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IMEX_DOMAIN")
    void anotherIdentityThanTheKubeletsLooksAtNoPod(Isolation isolation) throws Exception {
        pods.put("train-0", "uid-train-0", false);
        try (Node node = node(isolation, nodes(), () -> false)) {
            assertPrepared(node.prepare(claim(node, isolation, "train-0")));

            assertThat(pods.reads()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NO_RELATIONSHIP", "FORBIDDEN", "TIMEOUT", "UNREACHABLE", "UNREADABLE", "SERVER_ERROR"})
    void aPodThatCannotBeReadIsNotRefused(ApiFailure.FailureKind kind) throws Exception {
        pods.put("train-0", "uid-train-0", false);
        pods.fail(FakeClaims.failure(kind, "refused as the test wants"));
        for (Isolation isolation : List.of(Isolation.NONE, Isolation.IMEX_CHANNEL)) {
            try (Node node = node(isolation, nodes())) {
                assertPrepared(node.prepare(claim(node, isolation, "train-0")));
            }
        }
    }

    @Test
    void anIdentityThatCannotBeToldRefusesNobody() throws Exception {
        pods.put("train-0", "uid-train-0", false);
        PodLookupCondition unknown = () -> {
            throw new ApiException(FakeClaims.failure(ApiFailure.FailureKind.UNREACHABLE, "no answer"));
        };
        try (Node node = node(Isolation.NONE, nodes(), unknown)) {
            assertPrepared(node.prepare(claim(node, Isolation.NONE, "train-0")));
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IMEX_DOMAIN")
    void aPodThatDoesNotComeInTimeIsNotWaitedForLonger(Isolation isolation) throws Exception {
        pods.put("train-0", "uid-train-0", false);
        CountDownLatch hanging = pods.hold();
        try (Node node = node(isolation, nodes())) {
            assertPrepared(node.prepare(claim(node, isolation, "train-0")));
        } finally {
            hanging.countDown();
        }
    }

    @Test
    void aPodThatIsGoneOrAnotherIsNotRefused() throws Exception {
        pods.put("again", "another-uid", false);
        for (String name : List.of("gone", "again")) {
            try (Node node = node(Isolation.NONE, nodes())) {
                assertPrepared(node.prepare(claim(node, Isolation.NONE, name)));
            }
        }
    }

    /** Which of them the kubelet prepares it for, it does not say. */
    @Test
    void aClaimOfSeveralPodsIsRefusedWhereNoneOfThemCanUseIt() throws Exception {
        pods.put("one", "uid-one", false);
        pods.put("two", "uid-two", false);
        pods.put("mixed", "uid-mixed", true);
        try (Node node = node(Isolation.NONE, nodes())) {
            assertThat(refusal(node.prepare(claim(node, Isolation.NONE, "one", "two")))
                            .code())
                    .isEqualTo(RefusalCode.USER_NAMESPACE);
            assertPrepared(node.prepare(claim(node, Isolation.NONE, "one", "mixed")));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, UserNamespaces.MOST_PODS + 1})
    void aClaimOfNobodyOrOfManyIsNotLookedAt(int users) throws Exception {
        String[] names = Stream.iterate(0, number -> number + 1)
                .limit(users)
                .map(number -> "pod-" + number)
                .toArray(String[]::new);
        for (String name : names) {
            pods.put(name, "uid-" + name, false);
        }
        try (Node node = node(Isolation.NONE, nodes())) {
            assertPrepared(node.prepare(claim(node, Isolation.NONE, names)));

            assertThat(pods.reads()).isZero();
        }
    }

    @Test
    void aClaimOfAnotherKindOfUserIsNotLookedAt() throws Exception {
        try (Node node = node(Isolation.NONE, nodes())) {
            ClaimRef claim = node.claim(
                    "a",
                    reserved(DraSpecimens.status(DraSpecimens.DOMAIN), "train-0")
                            .replace("\"resource\":\"pods\"", "\"apiGroup\":\"x\",\"resource\":\"podgroups\""));

            assertPrepared(node.prepare(claim));
            assertThat(pods.reads()).isZero();
        }
    }

    /** Here the ComputeDomain is not there. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IMEX_DOMAIN")
    void aClaimThatSomethingElseRefusesLeavesNoReadBehind(Isolation isolation) throws Exception {
        pods.put("train-0", "uid-train-0", false);
        CountDownLatch hanging = pods.hold();
        try (Node node = node(isolation, nodes())) {
            ClaimRef claim = claim(node, isolation, "train-0");
            node.domains.remove(isolation == Isolation.NONE ? DraSpecimens.DOMAIN : RED);
            CompletableFuture<Outcome<Prepared>> answer = node.begin(claim, Duration.ofSeconds(3));
            Eventually.holds("the pod is read", () -> pods.reads() == 1);

            assertThat(refusal(answer.get(60, TimeUnit.SECONDS)).code()).isNotEqualTo(RefusalCode.USER_NAMESPACE);
            Eventually.holds("no read is left", () -> pods.underWay() == 0);
        } finally {
            hanging.countDown();
        }
    }

    /** The grant is written while the pod is read, which is then taken back. */
    @Test
    void whatWasWrittenBeforeThePodWasReadIsTakenBack() throws Exception {
        pods.put("train-0", "uid-train-0", false);
        CountDownLatch slow = pods.hold();
        try (Node node = node(Isolation.NONE, nodes())) {
            ClaimRef claim = claim(node, Isolation.NONE, "train-0");
            CompletableFuture<Outcome<Prepared>> answer = node.begin(claim);
            Eventually.holds(
                    "the claim is written",
                    () -> node.prepared.ledger().entry(claim.uid()).isPresent());
            assertThat(answer).as("nobody is answered yet").isNotDone();

            slow.countDown();

            assertThat(refusal(answer.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.USER_NAMESPACE);
            assertNothingIsLeft(node);
        }
    }

    /** The kubelet asks every ten seconds or so; the pod's field cannot change. */
    @Test
    void aRefusedPodIsNeitherReadNorWrittenAgainAndPreparedOnceTheNodeIsThere() throws Exception {
        pods.put("train-0", "uid-train-0", false);
        FakeChannelNodes nodes = nodes();
        try (Node node = node(Isolation.NONE, nodes)) {
            ClaimRef claim = claim(node, Isolation.NONE, "train-0");
            node.prepare(claim);
            CountDownLatch never = pods.hold();

            assertThat(refusal(node.prepare(claim)).code()).isEqualTo(RefusalCode.USER_NAMESPACE);
            assertThat(pods.reads()).isEqualTo(1);

            nodes.make(0, MAJOR, 0666);
            assertPrepared(node.prepare(claim));
            never.countDown();
        }
    }

    @Test
    void anUnprepareEndsThePrepareThatStillReadsThePod() throws Exception {
        pods.put("train-0", "uid-train-0", true);
        CountDownLatch hanging = pods.hold();
        try (Node node = node(Isolation.NONE, nodes())) {
            ClaimRef claim = claim(node, Isolation.NONE, "train-0");
            CompletableFuture<Outcome<Prepared>> answer = node.begin(claim);
            Eventually.holds(
                    "the claim is written",
                    () -> node.prepared.ledger().entry(claim.uid()).isPresent());

            node.unprepare(claim);

            assertThat(refusal(answer.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.CANCELLED);
            assertThat(node.specs.list()).isEmpty();
        } finally {
            hanging.countDown();
        }
    }

    /** The agent may start before its kubelet has made the Node, or told its runtime. */
    @Test
    void aNodeThatCouldNotYetTellIsAskedAgainAMinuteLaterAndOneThatToldAfterAnHour() throws Exception {
        pods.put("train-0", "uid-train-0", false);
        var nanos = new AtomicLong();
        var asked = new AtomicInteger();
        var told = new AtomicBoolean();
        PodLookupCondition condition = () -> {
            asked.incrementAndGet();
            return told.get();
        };
        try (Node node = Node.in(folder)
                .with(new UserNamespaces(pods, condition, nodes().nodes(), nanos::get))
                .start()) {
            ClaimRef claim = claim(node, Isolation.NONE, "train-0");
            assertPrepared(node.prepare(claim));
            node.unprepare(claim);
            told.set(true);
            nanos.addAndGet(UserNamespaces.LOOKS_NOT_FOR.toNanos() - 1);
            claim = claim(node, Isolation.NONE, "train-0", "train-0");
            assertPrepared(node.prepare(claim));
            node.unprepare(claim);
            assertThat(asked).hasValue(1);

            nanos.incrementAndGet();
            refusal(node.prepare(node.claim("a", reserved(DraSpecimens.status(DraSpecimens.DOMAIN), "train-0"))));
            nanos.addAndGet(UserNamespaces.LOOKS_FOR.toNanos() - 1);
            pods.put("train-1", "uid-train-1", false);
            refusal(node.prepare(node.claim("b", reserved(DraSpecimens.status(DraSpecimens.DOMAIN), "train-1"))));
            assertThat(asked).hasValue(2);

            nanos.incrementAndGet();
            pods.put("train-2", "uid-train-2", false);
            refusal(node.prepare(node.claim("c", reserved(DraSpecimens.status(DraSpecimens.DOMAIN), "train-2"))));
            assertThat(asked).hasValue(3);
        }
    }

    /** Under containerd 1.7, say, the kubelet starts no such pod; a rule of RBAC grants more than the kubelet has. */
    @Test
    void looksAtPodsWhereTheNodeCanRunThemAndTheIdentityIsTheKubelets() throws Exception {
        var nodes = new FakeNodes().with("with", true).with("without", false);
        var own = new Rights(new ReviewResult.AllowedOfOwnNode());

        assertThat(PodLookupCondition.of(nodes, "with", own).holds()).isTrue();
        assertThat(PodLookupCondition.of(nodes, "without", own).holds()).isFalse();
        assertThat(PodLookupCondition.of(nodes, "gone", own).holds()).isFalse();
        for (ReviewResult other : List.of(new ReviewResult.Allowed(), new ReviewResult.Denied("no rule"))) {
            assertThat(PodLookupCondition.of(nodes, "with", new Rights(other)).holds())
                    .isFalse();
        }
    }

    private record Rights(ReviewResult verdict) implements Reviews {

        @Override
        public ReviewResult may(AccessRule rule) {
            assertThat(rule.text()).isEqualTo("get pods");
            return verdict;
        }

        @Override
        public Optional<User> owner(String token) {
            throw new AssertionError("nobody is reviewed");
        }

        @Override
        public boolean mayGet(User user, String path) {
            throw new AssertionError("nobody is reviewed");
        }
    }

    private FakeChannelNodes nodes() {
        return new FakeChannelNodes(host);
    }

    private Node node(Isolation isolation, FakeChannelNodes nodes) throws Exception {
        return node(isolation, nodes, () -> true);
    }

    private Node node(Isolation isolation, FakeChannelNodes nodes, PodLookupCondition identity) throws Exception {
        return Node.in(folder.resolve(isolation.text() + System.nanoTime()))
                .with(isolation)
                .with(new UserNamespaces(pods, identity, nodes.nodes(), System::nanoTime))
                .start();
    }

    private static ClaimRef claim(Node node, Isolation isolation, String... users) {
        String status = isolation == Isolation.NONE
                ? DraSpecimens.status(DraSpecimens.DOMAIN)
                : DraSpecimens.status(DraSpecimens.channelConfig(RED, "Single"), ServingPolicy.CHANNEL);
        node.domains.serve(RED, DraSpecimens.NAMESPACE);
        return node.claim("of" + users.length + String.join("-", users), reserved(status, users));
    }

    private static String reserved(String status, String... users) {
        return status.substring(0, status.length() - 1) + ",\"reservedFor\":["
                + Stream.of(users)
                        .map(name -> "{\"resource\":\"pods\",\"name\":\"" + name + "\",\"uid\":\"uid-" + name + "\"}")
                        .collect(Collectors.joining(","))
                + "]}";
    }

    private static Refusal refusal(Outcome<Prepared> outcome) {
        return Refused.of(outcome);
    }

    private static void assertPrepared(Outcome<Prepared> outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Accepted.class);
    }

    private static void assertNothingIsLeft(Node node) throws Exception {
        assertThat(node.prepared.ledger().entries()).isEmpty();
        assertThat(node.specs.list()).isEmpty();
    }
}
