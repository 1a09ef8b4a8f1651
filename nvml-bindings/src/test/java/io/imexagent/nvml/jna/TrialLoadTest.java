package io.imexagent.nvml.jna;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlException.LibraryHangs;
import io.imexagent.nvml.NvmlException.LibraryNotLoadable;
import io.imexagent.nvml.NvmlSession;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each of these would take this very process with it, were the library loaded without a trial. */
class TrialLoadTest {

    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration SHORT = Duration.ofMillis(300);

    @TempDir
    private Path root;

    private Nvml nvml(Duration patience) {
        return new JnaNvml(root, List.of(), Optional.of(patience));
    }

    @Test
    void aLibraryThatLoadsIsUsed() throws Exception {
        FakeNvmlLibrary.compile(root);
        Nvml nvml = nvml(PATIENCE);

        for (int session = 0; session < 2; session++) {
            assertThat(driverVersion(nvml)).isNotEmpty();
        }
    }

    @Test
    void aLibraryThatHangsIsNotLoadedAndNoProcessIsLeft() throws Exception {
        FakeNvmlLibrary fake = FakeNvmlLibrary.compileHangingOnLoad(root);
        Nvml nvml = nvml(SHORT);

        for (int look = 0; look < 3; look++) {
            assertThatThrownBy(nvml::open)
                    .isInstanceOf(LibraryHangs.class)
                    .hasMessageStartingWith(fake.library() + " hangs while it is loaded");
        }
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .hasSizeLessThanOrEqualTo(1);
        assertThat(Files.readString(Path.of("/proc/self/maps")))
                .doesNotContain(fake.library().toString());
    }

    @Test
    void aLibraryThatWasMendedIsTriedAnew() throws Exception {
        FakeNvmlLibrary.compileHangingOnLoad(root);
        Nvml nvml = nvml(SHORT);
        assertThatThrownBy(nvml::open).isInstanceOf(LibraryHangs.class);

        FakeNvmlLibrary.compile(root);

        assertThat(eventuallyLoads(nvml)).isNotEmpty();
    }

    @Test
    void aLibraryThatWasReplacedIsTriedAnew() throws Exception {
        FakeNvmlLibrary good = FakeNvmlLibrary.compile(root);
        Nvml nvml = nvml(PATIENCE);
        driverVersion(nvml);

        Files.delete(good.library());
        FakeNvmlLibrary.compileCrashingOnLoad(root);

        assertThatThrownBy(nvml::open).isInstanceOf(LibraryNotLoadable.class);
    }

    @Test
    void aLibraryThatCrashesIsNotLoaded() {
        FakeNvmlLibrary fake = FakeNvmlLibrary.compileCrashingOnLoad(root);

        assertThatThrownBy(nvml(PATIENCE)::open)
                .isInstanceOf(LibraryNotLoadable.class)
                .hasMessageContaining(fake.library() + ": a process that loads it ends with signal 6");
    }

    @Test
    void whatIsNoLibraryIsLeftToTheLinkersWords() throws IOException {
        Path library = FakeNvmlLibrary.compile(root).library();
        Files.delete(library);
        Files.writeString(library, "no library at all, but a text");

        assertThatThrownBy(nvml(PATIENCE)::open)
                .isInstanceOf(LibraryNotLoadable.class)
                .hasMessageContaining("file too short");
    }

    @Test
    void whoIsInterruptedMeanwhileStaysInterrupted() throws Exception {
        FakeNvmlLibrary.compileHangingOnLoad(root);
        Nvml nvml = nvml(Duration.ofMinutes(1));
        var failure = new AtomicReference<NvmlException>();
        var interrupted = new AtomicReference<Boolean>();
        Thread looking = Thread.ofPlatform().start(() -> {
            try (NvmlSession session = nvml.open()) {
                throw new AssertionError("loaded: " + session);
            } catch (NvmlException expected) {
                failure.set(expected);
                interrupted.set(Thread.currentThread().isInterrupted());
            }
        });

        looking.interrupt();

        assertThat(looking.join(Duration.ofSeconds(30))).isTrue();
        assertThat(failure.get()).isInstanceOf(LibraryNotLoadable.class).hasMessageContaining("interrupted");
        assertThat(interrupted.get()).isTrue();
    }

    /** The process of the last trial may be dying still, which counts as hanging. */
    private static String eventuallyLoads(Nvml nvml) throws Exception {
        for (int wait = 0; wait < 100; wait++) {
            try {
                return driverVersion(nvml);
            } catch (LibraryHangs dying) {
                Thread.sleep(20);
            }
        }
        return "";
    }

    private static String driverVersion(Nvml nvml) throws NvmlException {
        try (NvmlSession session = nvml.open()) {
            return session.driverVersion();
        }
    }
}
