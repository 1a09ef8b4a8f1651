package io.imexagent.e2e.machine;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The shell script of a pod, as a process of this host: with the channels of a CDI spec in a folder of its own, on loopback,
 * and with a stand-in for busybox's {@code nc}.
 */
record PodScript(Process process, Path output) {

    private static final String CHANNELS = "/dev/nvidia-caps-imex-channels";
    private static final Pattern CHANNEL = Pattern.compile(CHANNELS + "/(channel\\d+)\"");
    private static final Pattern PEER = Pattern.compile("first=\\S+ ");
    private static final String NC = "io.imexagent.e2e.isolation.NetcatStandIn";

    /** Starts the script of a pod's container, by the text of the CDI spec of its claim. */
    static PodScript start(Path folder, JsonNode pod, String spec) throws IOException {
        Path own =
                Files.createDirectories(folder.resolve(pod.at("/metadata/name").asText()));
        Path devices = Files.createDirectory(own.resolve("channels"));
        for (String channel : CHANNEL.matcher(spec)
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList()) {
            Files.createFile(devices.resolve(channel));
        }
        Path nc = Files.writeString(
                own.resolve("nc"),
                "#!/bin/sh\nexec '%s' -cp '%s' %s \"$@\"\n"
                        .formatted(
                                Path.of(System.getProperty("java.home"), "bin", "java"),
                                System.getProperty("java.class.path"),
                                NC));
        Files.setPosixFilePermissions(nc, PosixFilePermissions.fromString("rwxr-xr-x"));
        String script = pod.at("/spec/containers/0/command/2").asText().replace(CHANNELS, devices.toString());
        var builder = new ProcessBuilder("sh", "-c", PEER.matcher(script).replaceFirst("first=127.0.0.1 "));
        builder.environment()
                .putAll(Map.of(
                        "PATH", own + ":" + System.getenv("PATH"),
                        "JOB_COMPLETION_INDEX",
                                pod.at("/metadata/labels/batch.kubernetes.io~1job-completion-index")
                                        .asText(),
                        "NODE", pod.at("/spec/nodeName").asText(),
                        "TMPDIR", own.toString()));
        Path output = own.resolve("output");
        return new PodScript(
                builder.redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start(),
                output);
    }

    /** Waits for its end; what it has printed, where it ended well. */
    String printed() throws IOException, InterruptedException {
        boolean ended = process.waitFor(SystemdMachine.LONG.toSeconds(), TimeUnit.SECONDS);
        String text = Files.readString(output).strip();
        if (!ended || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new AssertionError("a pod's script " + (ended ? "failed" : "does not end") + ":\n" + text);
        }
        return text;
    }
}
