package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.node.TextNode;
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
     * @throws IOException when the file cannot be written
     */
    static Path write(Path file, String server, Optional<String> certificateAuthority, Login login) throws IOException {
        String authority = certificateAuthority
                .map(pem -> "certificate-authority-data: " + base64(pem))
                .orElse("");
        return Files.writeString(
                file, """
                apiVersion: v1
                kind: Config
                clusters:
                - name: double
                  cluster:
                    server: %s
                    %s
                contexts:
                - name: double
                  context:
                    cluster: double
                    user: double
                current-context: double
                users:
                - name: double
                  user:
                %s""".formatted(server, authority, user(login).indent(4)));
    }

    /**
     * Writes an exec plugin: a shell script that prints an ExecCredential with the token that it reads from a file each
     * time it runs, and adds a line to {@code <script>.runs}.
     *
     * @throws IOException when the script cannot be written
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

    private static String user(Login login) {
        return switch (login) {
            case Login.EmbeddedCertificate(var issued) ->
                "client-certificate-data: " + base64(issued.certificatePem()) + "\nclient-key-data: "
                        + base64(issued.keyPem());
            case Login.CertificateFile(Path pem) ->
                "client-certificate: " + quoted(pem.toAbsolutePath()) + "\nclient-key: " + quoted(pem.toAbsolutePath());
            case Login.Token(String token) -> "token: " + quoted(token);
            case Login.TokenFile(Path file) -> "tokenFile: " + quoted(file.toAbsolutePath());
            case Login.Exec(Path command, List<String> arguments) ->
                "exec:\n  apiVersion: client.authentication.k8s.io/v1\n  command: " + quoted(command)
                        + "\n  interactiveMode: Never\n  args: "
                        + arguments.stream().map(KubeconfigWriter::quoted).toList();
        };
    }

    /** A JSON string, which is a YAML string too. */
    private static String quoted(Object value) {
        return TextNode.valueOf(value.toString()).toString();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
