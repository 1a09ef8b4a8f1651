package io.imexagent.dra.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each change must be told within seconds, where the reconciler without a watch looks every 45. */
class DirectoryWatchTest {

    private static final long SOON_SECONDS = 10;

    @TempDir
    Path folder;

    private final Semaphore told = new Semaphore(0);

    @Test
    void tellsOfWhatIsMadeChangedAndRemoved() throws Exception {
        Path directory = Files.createDirectory(folder.resolve("cdi"));
        try (DirectoryWatch watch = begun(directory)) {
            Path file = Files.writeString(directory.resolve("a.yaml"), "one");
            assertTold("made");
            Files.writeString(file, "another");
            assertTold("changed");
            Files.delete(file);
            assertTold("removed");
            watch.follow();
        }
    }

    @Test
    void isSilentAboutOtherFiles() throws Exception {
        Path directory = Files.createDirectory(folder.resolve("cdi"));
        try (DirectoryWatch watch = begun(directory)) {
            Files.writeString(directory.resolve("a.tmp"), "of another");
            assertThat(told.tryAcquire(1, TimeUnit.SECONDS)).isFalse();
            watch.follow();
        }
    }

    @Test
    void followsADirectoryThatIsRemovedAndMadeAgain() throws Exception {
        Path directory = Files.createDirectory(folder.resolve("cdi"));
        try (DirectoryWatch watch = begun(directory)) {
            Files.delete(directory);
            assertTold("directory removed");
            watch.follow();
            Files.createDirectory(directory);
            assertTold("directory made");
            watch.follow();
            Files.writeString(directory.resolve("a.yaml"), "one");
            assertTold("made in the new one");
        }
    }

    /** A watch that has told of what was there before, as it does once. */
    private DirectoryWatch begun(Path directory) throws InterruptedException {
        var watch = new DirectoryWatch(directory, name -> name.toString().endsWith(".yaml"), told::release);
        watch.start();
        assertTold("what was before");
        return watch;
    }

    private void assertTold(String what) throws InterruptedException {
        assertThat(told.tryAcquire(SOON_SECONDS, TimeUnit.SECONDS)).as(what).isTrue();
        // The rest of one change, should it come apart.
        Thread.sleep(700);
        told.drainPermits();
    }
}
