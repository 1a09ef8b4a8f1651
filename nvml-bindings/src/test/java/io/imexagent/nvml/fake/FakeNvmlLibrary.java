package io.imexagent.nvml.fake;

import io.imexagent.nvml.NvmlEventSet.EventType;
import io.imexagent.nvml.simulated.SimulatedTray;
import io.imexagent.nvml.simulated.TrayPreset;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A compiled fake of {@code libnvidia-ml.so.1} under a driver root of its own, answering as a {@link SimulatedTray}
 * says.
 *
 * <p>The library reads its file anew at each call, so what is written holds at once, also for open sessions and for
 * other processes. A process may name another file in the environment variable {@value #ENVIRONMENT}.
 */
public final class FakeNvmlLibrary {
    /** The environment variable that names the file to answer from; without it, the one beside the library. */
    public static final String ENVIRONMENT = "IMEX_FAKE_NVML";

    private final Path driverRoot;
    private final Path library;
    private final List<String> events = new ArrayList<>();
    private final List<String> habits = new ArrayList<>();
    private SimulatedTray tray = TrayPreset.GB200.tray();

    private FakeNvmlLibrary(Path driverRoot) {
        this.driverRoot = driverRoot;
        this.library = driverRoot.resolve("usr/lib64/libnvidia-ml.so.1");
    }

    /**
     * Compiles the library to {@code usr/lib64/libnvidia-ml.so.1} under a directory; it plays a healthy GB200 tray.
     *
     * @throws IllegalStateException if gcc is missing
     */
    public static FakeNvmlLibrary compile(Path driverRoot) {
        return compile(driverRoot, List.of());
    }

    /** Compiles a library like {@link #compile(Path)}, truly without the symbol nvmlDeviceGetGpuFabricInfoV. */
    public static FakeNvmlLibrary compileWithoutFabricV(Path driverRoot) {
        return compile(driverRoot, List.of("-DWITHOUT_FABRIC_V"));
    }

    /** Compiles a library like {@link #compile(Path)} whose loading never ends. */
    public static FakeNvmlLibrary compileHangingOnLoad(Path driverRoot) {
        return compile(driverRoot, List.of("-DHANG_ON_LOAD"));
    }

    /** Compiles a library like {@link #compile(Path)} that ends the process that loads it. */
    public static FakeNvmlLibrary compileCrashingOnLoad(Path driverRoot) {
        return compile(driverRoot, List.of("-DCRASH_ON_LOAD"));
    }

    private static FakeNvmlLibrary compile(Path driverRoot, List<String> defines) {
        FakeNvmlLibrary fake = new FakeNvmlLibrary(driverRoot);
        try {
            Files.createDirectories(fake.library.getParent());
        } catch (IOException exception) {
            throw new UncheckedIOException("cannot lay out a driver root in " + driverRoot, exception);
        }
        List<String> options = new ArrayList<>(List.of("-shared", "-fPIC", "-Wl,-soname,libnvidia-ml.so.1"));
        options.addAll(defines);
        CCompiler.gcc().compile("fake_nvml.c", fake.library, options);
        fake.write(fake.tray);
        return fake;
    }

    /** Returns the driver root that the library lies under. */
    public Path driverRoot() {
        return driverRoot;
    }

    /** Returns the library itself. */
    public Path library() {
        return library;
    }

    /** Returns the file that the library answers from. */
    public Path configuration() {
        return library.resolveSibling("fake-nvml.conf");
    }

    /** Returns what the library plays at present. */
    public synchronized SimulatedTray tray() {
        return tray;
    }

    /** Lets the library play a preset from now on. */
    public void write(TrayPreset preset) {
        write(preset.tray());
    }

    /** Lets the library play a tray from now on. */
    public synchronized void write(SimulatedTray changed) {
        tray = changed;
        writeConfiguration();
    }

    /** Lets each initialisation take no time, for tests that make many; the driver's takes some 10 ms. */
    public synchronized FakeNvmlLibrary initialisedAtOnce() {
        habits.add("init_milliseconds=0");
        writeConfiguration();
        return this;
    }

    /** Lets a GPU have so much free memory, and be divided (MIG) or not. */
    public synchronized void memory(int deviceIndex, long freeBytes, boolean divided) {
        habits.add("gpu." + deviceIndex + ".memory_free=" + freeBytes);
        habits.add("gpu." + deviceIndex + ".mig=" + (divided ? 1 : 0));
        writeConfiguration();
    }

    /** Lets a GPU report an event to the event sets that registered for it. */
    public synchronized void emit(int deviceIndex, EventType type, long data) {
        events.add("event." + (events.size() + 1) + "=" + deviceIndex + " " + Long.toUnsignedString(type.number()) + " "
                + Long.toUnsignedString(data));
        writeConfiguration();
    }

    private void writeConfiguration() {
        String text = FakeConfiguration.of(tray)
                + Stream.concat(habits.stream(), events.stream())
                        .map(line -> line + "\n")
                        .collect(Collectors.joining());
        Path temporary = configuration().resolveSibling("fake-nvml.conf.new");
        try {
            Files.writeString(temporary, text);
            Files.move(temporary, configuration(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException exception) {
            throw new UncheckedIOException("cannot write " + configuration(), exception);
        }
    }
}
