package io.imexagent.nvml.jna;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.NativeLibrary;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlContract;
import io.imexagent.nvml.NvmlDevice.FabricAnswer;
import io.imexagent.nvml.NvmlEventSet.EventType;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlException.BadAnswer;
import io.imexagent.nvml.NvmlException.CallFailed;
import io.imexagent.nvml.NvmlException.LibraryNotFound;
import io.imexagent.nvml.NvmlException.LibraryNotLoadable;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.NvmlSession;
import io.imexagent.nvml.NvmlStage;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.nvml.simulated.SimulatedTray;
import io.imexagent.nvml.simulated.TrayPreset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JnaNvmlTest implements NvmlContract {
    @TempDir
    static Path driverRoot;

    static FakeNvmlLibrary fake;
    static Nvml nvml;

    @BeforeAll
    static void compileTheFake() {
        fake = FakeNvmlLibrary.compile(driverRoot);
        nvml = nvml(driverRoot);
    }

    private static Nvml nvml(Path root) {
        return new JnaNvml(root, List.of(), Optional.empty());
    }

    @Override
    public void play(SimulatedTray tray) {
        fake.write(tray);
    }

    @Override
    public void emit(int deviceIndex, EventType type, long data) {
        fake.emit(deviceIndex, type, data);
    }

    @Override
    public Nvml nvml() {
        return nvml;
    }

    @Test
    void readsFreeMemoryAndDivisionWhereTheDriverHasThem() throws NvmlException {
        fake.write(TrayPreset.GB200);
        fake.memory(1, 63L << 20, true);

        try (NvmlSession session = nvml.open()) {
            assertThat(session.device(0).freeMemory()).isEmpty();
            assertThat(session.device(0).divided()).isFalse();
            assertThat(session.device(1).freeMemory()).hasValue(63L << 20);
            assertThat(session.device(1).divided()).isTrue();
        }
    }

    @Test
    void aMissingLibraryListsThePlacesInTheirOrder(@TempDir Path empty) {
        assertThatThrownBy(() -> nvml(empty).open())
                .isInstanceOf(LibraryNotFound.class)
                .hasMessageEndingWith("searched "
                        + Stream.of(
                                        "etc/ld.so.cache",
                                        "usr/lib64",
                                        "usr/lib/x86_64-linux-gnu",
                                        "usr/lib/aarch64-linux-gnu",
                                        "lib64",
                                        "lib/x86_64-linux-gnu",
                                        "lib/aarch64-linux-gnu",
                                        "usr/lib",
                                        "lib",
                                        "usr/local/nvidia/lib64")
                                .map(place -> empty.resolve(place).toString())
                                .collect(Collectors.joining(", ")));
    }

    @Test
    void aLibraryThatAppearsLaterIsFound(@TempDir Path root) throws Exception {
        Nvml nvml = nvml(root);
        assertThatThrownBy(nvml::open).isInstanceOf(LibraryNotFound.class);

        FakeNvmlLibrary.compile(root);

        try (NvmlSession session = nvml.open()) {
            assertThat(session.deviceCount()).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "usr/lib64",
                "usr/lib/x86_64-linux-gnu",
                "usr/lib/aarch64-linux-gnu",
                "lib64",
                "lib/x86_64-linux-gnu",
                "lib/aarch64-linux-gnu",
                "usr/lib",
                "lib",
                "usr/local/nvidia/lib64"
            })
    void findsTheLibraryInEachOfTheDirectories(String directory, @TempDir Path root) throws Exception {
        copyFakeTo(root.resolve(directory), "1.2.3");

        try (NvmlSession session = nvml(root).open()) {
            assertThat(session.driverVersion()).isEqualTo("1.2.3");
        }
    }

    @Test
    void takesTheFirstOfTwoLibraries(@TempDir Path root) throws Exception {
        copyFakeTo(root.resolve("usr/lib64"), "1.0");
        copyFakeTo(root.resolve("lib64"), "2.0");

        try (NvmlSession session = nvml(root).open()) {
            assertThat(session.driverVersion()).isEqualTo("1.0");
        }
    }

    @Test
    void goesOnPastALibraryOfAnotherKind(@TempDir Path root) throws Exception {
        Files.createDirectories(root.resolve("usr/lib64"));
        Files.writeString(root.resolve("usr/lib64/libnvidia-ml.so.1"), "no ELF file");
        copyFakeTo(root.resolve("lib64"), "2.0");

        try (NvmlSession session = nvml(root).open()) {
            assertThat(session.driverVersion()).isEqualTo("2.0");
        }
    }

    @Test
    void aLibraryThatCannotBeLoadedIsNamedWithTheReason(@TempDir Path root) throws Exception {
        Path library = root.resolve("usr/lib64/libnvidia-ml.so.1");
        Files.createDirectories(root.resolve("usr/lib64"));
        Files.writeString(library, "no ELF file");

        assertThatThrownBy(() -> nvml(root).open())
                .isInstanceOf(LibraryNotLoadable.class)
                .hasMessageContaining(library.toString());
    }

    @Test
    void aLibraryReplacedByAnUpdateIsLoadedByTheNextSession(@TempDir Path root) throws Exception {
        FakeNvmlLibrary old = FakeNvmlLibrary.compileWithoutFabricV(root);
        Nvml nvml = nvml(root);
        try (NvmlSession session = nvml.open()) {
            assertThat(tellsHealth(session)).isFalse();
        }

        Files.delete(old.library());
        FakeNvmlLibrary.compile(root);

        try (NvmlSession session = nvml.open()) {
            assertThat(tellsHealth(session)).isTrue();
        }
    }

    @Test
    void aLibraryThatTrulyLacksTheVersionedCallIsAskedTheOldWay(@TempDir Path root) throws Exception {
        FakeNvmlLibrary.compileWithoutFabricV(root);

        try (NvmlSession session = nvml(root).open()) {
            assertThat(tellsHealth(session)).isFalse();
            assertThat(session.device(0).name()).isEqualTo("NVIDIA GB200");
        }
    }

    @Test
    void aLibraryWithoutAnyFunctionOfNvmlFailsAtItsFirstCall(@TempDir Path root) throws Exception {
        // Any library of the system will do; it has none of the symbols.
        Files.createDirectories(root.resolve("usr/lib64"));
        Files.copy(libraryOfTheRuntime(), root.resolve("usr/lib64/libnvidia-ml.so.1"));

        NvmlStage.assertFails(() -> nvml(root).open(), NvmlCall.INIT, NvmlReturn.FUNCTION_NOT_FOUND);
    }

    @Test
    void aSessionShowsTheLibrarysSymbolsToNobodyElse() throws NvmlException {
        play(TrayPreset.GB200.tray());

        try (NvmlSession session = nvml().open()) {
            assertThat(session.deviceCount()).isEqualTo(4);
            assertThatThrownBy(() -> NativeLibrary.getProcess().getFunction("nvmlInitWithFlags"))
                    .isInstanceOf(UnsatisfiedLinkError.class);
        }
    }

    @Test
    void aFailureCarriesTheDriversOwnWords() {
        play(TrayPreset.VERSION_MISMATCH.tray());

        assertThatThrownBy(() -> nvml().open()).hasMessageContaining("Driver/library version mismatch");
    }

    @Test
    void anUnnamedResultKeepsItsNumber() throws IOException {
        play(TrayPreset.GB200.tray());
        Files.writeString(fake.configuration(), "return.nvmlInitWithFlags=4711\n", StandardOpenOption.APPEND);

        assertThatThrownBy(() -> nvml().open())
                .isInstanceOfSatisfying(
                        CallFailed.class,
                        failure -> assertThat(failure.result()).isEqualTo(Numbered.of(4711, NvmlReturn.values())))
                .hasMessageContaining("UNLISTED_4711 (4711), Unknown Error");
    }

    @Test
    void anEmptyTextOnSuccessIsNoAnswer() throws NvmlException {
        play(TrayPreset.GB200.tray().withVersions("", "13.580.95.05"));

        try (NvmlSession session = nvml().open()) {
            assertThatThrownBy(session::driverVersion)
                    .isInstanceOf(BadAnswer.class)
                    .hasMessageStartingWith(NvmlCall.DRIVER_VERSION.symbol());
        }
    }

    @Test
    void aTextThatDoesNotFitIsRefusedByTheLibrary() throws NvmlException {
        play(TrayPreset.GB200.tray().withVersions("5".repeat(80), "5".repeat(79)));

        try (NvmlSession session = nvml().open()) {
            assertThatThrownBy(session::driverVersion)
                    .isInstanceOfSatisfying(
                            CallFailed.class,
                            failure ->
                                    assertThat(failure.result()).isEqualTo(Numbered.of(NvmlReturn.INSUFFICIENT_SIZE)));
            assertThat(session.nvmlVersion()).isEqualTo("5".repeat(79));
        }
    }

    /** Only the versioned call does. */
    private static boolean tellsHealth(NvmlSession session) throws NvmlException {
        FabricAnswer answer = session.device(0).fabric();
        assertThat(answer).isInstanceOf(FabricAnswer.Reported.class);
        return ((FabricAnswer.Reported) answer).info().health().isPresent();
    }

    private static void copyFakeTo(Path directory, String driverVersion) throws IOException {
        fake.write(TrayPreset.GB200.tray().withVersions(driverVersion, driverVersion));
        Files.createDirectories(directory);
        for (Path source : List.of(fake.library(), fake.configuration())) {
            Files.copy(source, directory.resolve(source.getFileName()));
        }
    }

    private static Path libraryOfTheRuntime() {
        return Path.of(System.getProperty("java.home"), "lib", "libjli.so");
    }
}
