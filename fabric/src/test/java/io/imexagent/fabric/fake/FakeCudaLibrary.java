package io.imexagent.fabric.fake;

import io.imexagent.host.LockFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A compiled fake of {@code libcuda.so.1} under a driver root of its own: {@code fake_cuda.c} says what it does, and which
 * keys drive it. What is set holds at once, in processes that run, too.
 */
public final class FakeCudaLibrary {
    /** The variable that says on which node a process is. */
    public static final String NODE = "IMEX_FAKE_CUDA_NODE";

    /** The variable that names the folder in the place of {@code /dev} for one process. */
    public static final String DEV = "IMEX_FAKE_CUDA_DEV";

    private final Path root;
    private final Path library;
    private final Map<String, String> keys = new TreeMap<>();

    /**
     * An import, or an access that a GPU got to imported memory, as the fake recorded it; a result of 0 is a success. Of an
     * import the importer's GPU is {@code -}, and of an access the channel.
     */
    public record RecordedImport(
            String kind,
            String node,
            long pid,
            String channel,
            String gpu,
            String exporter,
            int exporterGpu,
            String handle,
            int result) {}

    private FakeCudaLibrary(Path root) {
        this.root = root;
        this.library = root.resolve("usr/lib64/libcuda.so.1");
    }

    /** Compiles the library to {@code usr/lib64/libcuda.so.1} below a folder; it has one GPU, and no channel. */
    public static FakeCudaLibrary compile(Path root) {
        var fake = new FakeCudaLibrary(root);
        try {
            Files.createDirectories(fake.library.getParent());
            Files.createDirectories(fake.domain());
            gcc("fake_cuda.c", fake.library, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        fake.set("domain", fake.domain().toString());
        fake.set("dev", fake.dev("dev").toString());
        fake.gpus(1);
        return fake;
    }

    /** Compiles one of the C files beside this class; a missing compiler is an error, never a reason to skip. */
    public static void gcc(String source, Path output, String... options) throws IOException {
        Path sources = Files.createTempDirectory(output.toAbsolutePath().getParent(), "source");
        for (String name : List.of("cuda_abi.h", source)) {
            try (InputStream in = FakeCudaLibrary.class.getResourceAsStream(name)) {
                Files.copy(Objects.requireNonNull(in, name), sources.resolve(name));
            }
        }
        List<String> line = new ArrayList<>(List.of("gcc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"));
        line.addAll(List.of(options));
        line.addAll(List.of("-o", output.toString(), sources.resolve(source).toString()));
        Process compiler = new ProcessBuilder(line).redirectErrorStream(true).start();
        String words = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (compiler.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", line) + ":\n" + words);
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ending);
        }
    }

    /** The driver root that the library lies under. */
    public Path driverRoot() {
        return root;
    }

    /** The UUID of a GPU, as the port has it. */
    public static String uuid(int gpu) {
        return "GPU-" + new UUID(0x1234_5678_9abc_def0L, 0x8000_0000_0000_0000L + gpu);
    }

    public FakeCudaLibrary gpus(int count) {
        keys.put("gpus", Integer.toString(count));
        for (int gpu = 0; gpu < count; gpu++) {
            keys.put(
                    "gpu." + gpu + ".uuid", uuid(gpu).substring("GPU-".length()).replace("-", ""));
        }
        return write();
    }

    /** Sets a key; of one node with {@code NODE.} before it. */
    public FakeCudaLibrary set(String key, Object value) {
        keys.put(key, value.toString());
        return write();
    }

    public FakeCudaLibrary remove(String key) {
        keys.remove(key);
        return write();
    }

    /**
     * A folder in the place of {@code /dev}, by a name of its own, with exactly these channels; for {@link #DEV}, or for the
     * key {@code NODE.dev}.
     */
    public Path dev(String name, int... channels) {
        try {
            Path dev = Files.createDirectories(root.resolve(name));
            Path nodes = Files.createDirectories(dev.resolve("nvidia-caps-imex-channels"));
            for (String node : List.of("nvidia-uvm", "nvidiactl", "nvidia0")) {
                if (Files.notExists(dev.resolve(node))) {
                    Files.createFile(dev.resolve(node));
                }
            }
            try (Stream<Path> old = Files.list(nodes)) {
                for (Path node : old.toList()) {
                    Files.delete(node);
                }
            }
            for (int channel : channels) {
                Files.createFile(nodes.resolve("channel" + channel));
            }
            return dev;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The imports and accesses that were recorded, in their order. */
    public List<RecordedImport> imports() {
        return lines("imports.log")
                .map(line -> line.split(" ", -1))
                .map(word -> new RecordedImport(
                        word[0],
                        word[1],
                        Long.parseLong(word[2]),
                        word[3],
                        word[4],
                        word[5],
                        Integer.parseInt(word[6]),
                        word[7],
                        Integer.parseInt(word[8])))
                .toList();
    }

    /** The functions that were called, in their order, on all nodes. */
    public List<String> calls() {
        return lines("calls.log")
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .toList();
    }

    /** How many allocations some process has, created or imported. */
    public int held() {
        try (Stream<Path> files = Files.list(domain())) {
            int held = 0;
            for (Path file : files.toList()) {
                if (file.getFileName().toString().length() == 128) {
                    try (LockFile lock = LockFile.open(file)) {
                        held += lock.tryLock() ? 0 : 1;
                    }
                }
            }
            return held;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private Path domain() {
        return root.resolve("domain");
    }

    private Stream<String> lines(String log) {
        try {
            Path file = domain().resolve(log);
            return Files.exists(file) ? Files.readAllLines(file).stream() : Stream.empty();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private synchronized FakeCudaLibrary write() {
        Path file = library.resolveSibling("fake-cuda.conf");
        Path sibling = library.resolveSibling("fake-cuda.conf.new");
        try {
            Files.writeString(
                    sibling,
                    keys.entrySet().stream()
                            .map(key -> key.getKey() + "=" + key.getValue() + "\n")
                            .collect(Collectors.joining()));
            Files.move(sibling, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return this;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
