package io.imexagent.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DurableFilesTest {

    private static final Set<PosixFilePermission> EVERYONE_READS = PosixFilePermissions.fromString("rw-r--r--");
    private static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwxr-xr-x");

    @TempDir
    Path directory;

    private final DurableFiles files = new DurableFiles(FileSteps.ALL_PASS, "the claim is retried");

    @Test
    void writesAFileThatIsMissing() throws IOException {
        Path target = directory.resolve("a");

        files.replace(target, bytes("one"), EVERYONE_READS);

        assertThat(target).hasContent("one");
        assertThat(names()).containsExactly("a");
    }

    @Test
    void givesTheFileItsModeWhateverTheUmaskSays() throws IOException {
        Path target = directory.resolve("a");

        files.replace(target, bytes("one"), PosixFilePermissions.fromString("rw-rw-rw-"));

        assertThat(Files.getPosixFilePermissions(target)).isEqualTo(PosixFilePermissions.fromString("rw-rw-rw-"));
    }

    @Test
    void replacesWithOneFlushOfTheFileAndOneOfTheDirectory() throws IOException {
        var steps = new ArrayList<FileStep>();
        Path target = directory.resolve("a");
        Files.writeString(target, "old");

        new DurableFiles((step, path) -> steps.add(step), "").replace(target, bytes("new"), EVERYONE_READS);

        assertThat(steps)
                .containsExactly(
                        FileStep.CREATE_TEMPORARY,
                        FileStep.WRITE,
                        FileStep.FLUSH,
                        FileStep.RENAME,
                        FileStep.FLUSH_DIRECTORY);
        assertThat(target).hasContent("new");
    }

    @Test
    void writesACopyAtNoFurtherFlush() throws IOException {
        var steps = new ArrayList<FileStep>();
        var watched = new DurableFiles((step, path) -> steps.add(step), "");
        Path target = directory.resolve("a");
        Path copy = directory.resolve("a.bak");

        watched.replaceWithCopy(target, copy, bytes("one"), EVERYONE_READS);

        assertThat(target).hasContent("one");
        assertThat(copy).hasContent("one");
        assertThat(steps).filteredOn(FileStep.FLUSH::equals).hasSize(1);
        assertThat(steps).filteredOn(FileStep.FLUSH_DIRECTORY::equals).hasSize(1);
        assertThat(names()).containsExactly("a", "a.bak");
    }

    @ParameterizedTest
    @EnumSource(names = {"CREATE_TEMPORARY", "WRITE", "FLUSH", "RENAME"})
    void leavesTheOldFileWhereAStepFails(FileStep failing) throws IOException {
        Path target = directory.resolve("a");
        Path copy = directory.resolve("a.bak");
        Files.writeString(target, "one");
        Files.writeString(copy, "one");

        assertThatThrownBy(() -> failingAt(failing).replaceWithCopy(target, copy, bytes("two"), EVERYONE_READS))
                .isInstanceOf(FileFault.class)
                .hasMessageMatching("cannot write \\Q" + target
                        + "\\E(\\.bak)?: No space left on device; free space there," + " the claim is retried");

        assertThat(target).hasContent("one");
        assertThat(Files.readString(copy)).isIn("one", "two");
        assertThat(names()).containsExactly("a", "a.bak");
    }

    @Test
    void reportsADirectoryThatCannotBeFlushed() throws IOException {
        Path target = directory.resolve("a");
        Files.writeString(target, "old");

        assertThatThrownBy(() -> failingAt(FileStep.FLUSH_DIRECTORY).replace(target, bytes("new"), EVERYONE_READS))
                .isInstanceOf(FileFault.class)
                .hasMessageContaining("cannot write " + target);

        assertThat(target).hasContent("new");
    }

    @Test
    void leavesOldOrNewContentAtEveryCrash() throws IOException {
        Path target = directory.resolve("a");
        Path copy = directory.resolve("a.bak");
        Files.writeString(target, "one");
        Files.writeString(copy, "one");
        var seen = new ArrayList<String>();
        var watched =
                new DurableFiles((step, path) -> seen.add(Files.readString(target) + "+" + Files.readString(copy)), "");

        watched.replaceWithCopy(target, copy, bytes("two"), EVERYONE_READS);

        assertThat(seen).containsOnly("one+one", "one+two", "two+two").hasSizeGreaterThan(6);
    }

    @Test
    void writesBesideTheTemporaryOfACrashAndSweepsIt() throws IOException {
        Path target = directory.resolve("claim_1.yaml");
        Path leftover = directory.resolve(".claim_1.yaml.0.tmp");
        Files.writeString(leftover, "ha");
        Files.writeString(directory.resolve(".other.yaml.0.tmp"), "not ours");

        files.replace(target, bytes("whole"), EVERYONE_READS);
        List<Path> swept = files.sweepTemporaries(directory, "claim_");

        assertThat(target).hasContent("whole");
        assertThat(swept).containsExactly(leftover);
        assertThat(names()).containsExactly(".other.yaml.0.tmp", "claim_1.yaml");
    }

    @Test
    void sweepsNothingWhereTheDirectoryIsMissing() throws IOException {
        assertThat(files.sweepTemporaries(directory.resolve("missing"), "a")).isEmpty();
    }

    @Test
    void deletesOnceAndIsContentTheSecondTime() throws IOException {
        Path target = Files.writeString(directory.resolve("a"), "x");
        var steps = new ArrayList<FileStep>();
        var watched = new DurableFiles((step, path) -> steps.add(step), "");

        watched.delete(List.of(target, directory.resolve("b")));
        watched.delete(List.of(target));

        assertThat(names()).isEmpty();
        assertThat(steps).filteredOn(FileStep.FLUSH_DIRECTORY::equals).hasSize(2);
    }

    @Test
    void deletesNothingFromAMissingDirectory() throws IOException {
        files.delete(List.of(directory.resolve("missing/a")));

        assertThat(names()).isEmpty();
    }

    @Test
    void namesTheFileThatCannotBeDeleted() throws IOException {
        Path target = Files.writeString(directory.resolve("a"), "x");

        assertThatThrownBy(() -> failingAt(FileStep.DELETE).delete(List.of(target)))
                .isInstanceOf(FileFault.class)
                .hasMessageContaining("cannot delete " + target);
        assertThat(target).exists();
    }

    @Test
    void createsDirectoriesWithTheirMode() throws IOException {
        Path deep = directory.resolve("x/y");

        files.createDirectory(deep, DIRECTORY);
        files.createDirectory(deep, DIRECTORY);

        assertThat(Files.getPosixFilePermissions(deep)).isEqualTo(DIRECTORY);
    }

    @Test
    void refusesAFileInTheDirectorysPlace() throws IOException {
        Path file = Files.writeString(directory.resolve("x"), "");

        assertThatThrownBy(() -> files.createDirectory(file, DIRECTORY))
                .isInstanceOf(FileFault.class)
                .hasMessageContaining("cannot create " + file);
    }

    @Test
    void saysThatTheDirectoryIsMissing() {
        Path target = directory.resolve("missing/a");

        assertThatThrownBy(() -> files.replace(target, bytes("x"), EVERYONE_READS))
                .hasMessage("cannot write " + target + ": No such file or directory; make sure that the directory "
                        + target.getParent() + " exists, the claim is retried");
    }

    @Test
    void movesAFile() throws IOException {
        Path from = Files.writeString(directory.resolve("a"), "x");

        files.move(from, directory.resolve("b"));

        assertThat(names()).containsExactly("b");
    }

    private static DurableFiles failingAt(FileStep failing) {
        return new DurableFiles(
                (step, path) -> {
                    if (step == failing) {
                        throw new FileSystemException(path.toString(), null, "No space left on device");
                    }
                },
                "the claim is retried");
    }

    private List<String> names() throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
