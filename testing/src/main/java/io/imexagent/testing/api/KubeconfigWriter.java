package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** Writes kubeconfig files and what belongs to them. */
public final class KubeconfigWriter {
    private KubeconfigWriter() {}

    /**
     * Writes a kubeconfig with one cluster, one user and one context.
     *
     * @param certificateAuthority as PEM; empty for a plain HTTP server
     */
    static Path write(Path file, String server, Optional<String> certificateAuthority, Login login) throws IOException {
        ObjectNode config = Json.literal("""
                {"apiVersion":"v1","kind":"Config","current-context":"double",
                 "clusters":[{"name":"double","cluster":{}}],
                 "contexts":[{"name":"double","context":{"cluster":"double","user":"double"}}],
                 "users":[{"name":"double","user":{}}]}""");
        ObjectNode cluster = ((ObjectNode) config.at("/clusters/0/cluster")).put("server", server);
        certificateAuthority.ifPresent(pem -> cluster.put("certificate-authority-data", base64(pem)));
        name(login, (ObjectNode) config.at("/users/0/user"));
        return Files.write(file, Json.yaml(config));
    }

    private static void name(Login login, ObjectNode user) {
        switch (login) {
            case Login.EmbeddedCertificate(var issued) ->
                user.put("client-certificate-data", base64(issued.certificatePem()))
                        .put("client-key-data", base64(issued.keyPem()));
            case Login.CertificateFile(Path pem) -> {
                String absolute = pem.toAbsolutePath().toString();
                user.put("client-certificate", absolute).put("client-key", absolute);
            }
            case Login.Token(String token) -> user.put("token", token);
            case Login.TokenFile(Path file) ->
                user.put("tokenFile", file.toAbsolutePath().toString());
            case Login.Exec(Path command, List<String> arguments) -> {
                ObjectNode exec = user.putObject("exec")
                        .put("apiVersion", "client.authentication.k8s.io/v1")
                        .put("command", command.toString())
                        .put("interactiveMode", "Never");
                arguments.forEach(exec.putArray("args")::add);
            }
        }
    }

    /**
     * Writes an exec plugin: a shell script that prints an ExecCredential with the token that it reads from a file each
     * time it runs, and adds a line to {@code <script>.runs}.
     */
    public static Login.Exec writeExecPlugin(Path script, Path tokenFile) throws IOException {
        String credential = "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
                + "\"status\":{\"token\":\"%s\"}}";
        String text = "#!/bin/sh\n"
                + "echo run >> '" + script.toAbsolutePath() + ".runs'\n"
                + "printf '" + credential + "\\n' \"$(cat '" + tokenFile.toAbsolutePath() + "')\"\n";
        Files.writeString(script, text);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new Login.Exec(script.toAbsolutePath(), List.of());
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
