package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.claim.PrepareSettings;
import io.imexagent.dra.claim.Refused;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.kubernetes.ApiFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One channel for each ComputeDomain, several of them on a node. */
class IsolatedClaimsTest {

    private static final String RED = "5d1c5c6e-0000-4000-8000-00000000000a";
    private static final String BLUE = "5d1c5c6e-0000-4000-8000-00000000000b";

    @TempDir
    Path folder;

    private Node.Builder given = Node.in(Path.of("/nowhere"));

    @BeforeEach
    void isolation() {
        given = Node.in(folder).with(Isolation.IMEX_CHANNEL);
    }

    @Test
    void twoDomainsShareANodeEachWithItsOwnChannelNode() throws Exception {
        try (Node node = given.start()) {
            ClaimRef red = node.owned("red", RED, Optional.empty());
            ClaimRef blue = node.owned("blue", BLUE, Optional.empty());

            assertThat(device(node.prepare(red)).cdiDeviceIds())
                    .containsExactly("k8s.compute-domain.nvidia.com/claim=uid-red-channel-1");
            assertThat(device(node.prepare(blue)).cdiDeviceIds())
                    .containsExactly("k8s.compute-domain.nvidia.com/claim=uid-blue-channel-2");

            assertThat(spec(node, red)).contains("channel1").doesNotContain("channel2", "channel0");
            assertThat(spec(node, blue)).contains("channel2").doesNotContain("channel1", "channel0");
        }
    }

    @Test
    void aCallThatEndsWhileItsClaimWaitsBehindOthersSaysSo() throws Exception {
        var settings = new PrepareSettings(Duration.ofMillis(200), Duration.ofMillis(100), 16, Optional::empty);
        try (Node node = given.with(settings).start()) {
            var behind = new Refusal(RefusalCode.CHANNEL_QUEUED, "3 came before it");
            node.channels.queue(behind);

            assertThat(refusal(node.prepare(node.owned("red", RED, Optional.empty()))))
                    .isEqualTo(behind);
            Eventually.holds("nothing is under way", () -> node.channels.underWay() == 0);
        }
    }

    @Test
    void aNumberedChannelIsNobodysAnyMore() throws Exception {
        try (Node node = given.start()) {
            for (int channel : new int[] {0, 1}) {
                ClaimRef claim = node.claim("a", DraSpecimens.status(RED, channel, Optional.empty()));

                assertThat(refusal(node.prepare(claim)).code()).isEqualTo(RefusalCode.DEVICE_NOT_PUBLISHED);
            }
            assertThat(node.channels.binds()).isEmpty();
        }
    }

    @Test
    void aClaimInAPlaceGetsTheChannelOfItsDomainAndIsAnsweredWithThePlace() throws Exception {
        try (Node node = given.start()) {
            ClaimRef first = node.owned("one", RED, Optional.empty());
            ClaimRef second = node.claim(
                    "two", DraSpecimens.status(DraSpecimens.channelConfig(RED, "Single"), "channel-place-3"));

            node.prepare(first);
            PreparedDevice.ReturnedDevice device = device(node.prepare(second));

            assertThat(device.device()).isEqualTo("channel-place-3");
            assertThat(device.cdiDeviceIds()).containsExactly("k8s.compute-domain.nvidia.com/claim=uid-two-channel-1");
        }
    }

