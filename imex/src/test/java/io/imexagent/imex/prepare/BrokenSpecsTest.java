package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.dra.recovery.SpecReconciler;
import io.imexagent.files.FileStep;
import io.imexagent.files.FileSteps;
import io.imexagent.imex.fake.Inventories;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Somebody removes or changes the CDI specs of prepared claims while the agent runs. */
class BrokenSpecsTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    private final AtomicBoolean broken = new AtomicBoolean();

    @Test
    void aSpecThatIsRemovedIsBackWithinAMinuteWithoutAWatch() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = prepared(node, "a");
            SpecReconciler reconciler = node.reconciler();
            reconciler.turn();
            Files.delete(spec(node, claim));

            Duration pause = reconciler.turn();

            assertThat(pause).isLessThan(MINUTE);
            assertThat(node.spec(claim)).isPresent();
            assertThat(node.restored).hasValue(1);
        }
    }

    @Test
    void aSpecThatIsRemovedIsBackAtOnceByTheWatch() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = prepared(node, "a");
            watched(node);

            Files.delete(spec(node, claim));

            Eventually.holds("written again", () -> node.spec(claim).isPresent());
        }
    }

    @Test
    void aDirectoryThatIsRemovedIsMadeAgainAndWatchedAgain() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef a = prepared(node, "a");
            watched(node);

            removeDirectory(node);
            Eventually.holds("written again", () -> node.spec(a).isPresent());
            node.time.advance(MINUTE.multipliedBy(2));
            removeDirectory(node);

            Eventually.holds("written once more", () -> node.spec(a).isPresent());
        }
    }

    @Test
    void aLinkThatIsTurnedToAnEmptyDirectoryIsFollowed() throws Exception {
        Path one = Files.createDirectory(folder.resolve("one"));
        Path other = Files.createDirectory(folder.resolve("other"));
        Files.createSymbolicLink(folder.resolve("cdi"), one);
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = prepared(node, "a");
            watched(node);

            Files.delete(folder.resolve("cdi"));
            Files.createSymbolicLink(folder.resolve("cdi"), other);

            Eventually.holds("written there", () -> Files.exists(other.resolve(name(node, claim))));
            node.time.advance(MINUTE.multipliedBy(2));
            Files.delete(other.resolve(name(node, claim)));
            Eventually.holds("watched there", () -> Files.exists(other.resolve(name(node, claim))));
        }
    }

    @Test
    void aSpecThatIsChangedOrDoubledIsMadeRight() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = prepared(node, "a");
            SpecReconciler reconciler = node.reconciler();
            Path spec = spec(node, claim);
            byte[] whole = Files.readAllBytes(spec);
            Files.writeString(spec, "torn");
            Path twin = spec.resolveSibling(name(node, claim).replace(".yaml", ".json"));
            Files.writeString(twin, "{}");

            reconciler.turn();

            assertThat(spec).hasBinaryContent(whole);
            assertThat(twin).doesNotExist();
        }
    }

    @Test
    void whoBreaksSpecsAgainAndAgainIsNotFoughtWith() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = prepared(node, "a");
            SpecReconciler reconciler = node.reconciler();
            Duration waited = Duration.ZERO;
            for (int round = 0; round < 200; round++) {
                Files.deleteIfExists(spec(node, claim));
                Duration pause = reconciler.turn();
                if (!Files.exists(spec(node, claim))) {
                    assertThat(pause).isPositive().isLessThan(MINUTE);
                    node.time.advance(pause);
                    waited = waited.plus(pause);
                }
            }

            assertThat(Duration.ofSeconds(node.restored.get() * 40L))
                    .as("repairs")
                    .isLessThan(waited.plus(MINUTE.multipliedBy(8)));
            node.time.advance(MINUTE.multipliedBy(2));
            Files.deleteIfExists(spec(node, claim));
            reconciler.turn();
            assertThat(node.spec(claim)).as("at once after a rest").isPresent();
        }
    }

    @Test
    void nothingIsBroughtBackOfAClaimThatWasUnprepared() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef gone = prepared(node, "gone");
            SpecReconciler reconciler = node.reconciler();
            watched(node);
            reconciler.turn();

            node.unprepare(gone);
            reconciler.turn();
            node.time.advance(MINUTE);
            reconciler.turn();

            assertThat(node.specs.list()).isEmpty();
            assertThat(node.restored).hasValue(0);
        }
    }

    @Test
    void whatTheNodeCannotTellComesBackAsItStood() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = prepared(node, "a");
            SpecReconciler reconciler = node.reconciler();
            reconciler.turn();
            byte[] whole = Files.readAllBytes(spec(node, claim));
            node.inventory.set(Inventories.with(Inventories.gb200(), new ChannelMajor.UnregisteredMajor()));
            Files.delete(spec(node, claim));

            reconciler.turn();

            assertThat(spec(node, claim)).hasBinaryContent(whole);
        }
    }

    @Test
    void aFullDiskIsReportedOnceAndTheSpecWrittenWhenThereIsRoom() throws Exception {
        var full = new AtomicBoolean();
        var tries = new AtomicInteger();
        FileSteps steps = (step, path) -> {
            if (full.get() && step == FileStep.WRITE) {
                tries.incrementAndGet();
                throw new FileSystemException(path.toString(), null, "No space left on device");
            }
        };
        try (Node node = Node.in(folder).with(steps).start()) {
            ClaimRef claim = prepared(node, "a");
            SpecReconciler reconciler = node.reconciler();
            Files.delete(spec(node, claim));
            full.set(true);

            assertThat(reconciler.turn()).isLessThan(MINUTE);
            assertThat(tries).hasValue(1);
            assertThat(reconciler.turn()).as("a wake too soon").isPositive().isLessThan(MINUTE);
            assertThat(tries).hasValue(1);
            node.time.advance(MINUTE);
            reconciler.turn();
            assertThat(tries).hasValue(2);
            assertThat(node.specFault.get()).contains(spec(node, claim).toString(), "No space left on device");
            assertThat(node.saved(claim)).as("still prepared").isPresent();

            full.set(false);
            node.time.advance(MINUTE);
            reconciler.turn();

            assertThat(node.spec(claim)).isPresent();
            assertThat(node.specFault).hasValue("");
        }
    }

    @Test
    void aSpecThatCannotBeWrittenKeepsNoOtherFromBeingRepaired() throws Exception {
        FileSteps steps = (step, path) -> {
            if (step == FileStep.RENAME && broken.get() && path.toString().matches(".*uid-[ac].*")) {
                throw new FileSystemException(path.toString(), null, "Operation not permitted");
            }
        };
        try (Node node = Node.in(folder).with(steps).with(Sharing.DOMAIN).start()) {
            ClaimRef a = prepared(node, "a");
            ClaimRef b = prepared(node, "b");
            ClaimRef c = prepared(node, "c");
            SpecReconciler reconciler = node.reconciler();
            reconciler.turn();
            broken.set(true);
            for (ClaimRef claim : List.of(a, b, c)) {
                Files.delete(spec(node, claim));
            }

            reconciler.turn();

            assertThat(node.spec(b)).isPresent();
            assertThat(node.restored).hasValue(1);
            assertThat(node.specFault.get())
                    .contains(spec(node, a).toString(), spec(node, c).toString())
                    .doesNotContain(spec(node, b).toString());
        }
    }

    @Test
    @Timeout(30)
    void aFifoOrADirectoryInASpecsPlaceIsReplaced() throws Exception {
        try (Node node = Node.in(folder).start()) {
            Path spec = spec(node, prepared(node, "a"));
            byte[] whole = Files.readAllBytes(spec);
            SpecReconciler reconciler = node.reconciler();
            reconciler.turn();
            Files.delete(spec);
            assertThat(new ProcessBuilder("mkfifo", spec.toString()).start().waitFor())
                    .isZero();
            reconciler.turn();
            assertThat(spec).hasBinaryContent(whole);

            node.time.advance(MINUTE.multipliedBy(2));
            Files.delete(spec);
            Files.createDirectories(spec.resolve("full"));
            reconciler.turn();
            assertThat(spec).hasBinaryContent(whole);
        }
    }

    @Test
    void filesOfOthersAreNoReasonToLook() {
        try (Node node = Node.in(folder).build()) {
            assertThat(node.specs.isOfClaim(Path.of(name(node, DraSpecimens.ref("a")))))
                    .isTrue();
            assertThat(node.specs.isOfClaim(Path.of("." + name(node, DraSpecimens.ref("a")) + ".0.tmp")))
                    .isFalse();
            assertThat(node.specs.isOfClaim(Path.of("k8s.gpu.nvidia.com-claim_uid-a.yaml")))
                    .isFalse();
        }
    }

    private static ClaimRef prepared(Node node, String name) throws Exception {
        ClaimRef claim = node.claim(name);
        node.prepare(claim);
        assertThat(node.spec(claim)).isPresent();
        return claim;
    }

    private static void watched(Node node) {
        SpecReconciler reconciler = node.reconciler();
        reconciler.start();
        reconciler.watch();
    }

    private static Path spec(Node node, ClaimRef claim) {
        return node.specs.file(claim.uid());
    }

    private static String name(Node node, ClaimRef claim) {
        return spec(node, claim).getFileName().toString();
    }

    private static void removeDirectory(Node node) throws IOException {
        Path directory = node.specs.directory();
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        // The agent may be at it already.
        try {
            Files.delete(directory);
        } catch (FileSystemException notEmpty) {
            assertThat(directory).exists();
        }
    }
}
