package io.imexagent.nvml.fake;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** The C compiler that tests need; a missing one is an error, never a reason to skip. */
public final class CCompiler {
    private final String command;

    private CCompiler(String command) {
        this.command = command;
    }

    /** Returns the compiler {@code gcc} of the search path. */
    public static CCompiler gcc() {
        return new CCompiler(System.getProperty("imexagent.cc", "gcc"));
    }

    static CCompiler named(String command) {
        return new CCompiler(command);
    }

    /**
     * Compiles one of the C files beside this class.
     *
     * @param source the name of the file, such as {@code layout.c}
     * @param output the program or library to write
     * @param options further options, before the source
     * @throws IllegalStateException if there is no compiler or it finds fault with the source
     */
    public void compile(String source, Path output, List<String> options) {
        try {
            Path sources = Files.createTempDirectory(output.toAbsolutePath().getParent(), "source");
            copyResource("nvml_abi.h", sources);
            List<String> line = new ArrayList<>(List.of(command, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"));
            line.addAll(options);
            line.addAll(List.of(
                    "-o",
                    output.toAbsolutePath().toString(),
                    copyResource(source, sources).toString()));
            run(line);
        } catch (IOException exception) {
            throw new UncheckedIOException("cannot prepare " + source + " for the compiler", exception);
        }
    }

    private void run(List<String> line) throws IOException {
        Process process;
        try {
            process = new ProcessBuilder(line).redirectErrorStream(true).start();
        } catch (IOException exception) {
            throw new IllegalStateException(
                    command + " does not start; these tests compile C: install a C compiler (Debian: apt install gcc"
                            + " libc6-dev)",
                    exception);
        }
        try (InputStream output = process.getInputStream()) {
            String words = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            int exit = process.waitFor();
            if (exit != 0) {
                throw new IllegalStateException(String.join(" ", line) + " failed with " + exit + ":\n" + words);
            }
        } catch (InterruptedException exception) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + command + " ran", exception);
        }
    }

    private static Path copyResource(String name, Path directory) throws IOException {
        try (InputStream resource = CCompiler.class.getResourceAsStream(name)) {
            if (resource == null) {
                throw new IllegalArgumentException("no C file " + name + " beside " + CCompiler.class.getName());
            }
            Path copy = directory.resolve(name);
            Files.copy(resource, copy, StandardCopyOption.REPLACE_EXISTING);
            return copy;
        }
    }
}
