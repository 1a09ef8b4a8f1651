package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.checkpoint.PluginLock;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimHost;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.claim.Refused;
import io.imexagent.files.FileStep;
import io.imexagent.files.FileSteps;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.kubernetes.ApiFailure;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A fault at every step of a prepare: the refusal tells it, leaves no entry, and the retry succeeds. */
class PrepareFaultsTest {

    @TempDir
    Path folder;

    @Test
    void aFaultAtAnyFileStepOfAPrepareIsToldAndTheRetrySucceeds() throws Exception {
        int steps = fileSteps(Deed.PREPARE);

        assertThat(steps).isGreaterThanOrEqualTo(11);
        for (int step = 1; step <= steps; step++) {
            var faulty = new FaultySteps();
            try (Node node =
                    Node.in(folder.resolve("prepare-" + step)).with(faulty).start()) {
                ClaimRef claim = node.claim("a");
                faulty.failOnce(step, "No space left on device");

                Outcome<Prepared> answer = node.prepare(claim);

                assertThat(Refused.of(answer).code()).as("step %s", step).isEqualTo(RefusalCode.EFFECT_FAILED);
                assertThat(Refused.of(answer).message())
                        .contains(": No space left on device; free space there, the claim is retried");
                assertThat(node.saved().entries()).as("step %s", step).isEmpty();
                assertThat(node.specs.list()).as("step %s", step).isEmpty();
                assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
                assertPrepared(node, claim);
            }
        }
    }

    @Test
    void aDiskThatIsFullFromAnyFileStepOnLeavesNothingThatARestartWouldNotMend() throws Exception {
        int steps = fileSteps(Deed.PREPARE);
        for (int step = 1; step <= steps; step++) {
            var faulty = new FaultySteps();
            Path place = folder.resolve("full-" + step);
            try (Node node = Node.in(place).with(faulty).start()) {
                ClaimRef claim = node.claim("a");
                faulty.failFrom(step, "Read-only file system");

                Outcome<Prepared> answer = node.prepare(claim);

                assertThat(Refused.of(answer).message())
                        .contains(": Read-only file system; remount it writable, the claim is retried");
                assertThat(node.prepared.ledger().completed()).isEmpty();
                faulty.heal();
                try (Node restarted = Node.in(place).like(node).start()) {
                    assertThat(restarted.saved().entries().keySet()).containsAll(restarted.specs.list());
                    assertThat(restarted.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
                    assertPrepared(restarted, claim);
                }
            }
        }
    }

    @Test
    void aDiskThatWasFullForAWhileNeedsNoRestart() throws Exception {
        int steps = fileSteps(Deed.PREPARE);
        for (int step = 1; step <= steps; step++) {
            var faulty = new FaultySteps();
            try (Node node =
                    Node.in(folder.resolve("while-" + step)).with(faulty).start()) {
                ClaimRef claim = node.claim("a");
                faulty.failFrom(step, "No space left on device");
                node.prepare(claim);
                assertThat(Refused.of(node.prepare(claim)).code()).isEqualTo(RefusalCode.EFFECT_FAILED);

                faulty.heal();

                assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
                assertPrepared(node, claim);
            }
        }
    }

    @Test
    void aFaultAtAnyFileStepOfAnUnprepareIsToldAndTheRetrySucceeds() throws Exception {
        int steps = fileSteps(Deed.UNPREPARE);

        assertThat(steps).isGreaterThanOrEqualTo(6);
        for (int step = 1; step <= steps; step++) {
            var faulty = new FaultySteps();
            try (Node node =
                    Node.in(folder.resolve("unprepare-" + step)).with(faulty).start()) {
                ClaimRef claim = node.claim("a");
                node.prepare(claim);
                faulty.failOnce(step, "Input/output error");

                Outcome<Unprepared> answer = node.unprepare(claim);

                assertThat(Refused.of(answer).code()).as("step %s", step).isEqualTo(RefusalCode.EFFECT_FAILED);
                assertThat(Refused.of(answer).message()).contains("check the disk (journalctl -k)");
                assertThat(node.unprepare(claim)).isEqualTo(Outcome.accepted(new Unprepared()));
                assertThat(node.saved().entries()).isEmpty();
                assertThat(node.specs.list()).isEmpty();
            }
        }
    }

    @Test
    void aPreparedClaimWhoseUnprepareFailedIsWholeAgainWhenItIsAskedFor() throws Exception {
        int steps = fileSteps(Deed.UNPREPARE);
        for (int step = 1; step <= steps; step++) {
            var faulty = new FaultySteps();
            Path place = folder.resolve("again-" + step);
            try (Node node = Node.in(place).with(faulty).start()) {
                ClaimRef claim = node.claim("a");
                node.prepare(claim);
                faulty.failOnce(step, "Input/output error");
                node.unprepare(claim);

                assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);

                assertPrepared(node, claim);
                try (Node restarted = Node.in(place).like(node).start()) {
                    assertPrepared(restarted, claim);
                }
            }
        }
    }

