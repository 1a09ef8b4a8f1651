package io.imexagent.e2e.process;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** A client of the agent's HTTP pages on a loopback port, without TLS. */
public final class StatusClient implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;

    /** A client of the agent that listens on this port. */
    public StatusClient(int port) {
        this.url = "http://127.0.0.1:" + port;
    }

    /** The address without a path. */
    public String url() {
        return url;
    }

    /** The metrics as they are now. */
    public MetricsPage metrics() throws IOException, InterruptedException {
        return MetricsPage.parse(page("/metrics").body());
    }

    /** A page. */
    public HttpResponse<String> page(String path) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(url + path)).timeout(LIMIT).build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        http.close();
    }
}
