package io.imexagent.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass
@MethodSource("io.imexagent.host.PosixCallsTest#both")
class LockFileTest {

    private final PosixCalls calls;

    @TempDir
    Path folder;

    LockFileTest(PosixCalls calls) {
        this.calls = calls;
    }

    @Test
    void keepsAnotherOpenFileOutUntilItIsGivenBack() throws Exception {
        try (LockFile one = open(file());
                LockFile other = open(file())) {
            assertThat(one.tryLock()).isTrue();
            assertThat(other.tryLock()).isFalse();

            assertThat(one.unlock()).isTrue();

            assertThat(other.tryLock()).isTrue();
        }
    }

    /** The public driver, written in Go, takes flock(2) as this program does. */
    @Test
    void keepsFlockOfOtherProgramsOut() throws Exception {
        try (LockFile lock = open(file())) {
            assertThat(lock.tryLock()).isTrue();
            assertThat(flock()).isEqualTo(1);
        }
        assertThat(flock()).isZero();
    }

    @Test
    void isMadeForItsOwnerAlone() throws Exception {
        open(file()).close();

        assertThat(Files.getPosixFilePermissions(file())).isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void seesThatAnotherFileHasItsName() throws Exception {
        try (LockFile lock = open(file())) {
            assertThat(lock.hasItsName()).isTrue();

            Files.delete(file());
            assertThat(lock.hasItsName()).isFalse();

            Files.createFile(file());
            assertThat(lock.hasItsName()).isFalse();
        }
    }

    @Test
    void saysInTheSystemsWordsWhyAFileCannotBeOpened() {
        assertThatThrownBy(() -> open(folder.resolve("missing/lock")))
                .isInstanceOfSatisfying(
                        FileSystemException.class,
                        failure -> assertThat(failure.getReason()).isEqualTo("No such file or directory"));
    }

    /** The kubelet's folder may be a link, and so may the lock. */
    @Test
    void knowsItsNameThroughALink() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), file());
        try (LockFile lock = open(link)) {
            assertThat(lock.hasItsName()).isTrue();
        }
    }

    /** {@code O_CLOEXEC}, as /proc shows the flags of an open file: in octal. */
    @Test
    void isNotInheritedByPrograms() throws Exception {
        try (LockFile lock = open(file());
                Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            assertThat(lock.hasItsName()).isTrue();
            Path own = descriptors.filter(this::isLock).findFirst().orElseThrow();
            assertThat(Files.readAllLines(Path.of("/proc/self/fdinfo").resolve(own.getFileName())))
                    .anySatisfy(line -> assertThat(line).matches("flags:\\s+0?2\\d{6}"));
        }
    }

    private boolean isLock(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).equals(file().toRealPath());
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }

    private LockFile open(Path path) throws Exception {
        return LockFile.open(path, calls);
    }

    private int flock() throws Exception {
        Process process = new ProcessBuilder("flock", "--nonblock", file().toString(), "true").start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private Path file() {
        return folder.resolve("lock");
    }
}
