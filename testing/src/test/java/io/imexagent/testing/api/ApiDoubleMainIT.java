package io.imexagent.testing.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.tls.ClientTls;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The double as a process. */
final class ApiDoubleMainIT {
    private static Process start(String... flags) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ApiDoubleMain.class.getName()));
        command.addAll(List.of(flags));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String readyUrl(Process process) throws IOException {
        BufferedReader output = process.inputReader();
        String line = Objects.requireNonNull(output.readLine(), "the double ended before it was ready");
        assertThat(line).startsWith("ready url=");
        return line.substring("ready url=".length());
    }

    @Test
    void servesPreloadedObjectsUntilItsInputCloses(@TempDir Path directory) throws Exception {
        Path objects =
                Files.write(directory.resolve("node.json"), Json.bytes(Fixtures.node("tb-node", Fixtures.uid(1))));
        Path kubeconfig = directory.resolve("kubeconfig");
        Path ca = directory.resolve("ca.pem");
        Process process = start(
                "--load", objects.toString(), "--ca", ca.toString(), "--node-kubeconfig", "tb-node=" + kubeconfig);
        try {
            String url = readyUrl(process);
            HttpClient http = HttpClient.newBuilder()
                    .sslContext(ClientTls.context(Files.readString(ca), Optional.empty()))
                    .build();
            HttpRequest request = HttpRequest.newBuilder(URI.create(url + Client.NODES + "/tb-node"))
                    .header("Authorization", "Bearer node:tb-node")
                    .build();

            assertThat(http.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
            assertThat(kubeconfig).content().contains("server: \"" + url + "\"", "client-certificate-data: ");

            process.getOutputStream().close();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void endsOnSigterm() throws Exception {
        Process process = start();
        try {
            assertThat(readyUrl(process)).startsWith("https://127.0.0.1:");

            // The handle leaves standard input open, whose end would end the process too, with 0.
            process.toHandle().destroy();

            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(143);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void explainsAFlagThatItDoesNotKnow() throws Exception {
        Process process = start("--colour");

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(2);
    }
}
