package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.Refused;
import io.imexagent.dra.claim.Specimens;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One channel for each ComputeDomain, several of them on a node. */
class IsolatedClaimsTest {

    private static final String RED = "5d1c5c6e-0000-4000-8000-00000000000a";
    private static final String BLUE = "5d1c5c6e-0000-4000-8000-00000000000b";
    private static final int RED_CHANNEL = 5;
    private static final int BLUE_CHANNEL = 9;

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
            ClaimRef red = claim(node, "red", RED, RED_CHANNEL);
            ClaimRef blue = claim(node, "blue", BLUE, BLUE_CHANNEL);

            assertThat(device(node.prepare(red)).cdiDeviceIds())
                    .containsExactly("k8s.compute-domain.nvidia.com/claim=uid-red-channel-5");
            assertThat(device(node.prepare(blue)).cdiDeviceIds())
                    .containsExactly("k8s.compute-domain.nvidia.com/claim=uid-blue-channel-9");

            assertThat(spec(node, red)).contains("channel5").doesNotContain("channel9", "channel0");
            assertThat(spec(node, blue)).contains("channel9").doesNotContain("channel5", "channel0");
        }
    }

    @Test
    void aClaimThatWasGivenTheChannelOfAnotherDomainIsRefusedForGood() throws Exception {
        try (Node node = given.start()) {
            domains(node);
            ClaimRef thief = claim(node, "thief", RED, BLUE_CHANNEL);

            Refusal refusal = refusal(node.prepare(thief));

            assertThat(refusal.code()).isEqualTo(RefusalCode.CHANNEL_NOT_OF_DOMAIN);
            assertThat(refusal.code().retry()).isEqualTo(RefusalCode.Retry.NEVER);
            assertThat(refusal.answer())
                    .contains("channel 9", "ComputeDomain team/domain has channel 5", "[channel_not_of_domain]");
            assertThat(node.saved().entries()).isEmpty();
            assertThat(node.specs.list()).isEmpty();
            assertThat(node.domains.reads()).as("confirmed, once").isEqualTo(1);
        }
    }

    @Test
    void channelZeroIsNobodys() throws Exception {
        try (Node node = given.start()) {
            ClaimRef claim = claim(node, "a", RED, 0);

            assertThat(refusal(node.prepare(claim)).code()).isEqualTo(RefusalCode.DEVICE_NOT_PUBLISHED);
        }
    }

    @Test
    void aClaimIsPreparedAsSoonAsTheControllerHasGivenItsDomainAChannel() throws Exception {
        try (Node node = given.start()) {
            ClaimRef claim = Specimens.ref("a");
            node.claims.put(claim, Specimens.status(RED, RED_CHANNEL, Optional.empty()));
            node.domains.watch(RED, Specimens.NAMESPACE);
            node.domains.serve(RED, Specimens.NAMESPACE);
            CompletableFuture<Outcome<Prepared>> answer = node.begin(claim);
            node.claims.awaitReads(1);
            assertThat(answer).isNotDone();

            node.domains.serve(RED, Specimens.NAMESPACE, RED_CHANNEL);

            assertThat(device(answer.get(60, TimeUnit.SECONDS)).device()).isEqualTo("channel-5");
        }
    }

    @Test
    void aDomainThatGetsNoChannelIsRefusedForALaterTry() throws Exception {
        try (Node node = given.start()) {
            ClaimRef claim = Specimens.ref("a");
            node.claims.put(claim, Specimens.status(RED, RED_CHANNEL, Optional.empty()));
            node.domains.serve(RED, Specimens.NAMESPACE);
            CompletableFuture<Outcome<Prepared>> answer = node.begin(claim, Duration.ofMillis(300));

            Refusal refusal = refusal(answer.get(60, TimeUnit.SECONDS));
            assertThat(refusal.code()).isEqualTo(RefusalCode.DOMAIN_WITHOUT_CHANNEL);
            assertThat(refusal.message()).contains("has no channel yet", "the claim is retried");
        }
    }

    @Test
    void severalPodsOfADomainShareItsChannelEachWithADeviceOfItsOwn() throws Exception {
        try (Node node = given.start()) {
            ClaimRef first = share(node, "one", RED, RED_CHANNEL, "share-1");
            ClaimRef second = share(node, "two", RED, RED_CHANNEL, "share-2");

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
            ClaimRef first = share(node, "one", RED, RED_CHANNEL, "share-1");
            ClaimRef second = share(node, "two", RED, RED_CHANNEL, "share-2");
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
            node.prepare(claim(node, "old", RED, RED_CHANNEL));
            node.domains.remove(RED);

            CompletableFuture<Outcome<Prepared>> waiting = node.begin(claim(node, "new", BLUE, RED_CHANNEL));
            node.claims.awaitReads(1);
            assertThat(waiting).isNotDone();

            node.unprepare(Specimens.ref("old"));
            assertThat(waiting.get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Accepted.class);
        }
    }

    @Test
    void withoutSharingASecondPodOfADomainWaitsForTheFirst() throws Exception {
        try (Node node = given.with(Sharing.NONE).start()) {
            node.prepare(claim(node, "one", RED, RED_CHANNEL));

            CompletableFuture<Outcome<Prepared>> waiting = node.begin(claim(node, "two", RED, RED_CHANNEL));
            node.claims.awaitReads(1);
            assertThat(waiting).isNotDone();

            node.unprepare(Specimens.ref("one"));
            assertThat(waiting.get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Accepted.class);
        }
    }

    private static void domains(Node node) {
        node.domains.watch(RED, Specimens.NAMESPACE, RED_CHANNEL);
        node.domains.serve(RED, Specimens.NAMESPACE, RED_CHANNEL);
        node.domains.watch(BLUE, Specimens.NAMESPACE, BLUE_CHANNEL);
        node.domains.serve(BLUE, Specimens.NAMESPACE, BLUE_CHANNEL);
    }

    /** A claim of the domain with the channel; watch and server know the domain, with the channel that is asked for first. */
    private static ClaimRef claim(Node node, String name, String domain, int channel) {
        ClaimRef ref = Specimens.ref(name);
        node.claims.put(ref, Specimens.status(domain, channel, Optional.empty()));
        known(node, domain, channel);
        return ref;
    }

    private static ClaimRef share(Node node, String name, String domain, int channel, String share) {
        ClaimRef ref = Specimens.ref(name);
        node.claims.put(ref, Specimens.status(domain, channel, Optional.of(share)));
        known(node, domain, channel);
        return ref;
    }

    private static void known(Node node, String domain, int channel) {
        if (node.domains.cached(new ComputeDomainUid(domain)).isEmpty()) {
            node.domains.watch(domain, Specimens.NAMESPACE, channel);
            node.domains.serve(domain, Specimens.NAMESPACE, channel);
        }
    }

    private static PreparedDevice.Handed device(Outcome<Prepared> answer) {
        return answer.toOptional().orElseThrow().devices().getFirst();
    }

    private static Refusal refusal(Outcome<Prepared> answer) {
        return Refused.of(answer);
    }

    private static String spec(Node node, ClaimRef claim) throws Exception {
        return Files.readString(node.specs.file(claim.uid()));
    }
}