    @Test
    void everyFailureOfTheApiIsToldAndTheRetrySucceeds() {
        withEveryFailure((node, claim, failure) -> {
            node.claims.breakFor(claim, failure);

            assertRefused(node, claim, RefusalCode.API_UNAVAILABLE, failure.message());

            node.claims.mend(claim);
        });
    }

    @Test
    void everyFailureToLookUpTheDomainIsToldAndTheRetrySucceeds() {
        withEveryFailure((node, claim, failure) -> {
            node.domains.remove(DraSpecimens.DOMAIN);
            node.domains.fail(Optional.of(failure));

            assertRefused(node, claim, RefusalCode.API_UNAVAILABLE, failure.message());

            node.domains.fail(Optional.empty());
            node.domains.serve(DraSpecimens.DOMAIN, DraSpecimens.NAMESPACE);
        });
    }

    private interface Trial {
        void on(Node node, ClaimRef claim, ApiFailure failure) throws Exception;
    }

    /** Each kind of failure on a node of its own, all at once: the calls wait until they give up. */
    private void withEveryFailure(Trial trial) {
        var answers = new EnumMap<ApiFailure.FailureKind, Future<Outcome<Prepared>>>(ApiFailure.FailureKind.class);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (ApiFailure.FailureKind kind : ApiFailure.FailureKind.values()) {
                answers.put(kind, threads.submit(() -> answer(kind, trial)));
            }
        }
        answers.forEach((kind, answer) ->
                assertThat(answer).as("%s", kind).succeedsWithin(Duration.ZERO).isInstanceOf(Outcome.Accepted.class));
    }

    private Outcome<Prepared> answer(ApiFailure.FailureKind kind, Trial trial) throws Exception {
        try (Node node = Node.in(folder.resolve(kind.name())).start()) {
            ClaimRef claim = node.claim("a");
            trial.on(node, claim, FakeClaims.failure(kind, "why, and what to do"));
            return node.prepare(claim);
        }
    }

    @Test
    void aFaultAtEveryQuestionOfThePlanIsToldAndLeavesNoEntry() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");

            node.claims.put(claim, DraSpecimens.status("{\"domainId\":\"x\"}", "channel-0"));
            assertRefused(node, claim, RefusalCode.CONFIG_INVALID, "unknown field \"domainId\"");
            node.claims.put(claim, DraSpecimens.status(DraSpecimens.daemonConfig(DraSpecimens.DOMAIN), "daemon-0"));
            assertRefused(node, claim, RefusalCode.DAEMON_DISABLED, "disabled under HostManagedIMEX");
            for (String mode : List.of("All", "foo")) {
                node.claims.put(
                        claim, DraSpecimens.status(DraSpecimens.channelConfig(DraSpecimens.DOMAIN, mode), "channel-0"));
                assertRefused(node, claim, RefusalCode.ALLOCATION_MODE, "allocationMode \"" + mode + "\"");
            }
            node.claims.put(claim, DraSpecimens.status(DraSpecimens.DOMAIN));
            node.domains.remove(DraSpecimens.DOMAIN);
            assertRefused(node, claim, RefusalCode.DOMAIN_NOT_FOUND, "no ComputeDomain of namespace team has the UID");
            node.domains.serve(DraSpecimens.DOMAIN, "other");
            assertRefused(node, claim, RefusalCode.DOMAIN_NOT_FOUND, "of namespace team has the UID");
            node.domains.serve(DraSpecimens.DOMAIN, DraSpecimens.NAMESPACE);
            node.inventory.set(Inventories.with(Inventories.gb200(), new CliqueState.NoClique("no GPU")));
            assertRefused(
                    node,
                    claim,
                    RefusalCode.NO_CLIQUE,
                    "host-managed IMEX requires an NVLink clique on this node; NVML reports none");
            node.inventory.set(Inventories.with(Inventories.gb200(), new ChannelMajor.UnregisteredMajor()));
            assertRefused(node, claim, RefusalCode.NO_CHANNEL_MAJOR, "lists no nvidia-caps-imex-channels");
            node.inventory.set(Inventories.gb200());
            node.claims.put(new ClaimRef(claim.name(), DraSpecimens.ref("other").uid()), "{}");
            assertRefused(node, claim, RefusalCode.CLAIM_REPLACED, "claim team/a");
            node.claims.remove(claim);
            assertRefused(node, claim, RefusalCode.CLAIM_NOT_FOUND, "does not exist");

            node.claim("a");
            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
        }
    }

    @Test
    void aLockThatAnotherProcessHoldsIsToldWithItsFile() throws Exception {
        try (Node node = Node.in(folder).start();
                var other = new PluginLock(node.plugin.resolve(ClaimHost.LOCK))) {
            ClaimRef claim = node.claim("a");
            try (var _ = other.acquire(Duration.ofSeconds(60))) {
                assertThat(Refused.of(node.prepare(claim)).message())
                        .contains("pu.lock is held by another process for more than 200 ms; fuser -v ");
                assertThat(Refused.of(node.unprepare(claim)).code()).isEqualTo(RefusalCode.EFFECT_FAILED);
            }
            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
        }
    }

    private static void assertRefused(Node node, ClaimRef claim, RefusalCode code, String message) throws Exception {
        // What can come good is waited for; the call gives up early.
        CompletableFuture<Outcome<Prepared>> answer = node.begin(claim, Duration.ofMillis(500));
        assertThat(Refused.of(answer.get(60, TimeUnit.SECONDS)).code()).isEqualTo(code);
        assertThat(Refused.of(answer.get()).message()).contains(message);
        assertThat(node.saved().entries()).isEmpty();
        assertThat(node.specs.list()).isEmpty();
    }

    private static void assertPrepared(Node node, ClaimRef claim) throws IOException {
        assertThat(node.saved(claim)).contains(DraSpecimens.completed(claim, 0));
        assertThat(node.spec(claim)).isPresent();
    }

    /** How many file steps the deed takes when nothing fails. */
    private int fileSteps(Deed deed) throws Exception {
        var counting = new FaultySteps();
        try (Node node = Node.in(folder.resolve("count-" + deed)).with(counting).start()) {
            ClaimRef claim = node.claim("a");
            counting.reset();
            node.prepare(claim);
            if (deed == Deed.UNPREPARE) {
                counting.reset();
                node.unprepare(claim);
            }
            assertThat(new TreeSet<>(counting.seen)).contains(FileStep.RENAME, FileStep.FLUSH_DIRECTORY);
            return counting.seen.size();
        }
    }

    private enum Deed {
        PREPARE,
        UNPREPARE
    }

    /** Counts file steps, and fails one of them, or all from one on. */
    private static final class FaultySteps implements FileSteps {

        final List<FileStep> seen = new ArrayList<>();
        private int first = Integer.MAX_VALUE;
        private int last = Integer.MAX_VALUE;
        private String reason = "";

        synchronized void reset() {
            seen.clear();
        }

        synchronized void failOnce(int step, String why) {
            reset();
            first = step;
            last = step;
            reason = why;
        }

        synchronized void failFrom(int step, String why) {
            failOnce(step, why);
            last = Integer.MAX_VALUE;
        }

        synchronized void heal() {
            first = Integer.MAX_VALUE;
        }

        @Override
        public synchronized void before(FileStep step, Path path) throws IOException {
            seen.add(step);
            if (seen.size() >= first && seen.size() <= last) {
                throw new FileSystemException(path.toString(), null, reason);
            }
        }
    }
}
