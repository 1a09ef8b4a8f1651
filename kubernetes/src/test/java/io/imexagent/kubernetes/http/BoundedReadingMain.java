package io.imexagent.kubernetes.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ControlPlane.TemplateObject;
import io.imexagent.kubernetes.ControlPlane.WatchUpdate;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Reads hostile answers, each larger than this process' heap, and says what became of each. */
final class BoundedReadingMain {

    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";
    private static final String UID = "\"uid\":\"u\",\"namespace\":\"team\",\"name\":\"a\",\"resourceVersion\":\"5\"";
    private static final int LARGE = 17 << 20;

    private final Path folder;

    private BoundedReadingMain(Path folder) {
        this.folder = folder;
    }

    /**
     * What a hostile object is made of: a beginning, a piece again and again, and an end.
     *
     * @param mirror what ends each piece, after all of them
     */
    private record Hostile(String name, String begin, String piece, String mirror, String end) {

        void write(OutputStream to) throws IOException {
            to.write(begin.getBytes(UTF_8));
            repeat(to, piece);
            repeat(to, mirror);
            to.write(end.getBytes(UTF_8));
        }

        private void repeat(OutputStream to, String what) throws IOException {
            int times = LARGE / piece.length();
            int atOnce = Math.min(times, 4096);
            byte[] many = what.repeat(atOnce).getBytes(UTF_8);
            for (int i = 0; i < times / atOnce; i++) {
                to.write(many);
            }
        }
    }

    private static Hostile deep(String name, String begin, String piece, String mirror, String end) {
        return new Hostile(name, "{\"metadata\":{" + UID + "}," + begin, piece, mirror, end);
    }

    private static Hostile object(String name, String begin, String piece, String end) {
        return deep(name, begin, piece, "", end);
    }

    private static Hostile metadata(String name, String begin, String piece, String end) {
        return new Hostile(name, "{\"metadata\":{" + UID + "," + begin, piece, "", end + "}}");
    }

    private static final List<Hostile> DOCUMENTS = List.of(
            deep("deep arrays", "\"x\":", "[", "]", "}"),
            deep("deep objects", "\"x\":", "{\"x\":", "}", "}"),
            deep("deep in a wanted place", "\"status\":", "{\"conditions\":", "}", "}"),
            deep("deep lists in a wanted place", "\"status\":{\"conditions\":", "[", "]", "}}"),
            object("long text", "\"x\":\"", "text", "\"}"),
            object("long wanted text", "\"status\":{\"conditions\":[{\"status\":\"", "\\u00fc", "\"}]}}"),
            object("long name of a field", "\"", "name", "\":1}"),
            object("long number", "\"x\":1", "1", "}"),
            object("long wanted number", "\"status\":{\"conditions\":[{\"status\":1", "1", "}]}}"),
            object("many fields", "\"x\":0", ",\"abc\":1", "}"),
            object("many elements", "\"x\":[0", ",1", "]}"),
            object("many wanted elements", "\"status\":{\"conditions\":[0", ",{\"type\":\"t\"}", "]}}"),
            object("many containers", "\"spec\":{\"containers\":[0", ",{\"resources\":{\"claims\":[{}]}}", "]}}"),
            object("the same field again and again", "\"x\":0", ",\"status\":{\"status\":\"Ready\"}", "}"),
            object("the same list again and again", "\"x\":0", ",\"spec\":{\"containers\":[{\"x\":1}]}", "}"),
            metadata("many finalizers", "\"finalizers\":[\"a\"", ",\"example.com/finalizer\"", "]"),
            metadata("many labels", "\"labels\":{\"a\":\"b\"", ",\"k\":\"v\"", "}"),
            metadata("long label", "\"labels\":{\"a\":\"", "long", "\"}"),
            metadata("long name of a label", "\"labels\":{\"", "long", "\":\"v\"}"),
            metadata("another name", "\"name\":\"", "name", "\""));

