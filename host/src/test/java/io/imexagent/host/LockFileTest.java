package io.imexagent.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LockFileTest {

    @TempDir
    Path folder;

    @Test
    void keepsAnotherOpenFileOutUntilItIsGivenBack() throws Exception {
        try (LockFile one = LockFile.open(file());
                LockFile other = LockFile.open(file())) {
            assertThat(one.tryLock()).isTrue();
            assertThat(other.tryLock()).isFalse();

            assertThat(one.unlock()).isTrue();

            assertThat(other.tryLock()).isTrue();
        }
    }

    /** The public driver, written in Go, takes flock(2) as this program does. */
    @Test
    void keepsFlockOfOtherProgramsOut() throws Exception {
        try (LockFile lock = LockFile.open(file())) {
            assertThat(lock.tryLock()).isTrue();
            assertThat(flock()).isEqualTo(1);
        }
        assertThat(flock()).isZero();
    }

    @Test
    void isMadeForItsOwnerAlone() throws Exception {
        LockFile.open(file()).close();

        assertThat(Files.getPosixFilePermissions(file())).isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void seesThatAnotherFileHasItsName() throws Exception {
        try (LockFile lock = LockFile.open(file())) {
            assertThat(lock.hasItsName()).isTrue();

            Files.delete(file());
            assertThat(lock.hasItsName()).isFalse();

            Files.createFile(file());
            assertThat(lock.hasItsName()).isFalse();
        }
    }

    @Test
    void saysInTheSystemsWordsWhyAFileCannotBeOpened() {
        assertThatThrownBy(() -> LockFile.open(folder.resolve("missing/lock")))
                .isInstanceOfSatisfying(
                        FileSystemException.class,
                        failure -> assertThat(failure.getReason()).isEqualTo("No such file or directory"));
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
