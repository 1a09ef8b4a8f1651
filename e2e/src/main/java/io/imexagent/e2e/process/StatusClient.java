package io.imexagent.e2e.process;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** A client of the agent's HTTP pages on a loopback port, without TLS. */
public final class StatusClient implements AutoCloseable {

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
    public MetricsPage metrics() throws IOException {
        return MetricsPage.parse(page("/metrics").body());
    }

    /** Whether the agent says that it is ready. */
    public boolean ready() throws IOException {
        return page("/readyz").statusCode() == 200;
    }

    /** A page. */
    public HttpResponse<String> page(String path) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(AgentProcess.LONG)
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while " + path + " was asked for");
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
