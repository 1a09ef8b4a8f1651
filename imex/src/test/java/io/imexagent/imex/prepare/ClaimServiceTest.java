package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.ClaimRequest;
import io.imexagent.dra.claim.ClaimService;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.PreparedClaims.EffectListener;
import io.imexagent.dra.claim.RecordingPrepareObserver;
import io.imexagent.dra.claim.Refused;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClaimServiceTest {

    @TempDir
    Path folder;

    @Test
    void preparesAClaimWithCheckpointAndSpec() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");

            Outcome<Prepared> answer = node.prepare(claim);

            assertThat(answer).isEqualTo(Outcome.accepted(new Prepared(List.of(DraSpecimens.channel(claim)))));
            assertThat(node.saved(claim)).contains(DraSpecimens.completed(claim, 0));
            assertThat(node.spec(claim)).isPresent();
        }
    }

    /** As the scheduler writes it of a claim that asks two drivers for a device. */
    @Test
    void keepsNothingOfOtherDriversInTheCheckpoint() throws Exception {
        try (Node node = Node.in(folder).start()) {
            String others = "{\"request\":\"gpu\",\"driver\":\"gpu.example.com\",\"pool\":\"p\",\"device\":\"gpu-0\"},";
            String parameters = "{\"source\":\"FromClaim\",\"requests\":[],\"opaque\":{\"driver\":\"gpu.example.com\","
                    + "\"parameters\":\"" + "x".repeat(60_000) + "\"}},";
            ClaimRef claim = node.claim(
                    "a",
                    DraSpecimens.status(DraSpecimens.DOMAIN)
                            .replace("\"results\":[", "\"results\":[" + others)
                            .replace("\"config\":[", "\"config\":[" + parameters));

            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);

            assertThat(node.saved(claim)).contains(DraSpecimens.completed(claim, 0));
            try (Node restarted = Node.in(folder).like(node).start()) {
                assertThat(restarted.unprepare(claim)).isEqualTo(Outcome.accepted(new Unprepared()));
            }
        }
    }

    @Test
    void answersAPreparedClaimWithoutTheApi() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            Outcome<Prepared> first = node.prepare(claim);
            node.claims.remove(claim);
            node.claims.throwAlways(new IllegalStateException("nobody may ask"));

            assertThat(node.prepare(claim)).isEqualTo(first);
        }
    }

    @Test
    void givesAPreparedClaimItsLostSpecBackWithTheNextAnswer() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.prepare(claim);
            node.specs.remove(claim.uid());

            node.prepare(claim);

            assertThat(node.spec(claim)).isPresent();
        }
    }

    @Test
    void unpreparesWithoutTheApiAndLeavesNothing() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.prepare(claim);
            node.claims.throwAlways(new IllegalStateException("nobody may ask"));

            assertThat(node.unprepare(claim)).isEqualTo(Outcome.accepted(new Unprepared()));
            assertThat(node.saved().entries()).isEmpty();
            assertThat(node.specs.list()).isEmpty();
        }
    }

    @Test
    void unpreparesWhatItNeverPrepared() throws Exception {
        try (Node node = Node.in(folder).start()) {
            assertThat(node.unprepare(DraSpecimens.ref("unknown"))).isEqualTo(Outcome.accepted(new Unprepared()));

            var impossible = new ClaimRequest("team", "a", "../../etc/passwd");
            assertThat(node.service.unprepare(List.of(impossible)).get())
                    .isEqualTo(Map.of("../../etc/passwd", Outcome.accepted(new Unprepared())));
        }
    }

    @Test
    void refusesARequestThatNamesNoClaimAndPreparesItsNeighbours() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            List<ClaimRequest> requests = List.of(
                    new ClaimRequest("team", "a", "../x"),
                    DraSpecimens.request(claim),
                    new ClaimRequest("Team", "a", "uid-b"),
                    new ClaimRequest("team", "a/b", "uid-c"));

            Map<String, Outcome<Prepared>> answers =
                    node.service.prepare(requests, Node.BUDGET).get();

            assertThat(answers).containsOnlyKeys("../x", "uid-a", "uid-b", "uid-c");
            for (String bad : List.of("../x", "uid-b", "uid-c")) {
                assertThat(Refused.of(answers.get(bad)).code()).isEqualTo(RefusalCode.BAD_REQUEST);
            }
            assertThat(answers.get("uid-a")).isInstanceOf(Outcome.Accepted.class);
        }
    }

    @Test
    void refusesTwoClaimsWithOneUid() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            List<ClaimRequest> requests = List.of(DraSpecimens.request(claim), new ClaimRequest("team", "b", "uid-a"));

            Map<String, Outcome<Prepared>> answers =
                    node.service.prepare(requests, Node.BUDGET).get();

            assertThat(answers).containsOnlyKeys("uid-a");
            assertThat(Refused.of(answers.get("uid-a")).code()).isEqualTo(RefusalCode.BAD_REQUEST);
            assertThat(node.saved().entries()).isEmpty();
        }
    }

    @Test
    void theLogNamesTheClaimThatIsUnprepared() throws Exception {
        var lines = new CopyOnWriteArrayList<String>();
        Logger log = Logger.getLogger(ClaimService.class.getName());
        var handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(new SimpleFormatter().formatMessage(line));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        log.addHandler(handler);
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("named");
            node.prepare(claim);

            node.unprepare(claim);

            assertThat(lines).contains("claim unprepared claim=\"team/named\" uid=uid-named");
        } finally {
            log.removeHandler(handler);
        }
    }

    @Test
    void answersEachOfAHundredClaimsForItself() throws Exception {
        try (Node node = Node.in(folder).start()) {
            var requests = new ArrayList<ClaimRequest>();
            IntStream.range(0, 99)
                    .mapToObj(number -> node.claim(
                            "bad-" + number,
                            DraSpecimens.status(
                                    DraSpecimens.channelConfig(DraSpecimens.DOMAIN, "Mode" + number), "channel-0")))
                    .map(DraSpecimens::request)
                    .forEach(requests::add);
            ClaimRef good = node.claim("good");
            requests.add(50, DraSpecimens.request(good));

            Map<String, Outcome<Prepared>> answers =
                    node.service.prepare(requests, Node.BUDGET).get();

            assertThat(answers).hasSize(100);
            assertThat(answers.remove("uid-good"))
                    .isEqualTo(Outcome.accepted(new Prepared(List.of(DraSpecimens.channel(good)))));
            assertThat(answers.values())
                    .allSatisfy(answer -> assertThat(Refused.of(answer).code()).isEqualTo(RefusalCode.ALLOCATION_MODE));
            assertThat(node.saved().entries()).containsOnlyKeys(good.uid());
        }
    }

    @Test
    void asksForTheClaimsOfARequestAtTheSameTime() throws Exception {
        try (Node node = Node.in(folder).start()) {
            var release = node.claims.hold();
            var requests = IntStream.range(0, 10)
                    .mapToObj(number -> DraSpecimens.request(node.claim("c" + number, "{}")))
                    .toList();

            var answers = CompletableFuture.supplyAsync(
                    () -> node.service.prepare(requests, Node.BUDGET).get());
            node.claims.awaitReads(10);
            release.countDown();

            assertThat(answers.get(60, TimeUnit.SECONDS)).hasSize(10);
        }
    }

    @Test
    void joinsAPrepareOfTheSameClaimThatIsUnderWay() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            var release = node.claims.hold();

            var first = node.begin(claim);
            node.claims.awaitReads(1);
            var second = node.begin(claim);
            release.countDown();

            assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(second.get(60, TimeUnit.SECONDS));
            assertThat(node.claims.reads()).isEqualTo(1);
        }
    }

    @Test
    void preparesAClaimOnceHoweverManyAskAtOnce() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");

            var answers = IntStream.range(0, 200)
                    .parallel()
                    .mapToObj(number -> node.begin(claim))
                    .toList();

            var expected = Outcome.accepted(new Prepared(List.of(DraSpecimens.channel(claim))));
            for (var answer : answers) {
                assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(expected);
            }
            assertThat(node.prepared.ledger().entries()).containsOnlyKeys(claim.uid());
        }
    }

    @Test
    void callsTakeEffectInTheOrderInWhichTheyCame() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            for (int round = 0; round < 50; round++) {
                var prepared = node.service.prepare(List.of(DraSpecimens.request(claim)), Node.BUDGET);
                var unprepared = node.service.unprepare(List.of(DraSpecimens.request(claim)));

                assertThat(unprepared.get()).containsEntry("uid-a", Outcome.accepted(new Unprepared()));
                assertThat(prepared.get()).hasSize(1);
                assertThat(node.prepared.ledger().completed())
                        .as("round %s", round)
                        .isEmpty();
            }
        }
    }

    @Test
    void keepsTheChannelWithOneClaimWhileManyPrepareAndUnprepare() throws Exception {
        try (Node node = Node.in(folder).start()) {
            List<ClaimRef> claims = IntStream.range(0, 8)
                    .mapToObj(number -> node.claim("c" + number))
                    .toList();

            var rounds = IntStream.range(0, 8).parallel().mapToObj(number -> round(node, claims.get(number)));

            assertThat(rounds.toList()).hasSize(8).doesNotContain(0);
            assertThat(node.saved().entries()).isEmpty();
            assertThat(node.specs.list()).isEmpty();
        }
    }

    /** Prepares and unprepares until the claim had the channel three times; returns how often it tried. */
    private static int round(Node node, ClaimRef claim) {
        try {
            int had = 0;
            int tries = 0;
            while (had < 3) {
                tries++;
                if (node.begin(claim, Duration.ofMillis(50)).get(60, TimeUnit.SECONDS) instanceof Outcome.Accepted) {
                    had++;
                    assertThat(node.prepared.ledger().completed()).hasSizeLessThanOrEqualTo(1);
                }
                assertThat(node.unprepare(claim)).isEqualTo(Outcome.accepted(new Unprepared()));
            }
            return tries;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void anUnexpectedFailureOfOneClaimIsItsOwn() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.prepare(claim);
            ClaimRef other = node.claim("b");
            node.claims.throwAlways(new IllegalStateException("a defect"));

            Map<String, Outcome<Prepared>> answers = node.service
                    .prepare(List.of(DraSpecimens.request(other), DraSpecimens.request(claim)), Node.BUDGET)
                    .get();

            assertThat(Refused.of(answers.get("uid-b")).code()).isEqualTo(RefusalCode.INTERNAL);
            assertThat(answers.get("uid-a")).isInstanceOf(Outcome.Accepted.class);
        }
    }

    @Test
    void aDefectOnTheWorkerIsAnAnswerAndTheWorkerGoesOn() throws Exception {
        var armed = new AtomicBoolean(true);
        EffectListener faulty = effect -> {
            if (armed.compareAndSet(true, false)) {
                throw new IllegalStateException("a defect");
            }
        };
        try (Node node = Node.in(folder).with(faulty).start()) {
            ClaimRef claim = node.claim("a");

            assertThat(Refused.of(node.prepare(claim)).code()).isEqualTo(RefusalCode.INTERNAL);
            assertThat(node.saved().entries()).isEmpty();
            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
        }
    }

    @Test
    void refusesABelatedPrepareOfAnAbortedClaim() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.write(DraSpecimens.started(claim));

            assertThat(node.unprepare(claim)).isEqualTo(Outcome.accepted(new Unprepared()));

            assertThat(node.saved(claim)).containsInstanceOf(ClaimEntry.Aborted.class);
            assertThat(Refused.of(node.prepare(claim)).code()).isEqualTo(RefusalCode.PREPARE_ABORTED);

            node.time.jump(Duration.ofSeconds(91));
            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
        }
    }

    @Test
    void whatIsReportedOfDevicesMakesNoOtherVersionOfAnAbortedClaim() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.write(DraSpecimens.started(claim));
            node.unprepare(claim);
            String status = DraSpecimens.status(DraSpecimens.DOMAIN);
            String reported = status.substring(0, status.lastIndexOf('}'))
                    + ",\"devices\":[{\"driver\":\"compute-domain.nvidia.com\",\"pool\":\"" + DraSpecimens.NODE
                    + "\",\"device\":\"channel-0\",\"data\":{\"channel\":0}}]}";

            node.claims.put(claim, reported);

            assertThat(Refused.of(node.prepare(claim)).code()).isEqualTo(RefusalCode.PREPARE_ABORTED);
        }
    }

    @Test
    void tellsTheObserverOfRequestsRefusalsAndTheLedger() throws Exception {
        var observer = new RecordingPrepareObserver();
        try (Node node = Node.in(folder).with(observer).start()) {
            ClaimRef claim = node.claim("a");
            ClaimRef bad = node.claim("bad", "{}");

            var _ = node.service
                    .prepare(List.of(DraSpecimens.request(claim), DraSpecimens.request(bad)), Node.BUDGET)
                    .get();
            node.unprepare(claim);

            assertThat(observer.events)
                    .containsExactly(
                            "prepare began",
                            "prepare refused not_allocated",
                            "prepare ended not_allocated",
                            "unprepare began",
                            "unprepare ended well");
            assertThat(observer.prepared).containsExactly(0, 1, 0);
        }
    }

    @Test
    void tellsThePreparedDevicesAsTheKubeletKnowsThem() throws Exception {
        try (Node node = Node.in(folder).start()) {
            Outcome<Prepared> answer = node.prepare(node.claim("a"));

            assertThat(answer)
                    .isEqualTo(Outcome.accepted(new Prepared(List.of(new PreparedDevice.ReturnedDevice(
                            List.of("channel"),
                            "node-1",
                            "channel-0",
                            List.of("k8s.compute-domain.nvidia.com/claim=uid-a-channel-0"),
                            Optional.empty())))));
        }
    }
}
