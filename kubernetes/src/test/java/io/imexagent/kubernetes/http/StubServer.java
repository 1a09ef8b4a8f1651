package io.imexagent.kubernetes.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;

/** A small HTTP server that answers as a test tells it, and remembers what it was asked. */
final class StubServer implements AutoCloseable {

    /** Ends the stream of a watch. */
    private static final String END = "";

    /** What the server was asked. */
    record Request(String method, String path, String query, Map<String, List<String>> headers, String body) {

        String header(String name) {
            return String.join(",", headers.getOrDefault(name, List.of()));
        }
    }

    /** Answers a request. */
    @FunctionalInterface
    interface Answering {
        Response answer(Request request, String client) throws InterruptedException;
    }

    /** An answer: a body at once, or lines as they come. */
    record Response(int code, Map<String, String> headers, String body, Optional<BlockingQueue<String>> lines) {}

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Answering> answers = new ConcurrentHashMap<>();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final List<BlockingQueue<String>> streams = new CopyOnWriteArrayList<>();

    private StubServer(HttpServer server) {
        this.server = server;
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** A server without TLS. */
    static StubServer plain() throws IOException {
        return plain(0);
    }

    /** A server without TLS on this port. */
    static StubServer plain(int port) throws IOException {
        return new StubServer(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0));
    }

    /** A server with TLS that asks for client certificates. */
    static StubServer secure(SSLContext context) throws IOException {
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters wanted = getSSLContext().getDefaultSSLParameters();
                wanted.setWantClientAuth(true);
                parameters.setSSLParameters(wanted);
            }
        });
        return new StubServer(server);
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Answers requests for {@code "GET /path"}; a request without an answer gets a plain 404. */
    void on(String request, Answering answering) {
        answers.put(request, answering);
    }

    /** Answers with this body. */
    void on(String request, int code, String body) {
        on(request, (asked, client) -> json(code, body));
    }

    /** The answers, where watches are told from lists by {@code "WATCH /path"}. */
    List<Request> requests() {
        return List.copyOf(requests);
    }

    static Response json(int code, String body) {
        return new Response(code, Map.of(), body, Optional.empty());
    }

    /** A {@code v1 Status}. */
    static String status(int code, String reason, String message, String details) {
        return """
        {"kind":"Status","apiVersion":"v1","status":"Failure","message":"%s","reason":"%s","details":{%s},"code":%d}""".formatted(message, reason, details, code);
    }

    /** An answer whose lines the test sends later; the returned queue feeds it. */
    Response stream(BlockingQueue<String> lines) {
        streams.add(lines);
        return new Response(200, Map.of(), "", Optional.of(lines));
    }

    static BlockingQueue<String> lines() {
        return new LinkedBlockingQueue<>();
    }

    static void end(BlockingQueue<String> lines) {
        lines.add(END);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String query =
                    Optional.ofNullable(exchange.getRequestURI().getQuery()).orElse("");
            String verb = query.contains("watch=true") ? "WATCH" : exchange.getRequestMethod();
            var request = new Request(
                    verb, exchange.getRequestURI().getPath(), query, Map.copyOf(exchange.getRequestHeaders()), body);
            requests.add(request);
            Answering answering = answers.getOrDefault(
                    verb + " " + request.path(), (asked, client) -> json(404, "404 page not found"));
            send(exchange, answering.answer(request, client(exchange)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(HttpExchange exchange, Response response) throws IOException, InterruptedException {
        response.headers()
                .forEach((name, value) -> exchange.getResponseHeaders().add(name, value));
        byte[] bytes = response.body().getBytes(StandardCharsets.UTF_8);
        if (response.lines().isEmpty()) {
            exchange.sendResponseHeaders(response.code(), bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            return;
        }
        exchange.sendResponseHeaders(response.code(), 0);
        exchange.getResponseBody().flush();
        while (true) {
            String line = response.lines().get().poll(60, TimeUnit.SECONDS);
            if (line == null || line.equals(END)) {
                return;
            }
            exchange.getResponseBody().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
        }
    }

    private static String client(HttpExchange exchange) {
        try {
            return exchange instanceof HttpsExchange secure
                    ? secure.getSSLSession().getPeerPrincipal().getName()
                    : "";
        } catch (SSLPeerUnverifiedException e) {
            return "nobody";
        }
    }

    @Override
    public void close() {
        streams.forEach(StubServer::end);
        server.stop(0);
        threads.shutdownNow();
    }
}
