package io.imexagent.kubernetes.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Runs a credential plugin ({@code client.authentication.k8s.io/v1} and {@code v1beta1}).
 *
 * <p>No shell is involved. The plugin's standard output holds secrets and goes nowhere; its standard error is this
 * process's, as with client-go. One that does not end in time is killed with its children.
 */
final class ExecPlugin {

    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final int MOST_OUTPUT = 1 << 20;
    private static final ObjectMapper JSON = new ObjectMapper();

    private ExecPlugin() {}

    /** Runs the plugin and reads what it gives. */
    static ExecCredential run(Kubeconfig.Exec exec) throws AccessException {
        Process process = start(exec);
        try {
            byte[] output = output(process, exec);
            if (!process.waitFor(1, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw fault(exec, process.isAlive() ? "does not end" : "ended with exit code " + process.exitValue());
            }
            return decode(exec, output);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AccessException("credential plugin " + exec.command() + " was interrupted", e);
        } finally {
            Stream.concat(process.descendants(), Stream.of(process.toHandle())).forEach(ProcessHandle::destroyForcibly);
        }
    }

    private static Process start(Kubeconfig.Exec exec) throws AccessException {
        var command = Stream.concat(Stream.of(exec.command()), exec.arguments().stream())
                .toList();
        var builder = new ProcessBuilder(command)
                .redirectInput(new File("/dev/null"))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(exec.environment());
        try {
            builder.environment().put("KUBERNETES_EXEC_INFO", info(exec));
            return builder.start();
        } catch (IOException e) {
            String hint = exec.installHint().map(text -> "; " + text).orElse("");
            throw new AccessException(
                    "credential plugin " + exec.command() + " cannot be started: " + e.getMessage() + hint, e);
        }
    }

    private static String info(Kubeconfig.Exec exec) throws IOException {
        var spec = new LinkedHashMap<String, Object>();
        spec.put("interactive", false);
        exec.clusterInfo().ifPresent(cluster -> spec.put("cluster", cluster));
        return JSON.writeValueAsString(Map.of("apiVersion", exec.apiVersion(), "kind", "ExecCredential", "spec", spec));
    }

    private static byte[] output(Process process, Kubeconfig.Exec exec) throws AccessException, InterruptedException {
        InputStream stdout = process.getInputStream();
        Callable<byte[]> all = () -> stdout.readNBytes(MOST_OUTPUT);
        var reading = new FutureTask<>(all);
        Thread.ofVirtual().name("imex-api-exec").start(reading);
        try {
            return reading.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw fault(exec, "gave no credential within " + DEADLINE.toSeconds() + " s");
        } catch (ExecutionException e) {
            throw new AccessException("cannot read from credential plugin " + exec.command() + ": " + e.getCause(), e);
        }
    }

    private static ExecCredential decode(Kubeconfig.Exec exec, byte[] output) throws AccessException {
        JsonNode root;
        try {
            root = JSON.readTree(output);
        } catch (IOException e) {
            // Not as the cause: the parser quotes what it read, and that holds secrets.
            throw fault(exec, "printed no JSON");
        }
        if (!root.path("kind").asText().equals("ExecCredential")
                || !root.path("apiVersion").asText().equals(exec.apiVersion())) {
            throw fault(exec, "printed no ExecCredential of " + exec.apiVersion());
        }
        JsonNode status = root.path("status");
        Optional<String> token = text(status, "token");
        Optional<byte[]> certificate = bytes(status, "clientCertificateData");
        Optional<byte[]> key = bytes(status, "clientKeyData");
        if (certificate.isPresent() != key.isPresent() || (token.isEmpty() && key.isEmpty())) {
            throw fault(exec, "gave neither a token nor a certificate with its key");
        }
        try {
            return new ExecCredential(
                    token, certificate, key, text(status, "expirationTimestamp").map(Instant::parse));
        } catch (DateTimeParseException e) {
            throw fault(exec, "gave an expirationTimestamp that is no RFC 3339 time");
        }
    }

    private static Optional<String> text(JsonNode node, String field) {
        return Optional.of(node.path(field).asText()).filter(text -> !text.isEmpty());
    }

    private static Optional<byte[]> bytes(JsonNode node, String field) {
        return text(node, field).map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    private static AccessException fault(Kubeconfig.Exec exec, String what) {
        return new AccessException("credential plugin " + exec.command() + " " + what
                + "; what it says itself stands in this process's standard error");
    }
}
