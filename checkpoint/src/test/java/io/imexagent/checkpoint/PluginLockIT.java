package io.imexagent.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lock between processes: the other one is a JVM that runs {@link LockHolder}. */
class PluginLockIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    @Test
    void keepsAnotherProcessOutUntilItGivesTheLockBack() throws Exception {
        Process holder = holder();
        try (var lock = new PluginLock(file());
                BufferedReader said = holder.inputReader()) {
            assertThat(said.readLine()).isEqualTo("held");
            assertThatThrownBy(() -> lock.acquire(Duration.ofMillis(50)))
                    .hasMessageContaining(" is held by another process");

            holder.getOutputStream().close();

            try (var held = lock.acquire(LONG)) {
                assertThat(held).isNotNull();
            }
            assertThat(said.readLine()).isEqualTo("given back");
            assertThat(holder.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(holder.exitValue()).isZero();
        } finally {
            holder.destroyForcibly();
        }
    }

    @Test
    void getsTheLockOfAProcessThatWasKilled() throws Exception {
        Process holder = holder();
        try (var lock = new PluginLock(file());
                BufferedReader said = holder.inputReader()) {
            assertThat(said.readLine()).isEqualTo("held");

            holder.destroyForcibly();

            try (var held = lock.acquire(LONG)) {
                assertThat(held).isNotNull();
            }
        } finally {
            holder.destroyForcibly();
        }
    }

    private Process holder() throws Exception {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LockHolder.class.getName(),
                        file().toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private Path file() {
        return directory.resolve("pu.lock");
    }
}
