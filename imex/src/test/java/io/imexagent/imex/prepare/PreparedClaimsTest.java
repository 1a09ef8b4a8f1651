package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.FileCheckpointStore.LoadOutcome;
import io.imexagent.checkpoint.PluginLock;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.PreparedClaims;
import io.imexagent.dra.claim.PreparedClaims.EffectListener;
import io.imexagent.dra.claim.Refused;
import io.imexagent.files.FileStep;
import io.imexagent.files.FileSteps;
import io.imexagent.imex.mode.ModeFile;
import io.imexagent.imex.mode.ModeGuard;
import io.imexagent.imex.mode.ServingMode;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PreparedClaimsTest {

    private static final ClaimRef A = DraSpecimens.ref("a");

    @TempDir
    Path folder;

    /** What the next saves meet. */
    private final Queue<IOException> failures = new ArrayDeque<>();

    @Test
    void showsALedgerOnlyOnceItIsSaved() throws Exception {
        try (var lock = new PluginLock(folder.resolve("pu.lock"))) {
            PreparedClaims book = book(lock);
            failures.add(new IOException("no space"));

            Optional<String> failure = failure(book, new Effect.RecordEntry(DraSpecimens.started(A)));

            assertThat(failure).hasValueSatisfying(is("no space"));
            assertThat(book.ledger().entries()).isEmpty();
            assertThat(failure(book, new Effect.RecordEntry(DraSpecimens.started(A))))
                    .isEmpty();
            assertThat(book.ledger().entry(A.uid())).contains(DraSpecimens.started(A));
        }
    }

    @Test
    void makesAFailedSaveGoodBeforeAnythingElse() throws Exception {
        try (var lock = new PluginLock(folder.resolve("pu.lock"))) {
            PreparedClaims book = book(lock);
            assertThat(failure(book, new Effect.RecordEntry(DraSpecimens.completed(A, 0))))
                    .isEmpty();
            failures.add(new IOException("no space"));
            assertThat(failure(book, new Effect.ForgetEntry(A.uid()))).hasValueSatisfying(is("no space"));
            failures.add(new IOException("still no space"));

            assertThat(failure(book)).as("even without an effect").hasValueSatisfying(is("still no space"));
            assertThat(failure(book)).isEmpty();
            assertThat(saved().entry(A.uid())).contains(DraSpecimens.completed(A, 0));
        }
    }

    @Test
    void savesNothingForAnEffectThatChangesNothing() throws Exception {
        try (var lock = new PluginLock(folder.resolve("pu.lock"))) {
            PreparedClaims book = book(lock);
            assertThat(failure(book, new Effect.RecordEntry(DraSpecimens.started(A))))
                    .isEmpty();
            failures.add(new IOException("a save that nobody needs"));

            assertThat(failure(book, new Effect.RecordEntry(DraSpecimens.started(A))))
                    .isEmpty();
            assertThat(failure(
                            book, new Effect.ForgetEntry(DraSpecimens.ref("b").uid())))
                    .isEmpty();
        }
    }

    @Test
    void tellsOfAChangeOnceForAllEffectsOfASession() throws Exception {
        var told = new ArrayList<Integer>();
        try (var lock = new PluginLock(folder.resolve("pu.lock"))) {
            PreparedClaims book = book(lock);
            book.onChange(ledger -> told.add(ledger.entries().size()));

            var _ = failure(
                    book,
                    new Effect.RecordEntry(DraSpecimens.started(A)),
                    new Effect.RecordEntry(DraSpecimens.completed(A, 0)));
            var _ = failure(book);

            assertThat(told).containsExactly(1);
        }
    }

    @Test
    void takesOverWhatAnotherProcessSaved() throws Exception {
        try (Node one = Node.in(folder).start();
                Node other = Node.in(folder).like(one).start()) {
            ClaimRef claim = one.claim("a");
            one.prepare(claim);

            assertThat(Refused.of(other.begin(other.claim("b"), Duration.ofMillis(400))
                                    .get(60, TimeUnit.SECONDS))
                            .code())
                    .isEqualTo(RefusalCode.CHANNEL_HELD);
            assertThat(other.unprepare(claim)).isEqualTo(Outcome.accepted(new Unprepared()));
            assertThat(one.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
            assertThat(one.saved().entries()).containsOnlyKeys(claim.uid());
        }
    }

    @Test
    void takesOverWhatAnotherProcessSavedAfterASaveOfItsOwnFailed() throws Exception {
        var full = new AtomicBoolean();
        FileSteps steps = (step, path) -> {
            if (full.get() && step == FileStep.WRITE) {
                throw new FileSystemException(path.toString(), null, "No space left on device");
            }
        };
        try (Node one = Node.in(folder).with(steps).start();
                Node other = Node.in(folder).like(one).start()) {
            full.set(true);
            assertThat(Refused.of(one.prepare(one.claim("a"))).code()).isEqualTo(RefusalCode.EFFECT_FAILED);
            full.set(false);
            ClaimRef theirs = other.claim("b");
            other.prepare(theirs);

            one.unprepare(DraSpecimens.ref("nobody"));

            assertThat(one.saved().entries()).containsOnlyKeys(theirs.uid());
            assertThat(one.prepared.ledger()).isEqualTo(one.saved());
        }
    }

    @Test
    void refusesToServeClaimsOfAnotherModeThatAnotherProcessSavedAndLeavesThemAlone() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef ours = node.claim("ours");
            node.prepare(ours);
            Ledger theirs = node.saved().with(DraSpecimens.daemon(DraSpecimens.ref("daemon")));
            node.checkpoint(theirs);

            Refusal prepared = Refused.of(node.prepare(ours));
            Outcome<Unprepared> unprepared = node.unprepare(ours);

            assertThat(prepared.code()).isEqualTo(RefusalCode.FOREIGN_CLAIMS);
            assertThat(prepared.message())
                    .contains("another process has changed the checkpoint", "driver-managed", "starts imex-agent again")
                    .doesNotContain("\n");
            assertThat(unprepared).isInstanceOf(Outcome.Refused.class);
            assertThat(node.saved()).isEqualTo(theirs);
            assertThat(node.spec(ours)).isPresent();

            node.checkpoint(theirs.without(DraSpecimens.ref("daemon").uid()));
            assertThat(node.unprepare(ours)).isEqualTo(Outcome.accepted(new Unprepared()));
        }
    }

    @Test
    void writesACheckpointOfAnotherBootAgain() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            Outcome<Prepared> answer = node.prepare(claim);
            Ledger ours = node.saved();
            node.checkpoint(Ledger.empty(Optional.of(new BootId("earlier")))
                    .with(DraSpecimens.completed(DraSpecimens.ref("b"), 0)));

            assertThat(node.prepare(claim)).isEqualTo(answer);
            assertThat(node.saved()).isEqualTo(ours);

            Files.writeString(node.store.file(), "torn");
            try (Node restarted = Node.in(folder).like(node).start()) {
                assertThat(restarted.saved()).as("the backup too").isEqualTo(ours);
            }
        }
    }

    @Test
    void countsClaimsThatAnotherProcessSavedWithoutABootToThisOne() throws Exception {
        try (Node node = Node.in(folder).start()) {
            Ledger ours = node.saved();
            ClaimEntry theirs = DraSpecimens.completed(DraSpecimens.ref("b"), 0);
            node.checkpoint(Ledger.empty(Optional.empty()).with(theirs));

            node.unprepare(DraSpecimens.ref("nobody"));

            assertThat(node.saved()).isEqualTo(ours.with(theirs));
        }
    }

    @Test
    void writesACheckpointAgainThatSomebodyRemovedOrSpoiled() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.prepare(claim);

            Files.delete(node.store.file());
            node.unprepare(DraSpecimens.ref("nobody"));
            assertThat(node.saved().entries()).containsOnlyKeys(claim.uid());

            Files.writeString(node.store.file(), "spoiled");
            Files.writeString(node.plugin.resolve("checkpoint.json.bak"), "spoiled too");
            node.unprepare(DraSpecimens.ref("nobody"));
            assertThat(node.saved().entries()).containsOnlyKeys(claim.uid());
        }
    }

    @Test
    void keepsASecondServiceOnTheSameDirectoryOutWhileItWorks() throws Exception {
        try (Node one = Node.in(folder).start();
                Node other = Node.in(folder).like(one).start()) {
            var entered = new CountDownLatch(1);
            var leave = new CountDownLatch(1);
            var working = one.worker.submit(() -> one.prepared.locked(session -> {
                entered.countDown();
                return await(leave);
            }));
            assertThat(entered.await(60, TimeUnit.SECONDS)).isTrue();

            Outcome<Prepared> shutOut = other.prepare(other.claim("a"));

            assertThat(Refused.of(shutOut).message()).contains("is held by another process");
            leave.countDown();
            assertThat(working.get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(other.prepare(other.claim("a"))).isInstanceOf(Outcome.Accepted.class);
        }
    }

    @Test
    void takesTheLockOnceForAPrepare() throws Exception {
        var during = new ArrayList<Boolean>();
        var probe = new ArrayList<PluginLock>();
        EffectListener looking = effect -> during.add(isFree(probe.getFirst()));
        try (Node node = Node.in(folder).with(looking).start();
                var other = new PluginLock(node.plugin.resolve("pu.lock"))) {
            probe.add(other);

            node.prepare(node.claim("a"));

            assertThat(during).containsExactly(false, false);
            assertThat(isFree(other)).isTrue();
        }
    }

    private static boolean isFree(PluginLock lock) {
        try (var _ = lock.acquire(Duration.ofMillis(400))) {
            return true;
        } catch (IOException held) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private PreparedClaims book(PluginLock lock) {
        return new PreparedClaims(
                new FileCheckpointStore(
                        folder, CheckpointFormat.PUBLIC_DRIVER, InstantSource.system(), (step, path) -> {
                            if (step == FileStep.CREATE_TEMPORARY && !failures.isEmpty()) {
                                throw failures.remove();
                            }
                        }),
                new ModeGuard(new ModeFile(folder), ServingMode.HOST_MANAGED_NONE),
                new CdiDirectory(folder.resolve("cdi"), ChannelRules.KIND),
                lock,
                Duration.ofSeconds(60),
                EffectListener.NONE);
    }

    private static Consumer<String> is(String reason) {
        return message -> assertThat(message).contains(": " + reason + ";");
    }

    /** Runs the effects in a session of their own; tells the message of what failed. */
    private static Optional<String> failure(PreparedClaims book, Effect... effects) throws InterruptedException {
        try {
            return book.locked(session -> {
                session.run(List.of(effects));
                return Optional.<String>empty();
            });
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private Ledger saved() throws IOException {
        return FileCheckpointStore.inspect(folder, CheckpointFormat.PUBLIC_DRIVER)
                        instanceof LoadOutcome.LoadedCheckpoint loaded
                ? loaded.ledger()
                : fail("no whole checkpoint");
    }
}
