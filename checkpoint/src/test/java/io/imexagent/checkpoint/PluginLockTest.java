package io.imexagent.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two locks on one file contend as two processes do: flock belongs to the open file, not to the process. */
class PluginLockTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(20);

    @TempDir
    Path directory;

    @Test
    void isTakenGivenBackAndTakenAgain() throws Exception {
        try (var lock = new PluginLock(file())) {
            for (int time = 0; time < 3; time++) {
                try (var held = lock.acquire(LONG)) {
                    assertThat(held).isNotNull();
                }
            }
        }
        assertThat(file()).exists();
    }

    @Test
    void keepsAnotherHolderOutAndNamesTheFile() throws Exception {
        try (var one = new PluginLock(file());
                var other = new PluginLock(file());
                var held = one.acquire(LONG)) {
            assertThat(held).isNotNull();
            assertThatThrownBy(() -> other.acquire(SHORT))
                    .hasMessageContaining(" is held by another process")
                    .hasMessageContaining(file() + " is held by another process for more than 20 ms");
        }
    }

    @Test
    void letsTheOtherInOnceItIsGivenBack() throws Exception {
        try (var one = new PluginLock(file());
                var other = new PluginLock(file())) {
            one.acquire(LONG).close();

            try (var held = other.acquire(SHORT)) {
                assertThat(held).isNotNull();
            }
        }
    }

    @Test
    void isNotGrantedTwiceToOneHolder() throws Exception {
        try (var lock = new PluginLock(file());
                var held = lock.acquire(LONG)) {
            assertThat(held).isNotNull();
            assertThatThrownBy(() -> lock.acquire(LONG)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void isGivenBackOnceOnly() throws Exception {
        try (var lock = new PluginLock(file());
                var other = new PluginLock(file())) {
            PluginLock.Held first = lock.acquire(LONG);
            first.close();
            try (var second = lock.acquire(LONG)) {
                first.close();

                assertThat(second).isNotNull();
                assertThatThrownBy(() -> other.acquire(SHORT)).hasMessageContaining(" is held by another process");
            }
        }
    }

    @Test
    void isOnTheFileThatHasTheNameNow() throws Exception {
        try (var lock = new PluginLock(file());
                var other = new PluginLock(file())) {
            lock.acquire(LONG).close();
            Files.delete(file());

            try (var held = lock.acquire(LONG)) {
                assertThat(held).isNotNull();
                assertThat(file()).exists();
                assertThatThrownBy(() -> other.acquire(SHORT)).hasMessageContaining(" is held by another process");
            }
        }
    }

    @Test
    void makesAFileForItsOwnerAlone() throws Exception {
        try (var lock = new PluginLock(file())) {
            lock.acquire(LONG).close();
        }

        assertThat(Files.getPosixFilePermissions(file())).isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void saysWhereTheFileCannotBeOpened() {
        Path missing = directory.resolve("missing/pu.lock");
        try (var lock = new PluginLock(missing)) {
            assertThatThrownBy(() -> lock.acquire(LONG))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot open " + missing + ": No such file or directory; check that the");
        }
    }

    private Path file() {
        return directory.resolve("pu.lock");
    }
}