    @Test
    void aClaimIsPreparedAsSoonAsItsCliqueHasATable() throws Exception {
        try (Node node = given.start()) {
            node.channels.refuse(Optional.of(new Refusal(RefusalCode.CLIQUE_WITHOUT_TABLE, "there is no table yet")));
            var answer = waiting(node, node.owned("a", RED, Optional.empty()), 2);

            node.channels.refuse(Optional.empty());

            assertPrepared(answer);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CHANNELS_EXHAUSTED", "NAMESPACE_CHANNELS_EXHAUSTED", "CLIQUE_LEFT", "CHANNEL_CONFLICT"})
    void whatLastsIsNotWaitedForAndLeavesNothing(RefusalCode code) throws Exception {
        try (Node node = given.start()) {
            node.channels.refuse(Optional.of(new Refusal(code, "there is no channel")));
            ClaimRef claim = node.owned("a", RED, Optional.empty());

            assertThat(refusal(node.prepare(claim))).isEqualTo(new Refusal(code, "there is no channel"));

            assertThat(node.claims.reads()).isEqualTo(1);
            assertThat(node.saved().entries()).isEmpty();
            assertThat(node.specs.list()).isEmpty();
            assertGivenBack(node);
        }
    }

    @Test
    void aTableThatCannotBeReadIsTriedAgain() throws Exception {
        try (Node node = given.start()) {
            node.channels.fail(
                    Optional.of(FakeClaims.failure(ApiFailure.FailureKind.UNREACHABLE, "why, and what to do")));
            ClaimRef claim = node.owned("a", RED, Optional.empty());
            Refusal refusal = refusal(node.begin(claim, Duration.ofMillis(300)).get(60, TimeUnit.SECONDS));
            assertThat(refusal.code()).isEqualTo(RefusalCode.API_UNAVAILABLE);
            assertThat(refusal.message()).contains("why, and what to do");
            assertGivenBack(node);

            node.channels.fail(Optional.empty());

            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
        }
    }

    @Test
    void aChannelWhoseHoldWasBrokenBeforeItCouldBeGrantedIsLookedForAgain() throws Exception {
        try (Node node = given.start()) {
            node.channels.loseHolds(2);

            assertThat(node.prepare(node.owned("a", RED, Optional.empty()))).isInstanceOf(Outcome.Accepted.class);

            assertThat(node.channels.binds()).hasSize(3);
        }
    }

    @Test
    void aChannelWhoseHoldIsBrokenAgainAndAgainIsNotGranted() throws Exception {
        try (Node node = given.start()) {
            node.channels.loseHolds(Integer.MAX_VALUE);
            ClaimRef claim = node.owned("a", RED, Optional.empty());

            Refusal refusal = refusal(node.begin(claim, Duration.ofMillis(300)).get(60, TimeUnit.SECONDS));

            assertThat(refusal.code()).isEqualTo(RefusalCode.HOLD_LOST);
            assertThat(refusal.message()).contains("ComputeDomain team/domain", "it is read again");
            assertThat(node.saved().entries()).isEmpty();
            assertThat(node.specs.list()).isEmpty();
        }
    }

    @Test
    void aHoldThatIsBrokenWhileTheChannelIsWaitedForIsLookedForAgain() throws Exception {
        try (Node node = given.with(Sharing.NONE).start()) {
            node.prepare(node.owned("one", RED, Optional.empty()));
            CompletableFuture<Outcome<Prepared>> waiting = node.begin(node.owned("two", RED, Optional.empty()));
            Eventually.holds("the channel is known", () -> node.channels.binds().size() == 2);
            node.channels.breakHolds();

            node.unprepare(DraSpecimens.ref("one"));

            assertPrepared(waiting);
            assertThat(node.channels.binds()).hasSize(3);
        }
    }

    @Test
    void aPreparedClaimIsAnsweredWhateverHappenedToItsHold() throws Exception {
        try (Node node = given.start()) {
            ClaimRef claim = node.owned("a", RED, Optional.empty());
            Outcome<Prepared> answer = node.prepare(claim);
            node.channels.breakHolds();
            node.channels.refuse(Optional.of(new Refusal(RefusalCode.CHANNELS_EXHAUSTED, "there is no channel")));

            assertThat(node.prepare(claim)).isEqualTo(answer);
            assertThat(node.channels.binds()).hasSize(1);
        }
    }

    @Test
    void aPrepareThatIsOverGivesBackWhatItHeldForItself() throws Exception {
        try (Node node = given.start()) {
            node.prepare(node.owned("a", RED, Optional.empty()));

            assertGivenBack(node);
        }
    }

    @Test
    void aCliqueThatBecomesKnownWhileAClaimWaitsLetsItBePrepared() throws Exception {
        try (Node node = given.start()) {
            node.inventory.set(Inventories.with(Inventories.gb200(), new CliqueState.RegisteringClique("GPU 0")));
            var waiting = waiting(node, node.owned("a", RED, Optional.empty()), 1);

            node.inventory.set(Inventories.gb200());

            assertPrepared(waiting);
        }
    }

    @Test
    void severalPodsOfADomainShareItsChannelEachWithADeviceOfItsOwn() throws Exception {
        try (Node node = given.start()) {
            ClaimRef first = node.owned("one", RED, Optional.of("share-1"));
            ClaimRef second = node.owned("two", RED, Optional.of("share-2"));

            assertThat(device(node.prepare(first)).shareId()).contains("share-1");
            assertThat(device(node.prepare(second)).shareId()).contains("share-2");
            String before = spec(node, first);
            Optional<ClaimEntry> entry = node.saved(first);

            assertThat(node.unprepare(second)).isEqualTo(Outcome.accepted(new Unprepared()));

            assertThat(spec(node, first)).isEqualTo(before);
            assertThat(node.saved(first)).isEqualTo(entry).isPresent();
            assertThat(node.saved(second)).isEmpty();
            assertThat(node.spec(second)).isEmpty();
            assertThat(Files.readString(node.store.file()))
                    .contains("\"ShareID\":\"share-1\"")
                    .doesNotContain("share-2");
        }
    }

    @Test
    void sharesAreTheSameAfterARestart() throws Exception {
        try (Node node = given.start()) {
            ClaimRef first = node.owned("one", RED, Optional.of("share-1"));
            ClaimRef second = node.owned("two", RED, Optional.of("share-2"));
            Outcome<Prepared> answerOfFirst = node.prepare(first);
            Outcome<Prepared> answerOfSecond = node.prepare(second);

            try (Node restarted =
                    Node.in(folder).like(node).with(Isolation.IMEX_CHANNEL).start()) {
                assertThat(restarted.prepare(first)).isEqualTo(answerOfFirst);
                assertThat(restarted.prepare(second)).isEqualTo(answerOfSecond);
                assertThat(restarted.saved().completed()).hasSize(2);
            }
        }
    }

    @Test
    void aChannelThatADeletedDomainStillHoldsIsNotSharedWithTheNextOne() throws Exception {
        try (Node node = given.start()) {
            node.prepare(node.owned("old", RED, Optional.empty()));
            node.domains.remove(RED);
            node.channels.give(BLUE, 1);

            var waiting = waiting(node, node.owned("new", BLUE, Optional.empty()), 1);

            node.unprepare(DraSpecimens.ref("old"));
            assertPrepared(waiting);
        }
    }

    @Test
    void withoutSharingASecondPodOfADomainWaitsForTheFirst() throws Exception {
        try (Node node = given.with(Sharing.NONE).start()) {
            node.prepare(node.owned("one", RED, Optional.empty()));

            var waiting = waiting(node, node.owned("two", RED, Optional.empty()), 1);

            node.unprepare(DraSpecimens.ref("one"));
            assertPrepared(waiting);
        }
    }

    private static CompletableFuture<Outcome<Prepared>> waiting(Node node, ClaimRef claim, int reads) throws Exception {
        CompletableFuture<Outcome<Prepared>> waiting = node.begin(claim);
        node.claims.awaitReads(reads);
        assertThat(waiting).isNotDone();
        return waiting;
    }

    private static void assertPrepared(CompletableFuture<Outcome<Prepared>> answer) throws Exception {
        assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Accepted.class);
    }

    /** The answer is seen before its thread has ended. */
    private static void assertGivenBack(Node node) throws InterruptedException {
        Eventually.holds("the hold is given back", () -> node.channels.underWay() == 0);
    }

    private static PreparedDevice.ReturnedDevice device(Outcome<Prepared> answer) {
        return answer.toOptional().orElseThrow().devices().getFirst();
    }

    private static Refusal refusal(Outcome<Prepared> answer) {
        return Refused.of(answer);
    }

    private static String spec(Node node, ClaimRef claim) throws Exception {
        return Files.readString(node.specs.file(claim.uid()));
    }
}
