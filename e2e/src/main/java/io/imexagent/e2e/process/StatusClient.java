package io.imexagent.e2e.process;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A client of the agent's HTTP pages on a loopback port, without TLS. */
public final class StatusClient implements AutoCloseable {

    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;

    public StatusClient(int port) {
        this.url = "http://127.0.0.1:" + port;
    }

    public String url() {
        return url;
    }

    /** The metrics as they are now: values by series, such as {@code nvidia_dra_requests_total{driver="…"}}. */
    public Map<String, Double> metrics() throws IOException {
        return series(page("/metrics").body());
    }

    /** The values in Prometheus text, which writes infinities as {@code +Inf} and {@code -Inf}. */
    static Map<String, Double> series(String text) {
        return text.lines()
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.lastIndexOf(' ')),
                        line -> Double.valueOf(
                                line.substring(line.lastIndexOf(' ') + 1).replace("Inf", "Infinity")),
                        (first, second) -> second));
    }

    /** The series whose value is not what it was, with the value of now, by name. */
    public static SortedMap<String, Double> changed(Map<String, Double> before, Map<String, Double> now) {
        SortedMap<String, Double> changed = new TreeMap<>(now);
        changed.entrySet().removeAll(before.entrySet());
        return changed;
    }

    public boolean ready() throws IOException {
        return page("/readyz").statusCode() == 200;
    }

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
