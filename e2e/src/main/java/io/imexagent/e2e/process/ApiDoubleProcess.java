package io.imexagent.e2e.process;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.testing.api.ApiDoubleMain;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.tls.ClientTls;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The API server double as a process of its own, behind TLS: where it listens, the kubeconfig of the node's kubelet,
 * and a client that trusts its certificate.
 */
public record ApiDoubleProcess(Process process, String url, Path kubeconfig, HttpClient http) implements AutoCloseable {

    private static final String READY = "ready url=";
    private static final String ADMINISTRATOR = "Bearer admin";

    /** Starts it with a List of objects and a kubeconfig for the kubelet of a node; its files go to the directory. */
    public static ApiDoubleProcess start(Path directory, String node, JsonNode objects) throws IOException {
        Path seed = Files.write(directory.resolve("objects.json"), Json.bytes(objects));
        Path authority = directory.resolve("ca.pem");
        Path kubeconfig = directory.resolve("kubelet.conf");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ApiDoubleMain.class.getName(),
                        "--ca",
                        authority.toString(),
                        "--node-kubeconfig",
                        node + "=" + kubeconfig,
                        "--load",
                        seed.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String line = process.inputReader(StandardCharsets.UTF_8).readLine();
            if (line == null || !line.startsWith(READY)) {
                throw new IOException("the API server double did not start; it said " + line);
            }
            return new ApiDoubleProcess(process, line.substring(READY.length()), kubeconfig, client(authority));
        } catch (IOException failure) {
            process.destroyForcibly();
            throw failure;
        }
    }

    /** A request by an administrator. */
    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path)).header("Authorization", ADMINISTRATOR);
    }

    /** Removes the slices of a node, as its kubelet does when it starts. */
    public void deleteSlices(String node) throws IOException, InterruptedException {
        String path = "/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.nodeName%3D" + node;
        HttpResponse<String> response = http.send(request(path).DELETE().build(), BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException("DELETE " + path + " was answered " + response.statusCode() + ": " + response.body());
        }
    }

    /** The lines of a watch, as they come; closing the stream ends it. */
    public Stream<String> watch(String path) throws IOException, InterruptedException {
        return http.send(request(path).build(), BodyHandlers.ofLines()).body();
    }

    @Override
    public void close() {
        http.shutdownNow();
        process.destroyForcibly();
    }

    private static HttpClient client(Path authority) throws IOException {
        return HttpClient.newBuilder()
                .sslContext(ClientTls.context(Files.readString(authority), Optional.empty()))
                .version(HttpClient.Version.HTTP_1_1)
                .build();
    }
}
