package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.tls.IssuedCertificate;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.Optional;

/** A way in which a kubeconfig says who its user is. */
public sealed interface Login {
    /** A client certificate, embedded as {@code client-certificate-data} and {@code client-key-data}. */
    record EmbeddedCertificate(IssuedCertificate issued) implements Login {}

    /**
     * One file that holds certificate and key, as {@code kubelet.conf} refers to {@code kubelet-client-current.pem}.
     * Rotate by {@link IssuedCertificate#writePem}.
     */
    record CertificateFile(Path pem) implements Login {}

    /** A bearer token in the kubeconfig itself. */
    record TokenLogin(String token) implements Login {}

    /** A file that holds a bearer token, and may be rewritten. */
    record TokenFile(Path file) implements Login {}

    /** A command that prints an ExecCredential, see {@link #writeExecPlugin}. */
    record ExecLogin(Path command) implements Login {}

    /** Writes a kubeconfig with one cluster and this user; the authority is PEM, or empty for a plain HTTP server. */
    default Path writeKubeconfig(Path file, String server, Optional<String> certificateAuthority) throws IOException {
        ObjectNode config = Json.literal("""
                {"apiVersion":"v1","kind":"Config","current-context":"double",
                 "clusters":[{"name":"double","cluster":{}}],
                 "contexts":[{"name":"double","context":{"cluster":"double","user":"double"}}],
                 "users":[{"name":"double","user":{}}]}""");
        ObjectNode cluster = ((ObjectNode) config.at("/clusters/0/cluster")).put("server", server);
        certificateAuthority.ifPresent(pem -> cluster.put("certificate-authority-data", base64(pem)));
        ObjectNode user = (ObjectNode) config.at("/users/0/user");
        switch (this) {
            case EmbeddedCertificate(var issued) ->
                user.put("client-certificate-data", base64(issued.certificatePem()))
                        .put("client-key-data", base64(issued.keyPem()));
            case CertificateFile(Path pem) ->
                user.put("client-certificate", absolute(pem)).put("client-key", absolute(pem));
            case TokenLogin(String token) -> user.put("token", token);
            case TokenFile(Path token) -> user.put("tokenFile", absolute(token));
            case ExecLogin(Path command) ->
                user.putObject("exec")
                        .put("apiVersion", "client.authentication.k8s.io/v1")
                        .put("command", command.toString())
                        .put("interactiveMode", "Never")
                        .putArray("args");
        }
        return Files.write(file, Json.yaml(config));
    }

    /**
     * Writes an exec plugin: a shell script that prints an ExecCredential with the token that it reads from a file each
     * time it runs, and adds a line to {@code <script>.runs}.
     */
    static ExecLogin writeExecPlugin(Path script, Path tokenFile) throws IOException {
        Files.writeString(script, """
                #!/bin/sh
                echo run >> '%s.runs'
                printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",'
                printf '"status":{"token":"%%s"}}\\n' "$(cat '%s')"
                """.formatted(absolute(script), absolute(tokenFile)));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new ExecLogin(script.toAbsolutePath());
    }

    private static String absolute(Path file) {
        return file.toAbsolutePath().toString();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
