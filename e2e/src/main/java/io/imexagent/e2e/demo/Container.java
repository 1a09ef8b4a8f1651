package io.imexagent.e2e.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A container with a CDI device, run by podman in a mount namespace of its own, so that neither the host's CDI directory
 * nor its mounts are touched.
 */
public final class Container {

    private static final int ROOT = 0;
    private static final int LIMIT_SECONDS = 15;

    /** What podman says of a device that no spec describes, be the spec missing or refused. */
    private static final String BAD_SPEC = "unresolvable CDI device";

    private Container() {}

    /** Whether there was a container, and what it wrote or a short reason for which there was none. */
    public record ContainerResult(boolean ran, String text) {}

    /** Lists the channels' folder in a container with this CDI device; podman may keep files in the scratch folder. */
    public static ContainerResult listNode(Path scratch, List<Path> specs, String device)
            throws IOException, InterruptedException {
        if (!Files.getAttribute(scratch, "unix:uid").equals(ROOT)) {
            return new ContainerResult(false, "it takes root");
        }
        if (!isInstalled("podman") || !isInstalled("unshare")) {
            return new ContainerResult(false, "podman is not installed");
        }
        Path work = Files.createDirectories(scratch.resolve("container"));
        Path output = work.resolve("output");
        List<String> command = new ArrayList<>(
                List.of("unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", script(), "sh"));
        command.addAll(List.of(work.toString(), device));
        specs.forEach(spec -> command.add(spec.toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
            return new ContainerResult(false, "podman did not finish within " + LIMIT_SECONDS + " s");
        }
        String text = Files.readString(output).strip();
        if (process.exitValue() == 0) {
            return new ContainerResult(true, text);
        }
        if (text.contains(BAD_SPEC)) {
            throw new IllegalStateException("expected podman to know the CDI device, but it says: " + text);
        }
        String reason = text.substring(text.lastIndexOf('\n') + 1);
        return new ContainerResult(false, "podman cannot run containers here: " + reason);
    }

    private static String script() throws IOException {
        try (InputStream text = Objects.requireNonNull(Container.class.getResourceAsStream("container.sh"))) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static boolean isInstalled(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }
}
