package io.imexagent.cdi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.files.FileStep;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CdiDirectoryTest {

    private static final ClaimUid CLAIM = new ClaimUid("7f3c0156-3566-44cf-a6f8-8acd6bcbbf17");
    private static final String FILE = "k8s.compute-domain.nvidia.com-claim_7f3c0156-3566-44cf-a6f8-8acd6bcbbf17.yaml";
    private static final ClaimEdits SPEC = spec(0);
    private static final ClaimEdits OTHER_SPEC = spec(1);
    private static final ClaimEdits WITH_FILE = withFile(0, "NAME=value", "OTHER=more");
    private static final String OWN = FILE.replace(".yaml", ".conf");

    @TempDir
    Path parent;

    private Path path = Path.of("");
    private CdiDirectory directory = new CdiDirectory(path, Channels.KIND);

    @BeforeEach
    void choosesADirectoryThatIsMissing() {
        path = parent.resolve("cdi");
        directory = new CdiDirectory(path, Channels.KIND);
    }

    @Test
    void writesTheFileThatTheContractNamesAndEveryoneCanRead() throws IOException {
        directory.ensure(CLAIM, SPEC);

        assertThat(names()).containsExactly(FILE);
        assertThat(directory.file(CLAIM)).isEqualTo(path.resolve(FILE));
        assertThat(Files.getPosixFilePermissions(path.resolve(FILE)))
                .isEqualTo(PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(Files.getPosixFilePermissions(path)).isEqualTo(PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void readsWhatItWrote() throws IOException {
        directory.ensure(CLAIM, SPEC);

        assertThat(Files.readAllBytes(directory.file(CLAIM))).isEqualTo(CdiSpecWriter.encode(Channels.KIND, SPEC));
        assertThat(CdiSpecReader.read(directory, CLAIM)).isPresent();
        assertThat(CdiSpecReader.read(directory, new ClaimUid("other"))).isEmpty();
    }

    /** Recorded from a public driver 0.5, which says in it which node of the host is meant. */
    @Test
    void replacesASpecOfThePublicDriverAndLeavesTheOneOfAllDevicesAlone() throws IOException {
        var claim = new ClaimUid("ed433b3c-789a-421c-839f-faa6b836621f");
        String base = "k8s.compute-domain.nvidia.com-device_base.yaml";
        Path recorded = Path.of("src/test/resources/public-driver-0.5");
        Files.createDirectories(path);
        Files.copy(recorded.resolve("claim.yaml"), directory.file(claim));
        Files.copy(recorded.resolve("base.yaml"), path.resolve(base));
        assertThat(directory.list()).containsExactly(claim);

        directory.ensure(claim, Channels.edits(claim, 0, 507));

        assertThat(CdiSpecReader.read(directory, claim)).isPresent();
        directory.remove(claim);
        directory.sweepTemporaries();
        assertThat(names()).containsExactly(base);
        assertThat(path.resolve(base)).hasSameBinaryContentAs(recorded.resolve("base.yaml"));
    }

    @Test
    void writesWithOneFlushOfTheFileAndOneOfTheDirectory() throws IOException {
        directory.ensure(CLAIM, SPEC);
        var steps = new ArrayList<FileStep>();

        new CdiDirectory(path, Channels.KIND, (step, at) -> steps.add(step)).ensure(CLAIM, OTHER_SPEC);

        assertThat(steps)
                .containsExactly(
                        FileStep.CREATE_TEMPORARY,
                        FileStep.WRITE,
                        FileStep.FLUSH,
                        FileStep.RENAME,
                        FileStep.FLUSH_DIRECTORY);
    }

    @Test
    @Timeout(30)
    void whatIsNoSpecInASpecsPlaceIsNeverWaitedForAndReplaced() throws Exception {
        Files.createDirectories(path);
        Path spec = path.resolve(FILE);
        Path json = path.resolve(FILE.replace(".yaml", ".json"));
        List<Executable> obstacles = List.of(
                () -> fifo(spec),
                () -> Files.createDirectory(spec),
                () -> Files.createDirectories(spec.resolve("full")),
                () -> Files.createSymbolicLink(spec, Path.of("/dev/zero")),
                () -> Files.createSymbolicLink(spec, Path.of("/dev/tty")),
                () -> Files.createSymbolicLink(spec, spec),
                () -> Files.write(spec, new byte[(1 << 20) + 1]),
                () -> fifo(json),
                () -> Files.createDirectories(json.resolve("full")));
        for (Executable obstacle : obstacles) {
            directory.remove(CLAIM);
            obstacle.execute();

            assertThat(directory.holds(CLAIM, SPEC)).isFalse();
            assertThat(directory.stored(CLAIM)).isEmpty();
            assertThat(directory.list()).containsExactly(CLAIM);
            assertThat(directory.summary(CLAIM).map(sight -> sight.devices()).orElse(new TreeSet<>()))
                    .isEmpty();
            assertThat(directory.ensure(CLAIM, SPEC)).isTrue();
            assertThat(directory.holds(CLAIM, SPEC)).isTrue();

            directory.remove(CLAIM);
            obstacle.execute();
            directory.remove(CLAIM);
            assertThat(directory.list()).isEmpty();
        }
    }

    @FunctionalInterface
    private interface Executable {
        void execute() throws Exception;
    }

    private static void fifo(Path at) throws Exception {
        assertThat(new ProcessBuilder("mkfifo", at.toString()).start().waitFor())
                .isZero();
    }

    @Test
    void namesTemporariesSoThatRuntimesPassThemOver() throws IOException {
        var temporaries = new ArrayList<String>();

        new CdiDirectory(path, Channels.KIND, (step, at) -> {
                    if (step == FileStep.WRITE) {
                        temporaries.add(at.getFileName().toString());
                    }
                })
                .ensure(CLAIM, SPEC);

        assertThat(temporaries).hasSize(1).noneMatch(name -> name.endsWith(".yaml") || name.endsWith(".json"));
    }

    @Test
    void ensuresOnlyWhatIsNotSoYet() throws IOException {
        assertThat(directory.ensure(CLAIM, SPEC)).isTrue();
        assertThat(directory.ensure(CLAIM, SPEC)).isFalse();
        Files.writeString(directory.file(CLAIM), "bent");
        assertThat(directory.ensure(CLAIM, SPEC)).isTrue();
        assertThat(Files.readAllBytes(directory.file(CLAIM))).isEqualTo(CdiSpecWriter.encode(Channels.KIND, SPEC));
    }

    @Test
    void replacesAJsonFileOfTheClaimSinceDevicesInTwoFilesAreDisabled() throws IOException {
        Path json = Files.createDirectory(path).resolve(FILE.replace(".yaml", ".json"));
        Files.writeString(json, new String(CdiSpecWriter.encode(Channels.KIND, SPEC), UTF_8));
        assertThat(directory.list()).containsExactly(CLAIM);

        assertThat(directory.ensure(CLAIM, SPEC)).isTrue();

        assertThat(names()).containsExactly(FILE);
    }

    @Test
    void putsAFileOfTheClaimsOwnBesideTheSpecThatMountsIt() throws IOException {
        var renamed = new ArrayList<String>();

        new CdiDirectory(path, Channels.KIND, (step, at) -> {
                    if (step == FileStep.RENAME) {
                        renamed.add(at.getFileName().toString());
                    }
                })
                .ensure(CLAIM, WITH_FILE);

        assertThat(renamed).as("no spec names a file that is missing").containsExactly(OWN, FILE);
        assertThat(path.resolve(OWN)).hasContent("NAME=value\nOTHER=more\n");
        assertThat(Files.getPosixFilePermissions(path.resolve(OWN)))
                .isEqualTo(PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(CdiSpecReader.read(directory, CLAIM)
                        .orElseThrow()
                        .containerEdits()
                        .mounts())
                .containsExactly(new ContainerEdits.Mount(
                        path.resolve(OWN).toString(), "/run/a.conf", List.of("ro", "nosuid", "nodev", "bind")));
        assertThat(directory.list()).containsExactly(CLAIM);
    }

    @Test
    void ensuresTheFileOfTheClaimsOwnToo() throws IOException {
        assertThat(directory.ensure(CLAIM, WITH_FILE)).isTrue();
        assertThat(directory.ensure(CLAIM, WITH_FILE)).isFalse();
        Files.delete(path.resolve(OWN));
        assertThat(directory.holds(CLAIM, WITH_FILE)).isFalse();
        assertThat(directory.ensure(CLAIM, WITH_FILE)).isTrue();
        assertThat(directory.ensure(CLAIM, withFile(0, "NAME=other"))).isTrue();
        assertThat(path.resolve(OWN)).hasContent("NAME=other\n");
        assertThat(directory.ensure(CLAIM, SPEC)).isTrue();
        assertThat(names()).containsExactly(FILE);
    }

    @Test
    void removesTheFileOfTheClaimsOwnWithItsSpec() throws IOException {
        directory.ensure(CLAIM, WITH_FILE);

        directory.remove(CLAIM);

        assertThat(names()).isEmpty();
    }

    @Test
    void sweepsAFileOfAClaimsOwnOnlyWithoutItsSpec() throws IOException {
        directory.ensure(CLAIM, WITH_FILE);
        Path foreign = Files.writeString(path.resolve("nvidia.conf"), "");
        assertThat(directory.hasTemporaries()).isFalse();
        assertThat(directory.sweepTemporaries()).isEmpty();

        Files.delete(path.resolve(FILE));

        assertThat(directory.list()).as("a file alone proves no claim").isEmpty();
        assertThat(directory.hasTemporaries()).isTrue();
        assertThat(directory.sweepTemporaries()).containsExactly(path.resolve(OWN));
        assertThat(foreign).exists();
    }

    /** From each of these states to each other, cut before every step: a spec that is there has the file that it mounts. */
    @Test
    void isWholeWhereverAWriteIsCut() throws IOException {
        List<ClaimEdits> states = List.of(SPEC, WITH_FILE, withFile(1, "NAME=other"));
        for (ClaimEdits before : states) {
            for (ClaimEdits after : states) {
                int cut = 0;
                while (!written(before, after, cut)) {
                    assertThat(directory.file(CLAIM)).exists();
                    boolean mounts = Files.readString(directory.file(CLAIM)).contains(OWN);
                    assertThat(!mounts || Files.exists(path.resolve(OWN))).isTrue();
                    directory.sweepTemporaries();
                    directory.ensure(CLAIM, after);
                    assertThat(directory.holds(CLAIM, after)).isTrue();
                    cut++;
                }
                assertThat(directory.holds(CLAIM, after)).isTrue();
            }
        }
    }

    private boolean written(ClaimEdits before, ClaimEdits after, int cut) throws IOException {
        directory.ensure(CLAIM, before);
        var steps = new AtomicInteger();
        try {
            new CdiDirectory(path, Channels.KIND, (step, at) -> {
                        if (steps.getAndIncrement() == cut) {
                            throw new IOException("cut");
                        }
                    })
                    .ensure(CLAIM, after);
            return true;
        } catch (IOException atTheCut) {
            return false;
        }
    }

    @Test
    void refusesAFileWhoseLineIsTwo() {
        assertThatThrownBy(() -> directory.ensure(CLAIM, withFile(0, "NAME=value\nOTHER=more")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("file[0]")
                .hasMessageContaining("must be one line");
    }

    @Test
    void removesASpecOnceAndIsContentTheSecondTime() throws IOException {
        directory.ensure(CLAIM, SPEC);

        directory.remove(CLAIM);
        directory.remove(CLAIM);

        assertThat(names()).isEmpty();
    }

    @Test
    void removesFromAMissingDirectory() throws IOException {
        directory.remove(CLAIM);

        assertThat(path).doesNotExist();
    }

    @Test
    void flushesTheDirectoryAlsoWhereNothingWasLeftToRemove() throws IOException {
        Files.createDirectory(path);
        var steps = new ArrayList<FileStep>();

        new CdiDirectory(path, Channels.KIND, (step, at) -> steps.add(step)).remove(CLAIM);

        assertThat(steps).endsWith(FileStep.FLUSH_DIRECTORY);
    }

    @Test
    void listsClaimsOfItsKindAlone() throws IOException {
        directory.ensure(new ClaimUid("b"), SPEC);
        directory.ensure(new ClaimUid("a"), SPEC);
        for (String foreign : List.of(
                "k8s.compute-domain.nvidia.com-claim_.yaml",
                "k8s.compute-domain.nvidia.com-claim_a_b.yaml",
                "k8s.compute-domain.nvidia.com-claim_c.txt",
                "k8s.gpu.nvidia.com-claim_d.yaml",
                ".k8s.compute-domain.nvidia.com-claim_e.yaml.0.tmp",
                "nvidia.yaml")) {
            Files.writeString(path.resolve(foreign), "");
        }

        assertThat(directory.list()).containsExactly(new ClaimUid("a"), new ClaimUid("b"));
    }

    @Test
    void listsNothingWhereTheDirectoryIsMissing() throws IOException {
        assertThat(directory.list()).isEmpty();
    }

    @Test
    void sweepsTemporariesOfItsKindAlone() throws IOException {
        Files.createDirectory(path);
        Path ours = Files.writeString(path.resolve("." + FILE + ".0.tmp"), "half");
        Path foreign = Files.writeString(path.resolve(".nvidia.yaml.0.tmp"), "half");

        assertThat(directory.sweepTemporaries()).containsExactly(ours);
        assertThat(foreign).exists();
    }

    @ParameterizedTest
    @EnumSource(names = {"CREATE_TEMPORARY", "WRITE", "FLUSH", "RENAME"})
    void keepsTheOldSpecWhereAStepFails(FileStep failing) throws IOException {
        directory.ensure(CLAIM, SPEC);

        assertThatThrownBy(() -> failingAt(failing).ensure(CLAIM, OTHER_SPEC))
                .isInstanceOf(IOException.class)
                .hasMessage("cannot write " + path.resolve(FILE)
                        + ": No space left on device; free space there, the claim is retried");

        assertThat(Files.readAllBytes(directory.file(CLAIM))).isEqualTo(CdiSpecWriter.encode(Channels.KIND, SPEC));
        assertThat(names()).containsExactly(FILE);
    }

    @Test
    void saysWhereTheDirectoryCouldNotBeMade() {
        assertThatThrownBy(() -> failingAt(FileStep.CREATE_DIRECTORY).ensure(CLAIM, SPEC))
                .hasMessageStartingWith("cannot create " + path + ": ");
    }

    @Test
    void refusesToWriteWhatRuntimesWouldRefuse() {
        var empty = new ClaimEdits(ClaimEdits.Edits.NONE, Collections.emptySortedMap());

        assertThatThrownBy(() -> directory.ensure(CLAIM, empty))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least one device");
        assertThat(path).doesNotExist();
    }

    private CdiDirectory failingAt(FileStep failing) {
        return new CdiDirectory(path, Channels.KIND, (step, at) -> {
            if (step == failing) {
                throw new FileSystemException(at.toString(), null, "No space left on device");
            }
        });
    }

    private static ClaimEdits spec(int channel) {
        return Channels.edits(CLAIM, channel, 234);
    }

    private static ClaimEdits withFile(int channel, String... lines) {
        ClaimEdits plain = spec(channel);
        return new ClaimEdits(
                plain.shared(), plain.devices(), Optional.of(new ClaimEdits.ClaimFile("/run/a.conf", List.of(lines))));
    }

    private List<String> names() throws IOException {
        try (Stream<Path> entries = Files.list(path)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }
}
