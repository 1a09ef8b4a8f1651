package io.imexagent.nvml.jna;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlException.CallFailed;
import io.imexagent.nvml.NvmlException.LibraryNotFound;
import io.imexagent.nvml.NvmlException.LibraryNotLoadable;
import io.imexagent.nvml.NvmlSession;
import io.imexagent.nvml.NvmlStage;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.nvml.simulated.TrayPreset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long a library stays in the process, over the C fake, which leaves a descriptor open as the driver's does. */
class KeptLibraryTest {

    @TempDir
    private Path directory;

    private Path root;
    private FakeNvmlLibrary fake;
    private Nvml nvml;

    @BeforeEach
    void driver() throws IOException {
        root = Files.createDirectories(directory.resolve("root"));
        fake = FakeNvmlLibrary.compileWithoutFabricV(root).initialisedAtOnce();
        nvml = new JnaNvml(root, List.of(), Optional.empty());
    }

    @Test
    void theLibraryStaysBetweenSessions() throws Exception {
        nvml.open().close();
        assertThat(mapped(fake.library())).isTrue();

        fake.write(TrayPreset.DRIVER_NOT_LOADED);
        assertThatThrownBy(nvml::open).isInstanceOf(CallFailed.class);
        fake.write(TrayPreset.GB200);

        try (NvmlSession session = nvml.open()) {
            assertThat(session.deviceCount()).isEqualTo(4);
        }
    }

    @Test
    void aSessionThatIsOpenKeepsItsLibraryAndKnowsThatItIsOutdated() throws Exception {
        try (NvmlSession listening = nvml.open()) {
            assertThat(listening.outdated()).isFalse();
            update();

            assertThat(listening.outdated()).isTrue();
            assertThat(isUpdated(listening)).isFalse();
            try (NvmlSession reading = nvml.open()) {
                assertThat(isUpdated(reading)).isFalse();
            }
        }

        try (NvmlSession next = nvml.open()) {
            assertThat(isUpdated(next)).isTrue();
            assertThat(next.outdated()).isFalse();
        }
    }

    @Test
    void aLinkThatLeadsToAnotherFileIsAnotherLibrary() throws Exception {
        Path name = fake.library();
        Path first = Files.move(name, name.resolveSibling("libnvidia-ml.so.580.1"));
        Files.createSymbolicLink(name, first.getFileName());
        nvml.open().close();
        assertThat(mapped(first)).isTrue();

        Path second = Files.copy(first, first.resolveSibling("libnvidia-ml.so.580.2"));
        Files.delete(name);
        Files.createSymbolicLink(name, second.getFileName());
        nvml.open().close();

        assertThat(mapped(first)).isFalse();
        assertThat(mapped(second)).isTrue();
    }

    @Test
    void aPlaceThatGoesBeforeTheOthersCountsOnceItHasALibrary() throws Exception {
        Path last = Files.createDirectories(root.resolve("usr/lib"));
        for (Path file : List.of(fake.library(), fake.configuration())) {
            Files.move(file, last.resolve(file.getFileName()));
        }
        nvml.open().close();

        update();
        Files.copy(last.resolve(fake.configuration().getFileName()), fake.configuration());

        try (NvmlSession session = nvml.open()) {
            assertThat(isUpdated(session)).isTrue();
        }
    }

    @Test
    void aLibraryThatWasRemovedIsUnloaded() throws Exception {
        nvml.open().close();
        Files.delete(fake.library());

        assertThatThrownBy(nvml::open).isInstanceOf(LibraryNotFound.class);
        assertThat(mapped(fake.library())).isFalse();
    }

    @Test
    void aLinkThatLeadsNowhereIsSaidInTheLinkersWords() throws Exception {
        Files.delete(fake.library());
        Files.createSymbolicLink(fake.library(), Path.of("libnvidia-ml.so.1.gone"));

        assertThatThrownBy(nvml::open)
                .isInstanceOf(LibraryNotLoadable.class)
                .hasMessageContaining(
                        fake.library().resolveSibling("libnvidia-ml.so.1.gone") + ": cannot open shared object file");
    }

    /** Puts another library in the place of the one that is there, as packages do: one that has a call more. */
    private void update() throws IOException {
        Path other = FakeNvmlLibrary.compile(Files.createDirectories(directory.resolve("built")))
                .library();
        Files.move(other, fake.library(), StandardCopyOption.REPLACE_EXISTING);
    }

    private static boolean isUpdated(NvmlSession session) throws NvmlException {
        return NvmlStage.reported(session.device(0).fabric()).health().isPresent();
    }

    private static boolean mapped(Path library) throws IOException {
        return Files.readString(Path.of("/proc/self/maps")).contains(library.toString());
    }
}
