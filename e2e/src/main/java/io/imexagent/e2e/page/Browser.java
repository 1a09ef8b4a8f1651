package io.imexagent.e2e.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Debian's Chromium without a screen and with one page, driven by the Chrome DevTools Protocol. Only loopback is used. */
public class Browser implements AutoCloseable {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String LISTENING = "DevTools listening on ";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Process process;
    private final HttpClient http = HttpClient.newHttpClient();
    private final AtomicInteger calls = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> pending = new ConcurrentHashMap<>();
    private final Consumer<JsonNode> events;
    private final WebSocket socket;

    /** Starts it, with an empty profile in this folder. */
    public Browser(Path profile) throws IOException, InterruptedException {
        this(profile, event -> {});
    }

    /** The same, with somebody who takes every event of the page, on a thread of its own. */
    Browser(Path profile, Consumer<JsonNode> events) throws IOException, InterruptedException {
        this.events = events;
        ProcessBuilder builder = new ProcessBuilder(
                        System.getenv().getOrDefault("CHROMIUM", "chromium"),
                        "--headless=new",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "--no-first-run",
                        "--no-default-browser-check",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--hide-scrollbars",
                        "--force-color-profile=srgb",
                        "--lang=en-GB",
                        // Its sandbox does not run as root; it shows pages of this build only.
                        "--no-sandbox",
                        "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        // What it keeps beside its profile goes with it.
        builder.environment().put("TMPDIR", Files.createDirectories(profile).toString());
        process = builder.start();
        try {
            URI browser = URI.create(listening().replace("ws://", "http://"));
            JsonNode pages = MAPPER.readTree(http.send(
                            HttpRequest.newBuilder(browser.resolve("/json/list"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body());
            String page = pages.valueStream()
                    .filter(target -> target.path("type").asText().equals("page"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("the browser has no page: " + pages))
                    .path("webSocketDebuggerUrl")
                    .asText();
            socket = http.newWebSocketBuilder()
                    .buildAsync(URI.create(page), new EventListener())
                    .get(LONG.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            process.destroyForcibly();
            throw new IOException("no connection to the browser", e);
        }
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            call(domain + ".enable", object());
        }
    }

    /** Where it takes commands; what it says on standard error is read on, so that it never waits for a reader. */
    private String listening() throws IOException {
        var said = new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8));
        var before = new StringBuilder();
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            if (line.startsWith(LISTENING)) {
                Thread.ofVirtual().start(() -> said.lines().forEach(ignored -> {}));
                return line.substring(LISTENING.length());
            }
            before.append(line).append('\n');
        }
        throw new IOException("the browser did not start: " + before);
    }

    public void open(String address) throws IOException, InterruptedException {
        call("Page.navigate", object().put("url", address));
        await(
                address + " to be loaded",
                "document.readyState === 'complete' && location.href === '%s'".formatted(address));
    }

    /** Runs a script in each page that is opened from now on, before the page's own. */
    public void onEachPage(String script) throws IOException, InterruptedException {
        call("Page.addScriptToEvaluateOnNewDocument", object().put("source", script));
    }

    /** The value of an expression of JavaScript in the page; promises are waited for. */
    public JsonNode evaluate(String expression) throws IOException, InterruptedException {
        JsonNode result = call(
                "Runtime.evaluate",
                object().put("expression", expression)
                        .put("returnByValue", true)
                        .put("awaitPromise", true));
        if (result.has("exceptionDetails")) {
            throw new IOException(expression + " failed: " + result.path("exceptionDetails"));
        }
        return result.path("result").path("value");
    }

    /** Waits until an expression is true in the page. */
    public void await(String what, String expression) throws IOException, InterruptedException {
        long end = System.nanoTime() + LONG.toNanos();
        while (!evaluate("!!(" + expression + ")").asBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + LONG.toSeconds() + " s: " + what + "; the page says: "
                        + evaluate("document.body.innerText").asText());
            }
            Thread.sleep(20);
        }
    }

    /** What the page is shown on: the colours that its reader prefers, {@code light} or {@code dark}, and the medium. */
    public void media(String colours, String medium) throws IOException, InterruptedException {
        ObjectNode media = object().put("media", medium);
        media.putArray("features")
                .add(object().put("name", "prefers-color-scheme").put("value", colours));
        call("Emulation.setEmulatedMedia", media);
    }

    public void size(int width, int height) throws IOException, InterruptedException {
        call(
                "Emulation.setDeviceMetricsOverride",
                object().put("width", width)
                        .put("height", height)
                        .put("deviceScaleFactor", 1)
                        .put("mobile", false));
    }

    public void picture(Path file) throws IOException, InterruptedException {
        String png = call(
                        "Page.captureScreenshot", object().put("format", "png").put("optimizeForSpeed", false))
                .path("data")
                .asText();
        Files.write(file, Base64.getDecoder().decode(png));
    }

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    JsonNode call(String method, ObjectNode parameters) throws IOException, InterruptedException {
        int id = calls.incrementAndGet();
        var answer = new CompletableFuture<JsonNode>();
        pending.put(id, answer);
        ObjectNode message = object().put("id", id).put("method", method);
        message.set("params", parameters);
        try {
            socket.sendText(message.toString(), true).get(LONG.toSeconds(), TimeUnit.SECONDS);
            JsonNode answered = answer.get(LONG.toSeconds(), TimeUnit.SECONDS);
            if (answered.has("error")) {
                throw new IOException(method + " was refused: " + answered.path("error"));
            }
            return answered.path("result");
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(method + " was not answered", e);
        } finally {
            pending.remove(id);
        }
    }

    private void heard(JsonNode message) {
        CompletableFuture<JsonNode> waiting = pending.get(message.path("id").asInt());
        if (waiting == null) {
            events.accept(message);
        } else {
            waiting.complete(message);
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
        List<ProcessHandle> children = process.descendants().toList();
        process.destroy();
        var _ = process.onExit()
                .completeOnTimeout(process, LONG.toSeconds(), TimeUnit.SECONDS)
                .join();
        process.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
    }

    private final class EventListener implements WebSocket.Listener {

        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                String whole = text.toString();
                text.setLength(0);
                try {
                    heard(MAPPER.readTree(whole));
                } catch (IOException broken) {
                    throw new IllegalStateException("the browser sent no JSON: " + whole, broken);
                }
            }
            from.request(1);
            return CompletableFuture.completedFuture(part);
        }
    }
}
