package io.imexagent.kubernetes.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.host.HostPrograms;
import io.imexagent.host.Program;
import io.imexagent.host.ProgramOutcome;
import io.imexagent.host.Programs;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.host.json.MalformedJsonException;
import io.imexagent.kubernetes.access.KubeconfigReader.ExecConfig;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Runs a credential plugin ({@code client.authentication.k8s.io/v1} and {@code v1beta1}) without a shell. Its output
 * holds secrets and is never logged; its standard error is that of this process. A plugin that does not end in time is
 * killed with its children.
 */
final class ExecPlugin {

    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final int MOST_OUTPUT = 1 << 20;
    private static final Programs PROGRAMS = new HostPrograms();

    private ExecPlugin() {}

    /**
     * The credential from a plugin ({@code client.authentication.k8s.io ExecCredentialStatus}). Its text omits secrets.
     */
    record ExecCredential(
            Optional<String> token, Optional<Pem> certificate, Optional<Pem> key, Optional<Instant> expires) {

        static final ExecCredential NONE =
                new ExecCredential(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

        @Override
        public String toString() {
            return "ExecCredential[expires=" + expires + "]";
        }
    }

    static ExecCredential run(ExecConfig exec) throws AccessException {
        List<String> words = Stream.concat(Stream.of(exec.command()), exec.arguments().stream())
                .toList();
        try {
            return switch (PROGRAMS.run(Program.showingErrors(words, DEADLINE, environment(exec), MOST_OUTPUT))) {
                case ProgramOutcome.Ended ended when ended.code() == 0 -> decode(exec, ended.out());
                case ProgramOutcome.Ended ended -> throw fault(exec, "ended with exit code " + ended.code());
                case ProgramOutcome.TimedOut late ->
                    throw fault(exec, "gave no credential within " + DEADLINE.toSeconds() + " s");
                case ProgramOutcome.Flooded flooded ->
                    throw fault(exec, "printed more than " + flooded.limit() + " bytes");
                case ProgramOutcome.Capped(int hanging) ->
                    throw fault(exec, "is not run: " + hanging + " processes of it hang and cannot be killed");
                case ProgramOutcome.NotStarted(String reason) ->
                    throw new AccessException("credential plugin " + exec.command() + " cannot be started: " + reason
                            + exec.installHint().map(text -> "; " + text).orElse(""));
            };
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AccessException("credential plugin " + exec.command() + " was interrupted", e);
        }
    }

    private static Map<String, String> environment(ExecConfig exec) {
        ObjectNode info =
                JsonTrees.object().put("apiVersion", exec.apiVersion()).put("kind", "ExecCredential");
        ObjectNode spec = info.putObject("spec").put("interactive", false);
        exec.clusterInfo().ifPresent(cluster -> spec.set("cluster", cluster));
        var environment = new HashMap<>(exec.environment());
        environment.put("KUBERNETES_EXEC_INFO", JsonTrees.text(info));
        return environment;
    }

    private static ExecCredential decode(ExecConfig exec, String output) throws AccessException {
        JsonNode root;
        try {
            root = JsonTrees.printed(output);
        } catch (MalformedJsonException e) {
            // Not the cause: the parser quotes its input, which holds secrets.
            throw fault(exec, "printed no JSON");
        }
        if (!root.path("kind").asText().equals("ExecCredential")
                || !root.path("apiVersion").asText().equals(exec.apiVersion())) {
            throw fault(exec, "printed no ExecCredential of " + exec.apiVersion());
        }
        JsonNode status = root.path("status");
        Optional<String> token = KubeconfigReader.text(status, "token");
        Optional<Pem> certificate = pem(status, "clientCertificateData");
        Optional<Pem> key = pem(status, "clientKeyData");
        if (certificate.isPresent() != key.isPresent() || (token.isEmpty() && key.isEmpty())) {
            throw fault(exec, "gave neither a token nor a certificate with its key");
        }
        try {
            return new ExecCredential(
                    token,
                    certificate,
                    key,
                    KubeconfigReader.text(status, "expirationTimestamp").map(Instant::parse));
        } catch (DateTimeParseException e) {
            throw fault(exec, "gave an expirationTimestamp that is no RFC 3339 time");
        }
    }

    private static Optional<Pem> pem(JsonNode node, String field) {
        return KubeconfigReader.text(node, field).map(text -> new Pem("the credential plugin's answer", text));
    }

    private static AccessException fault(ExecConfig exec, String what) {
        return new AccessException("credential plugin " + exec.command() + " " + what
                + "; its own message is in this process's standard error");
    }
}