    public static void main(String[] arguments) throws IOException, ApiException, InterruptedException {
        var main = new BoundedReadingMain(Path.of(arguments[0]));
        for (Hostile document : DOCUMENTS) {
            System.out.println(document.name() + ": " + main.listed(document) + ", " + main.alone(document));
        }
        System.out.println("many objects: " + main.many(false));
        System.out.println("many unreadable objects: " + main.many(true));
        System.out.println("after many objects: " + main.afterMany());
    }

    /** What a list has of a sound node, a hostile one, and a sound one. */
    private String listed(Hostile document) throws IOException, ApiException {
        try (var server = RawServer.answering(OK, to -> {
                    to.write(("{\"items\":[" + object("first") + ",").getBytes(UTF_8));
                    document.write(to);
                    to.write(("," + object("last") + "],\"metadata\":{\"resourceVersion\":\"5\"}}").getBytes(UTF_8));
                });
                var cluster = new ClientFixture().controlPlane(folder, server.url(), Duration.ofSeconds(60))) {
            return new TreeSet<>(
                            cluster.fabric().kubernetesNodes(Optional.empty()).keySet())
                    .toString();
        }
    }

    /** What becomes of the document as a pod, of which other fields are wanted. */
    private String alone(Hostile document) throws IOException {
        try (var server = RawServer.answering(OK, document::write);
                var api = new ClientFixture().client(folder, server.url(), "token: hunter2")) {
            return api.pods().get("team", "a").isPresent() ? "read" : "none";
        } catch (ApiException e) {
            return e.failure().kind().label();
        }
    }

    /** How many of a hundred thousand objects are kept. */
    private String many(boolean hostile) throws IOException, ApiException {
        try (var server = RawServer.answering(OK, to -> {
                    to.write("{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[".getBytes(UTF_8));
                    for (int i = 0; i < 100_000; i++) {
                        String node = object("node-" + i);
                        to.write(((i == 0 ? "" : ",") + (hostile ? node.replace("\"name\"", "\"x\"") : node))
                                .getBytes(UTF_8));
                    }
                    to.write("]}".getBytes(UTF_8));
                });
                var cluster = new ClientFixture().controlPlane(folder, server.url(), Duration.ofSeconds(60))) {
            int kept = cluster.fabric().kubernetesNodes(Optional.empty()).size();
            return kept == 0 ? "none" : kept < 100_000 ? "some" : "all";
        }
    }

    /** What a watch that had no room for all objects has, once those are gone that it knew. */
    private String afterMany() throws IOException, InterruptedException {
        String path = "/apis/resource.k8s.io/v1/resourceclaimtemplates";
        var told = new LinkedBlockingQueue<WatchUpdate<TemplateObject>>();
        BlockingQueue<String> lines = StubServer.lines();
        try (var server = StubServer.plain();
                var cluster = new ClientFixture()
                        .controlPlane(folder, "http://127.0.0.1:" + server.port(), Duration.ofSeconds(60))) {
            server.on("GET " + path, 200, page(3_000));
            server.on("WATCH " + path, (request, client) -> server.stream(lines));
            cluster.watch(news -> {}, told::add, news -> {}, news -> {});
            List<TemplateObject> known = next(told);
            int left = cluster.unread().values().iterator().next().count();
            server.on("GET " + path, 200, page(3));
            for (TemplateObject template : known) {
                lines.add("{\"type\":\"DELETED\",\"object\":"
                        + object(template.ref().name()) + "}");
            }
            int now = next(told).size();
            return (known.size() + left == 3_000) + " " + now + " " + cluster.unread();
        }
    }

    private static List<TemplateObject> next(BlockingQueue<WatchUpdate<TemplateObject>> told)
            throws InterruptedException {
        while (true) {
            if (told.take() instanceof WatchUpdate.ObjectsListed<TemplateObject>(List<TemplateObject> all, String _)) {
                return all;
            }
        }
    }

    private static String page(int objects) {
        return "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":["
                + IntStream.range(0, objects)
                        .mapToObj(i -> object("object-" + i))
                        .collect(Collectors.joining(","))
                + "]}";
    }

    private static String object(String name) {
        return """
                {"metadata":{"uid":"uid-%s","namespace":"team","name":"%s","resourceVersion":"5","finalizers":["f","g"]}}""".formatted(name, name);
    }
}
