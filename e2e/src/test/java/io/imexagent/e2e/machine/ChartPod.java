package io.imexagent.e2e.machine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A pod of the chart, started as a kubelet would: image, command, user, rights, mounts and environment are those of the
 * rendered workload. Only the network is not: all pods share that of the tests.
 */
final class ChartPod implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Path ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    private final ContainerImage image;
    private final String name;
    private final JsonNode pod;
    private final Process process;
    private final Path log;

    private ChartPod(ContainerImage image, String name, JsonNode pod, Process process, Path log) {
        this.image = image;
        this.name = name;
        this.pod = pod;
        this.process = process;
        this.log = log;
    }

    /**
     * What the node and the cluster give to a pod.
     *
     * @param folder for the volumes, and for paths of the host that are not among the next
     * @param host where paths of the host are in these tests
     * @param account the folder with the files of its service account
     * @param server the API server, host and port
     */
    record Surroundings(Path folder, Map<String, Path> host, Path account, URI server) {}

    /** Starts the pod of a workload, which is named by its kind and name. */
    static ChartPod start(ContainerImage image, List<JsonNode> objects, String workload, Surroundings around)
            throws IOException, InterruptedException {
        JsonNode pod = find(objects, workload).at("/spec/template/spec");
        String name = workload.replace(" ", "-").toLowerCase(Locale.ROOT);
        List<String> line = image.running();
        line.addAll(List.of("--name=" + name, "--network=host"));
        line.addAll(rights(pod));
        line.addAll(environment(pod, around));
        line.addAll(mounts(pod, objects, around));
        JsonNode container = container(pod);
        if (container.has("command")) {
            line.add("--entrypoint=" + container.path("command"));
        }
        line.add(container.path("image").asText());
        container.path("args").forEach(argument -> line.add(argument.asText()));
        Path log = around.folder().resolve(name + ".log");
        Process process = new ProcessBuilder(line)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        return new ChartPod(image, name, pod, process, log);
    }

    /** The object of a kind and name. */
    static JsonNode find(List<JsonNode> objects, String name) {
        return objects.stream()
                .filter(object -> name.equals(object.path("kind").asText() + " "
                        + object.at("/metadata/name").asText()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("the chart renders no " + name));
    }

    private static List<String> rights(JsonNode pod) {
        JsonNode own = container(pod).path("securityContext");
        JsonNode all = pod.path("securityContext");
        List<String> line = new ArrayList<>();
        line.add("--user=" + own.path("runAsUser").asInt(all.path("runAsUser").asInt()) + ":"
                + own.path("runAsGroup").asInt(all.path("runAsGroup").asInt()));
        own.at("/capabilities/drop")
                .forEach(capability ->
                        line.add("--cap-drop=" + capability.asText().toLowerCase(Locale.ROOT)));
        if (own.path("privileged").asBoolean()) {
            line.add("--privileged");
        }
        if (!own.path("allowPrivilegeEscalation").asBoolean(true)) {
            line.add("--security-opt=no-new-privileges");
        }
        // Without a word podman has a profile for system calls, and a kubelet has none.
        if (!all.at("/seccompProfile/type").asText().equals("RuntimeDefault")) {
            line.add("--security-opt=seccomp=unconfined");
        }
        if (own.path("readOnlyRootFilesystem").asBoolean()) {
            line.addAll(List.of("--read-only", "--read-only-tmpfs=false"));
        }
        return line;
    }

    private static List<String> environment(JsonNode pod, Surroundings around) {
        List<String> line = new ArrayList<>(List.of(
                "--env=KUBERNETES_SERVICE_HOST=" + around.server().getHost(),
                "--env=KUBERNETES_SERVICE_PORT=" + around.server().getPort()));
        for (JsonNode variable : container(pod).path("env")) {
            String field = variable.at("/valueFrom/fieldRef/fieldPath").asText();
            if (!field.isEmpty() && !field.equals("spec.nodeName")) {
                throw new AssertionError("a field that these tests do not know: " + field);
            }
            line.add("--env=" + variable.path("name").asText() + "="
                    + (field.isEmpty() ? variable.path("value").asText() : SystemdMachine.NAME));
        }
        return line;
    }

    private static List<String> mounts(JsonNode pod, List<JsonNode> objects, Surroundings around)
            throws IOException, InterruptedException {
        List<String> line = new ArrayList<>();
        for (JsonNode mount : container(pod).path("volumeMounts")) {
            Path source = source(volume(pod, mount.path("name").asText()), objects, around);
            boolean follows = mount.path("mountPropagation").asText().equals("HostToContainer");
            line.add("--volume=" + source + ":" + mount.path("mountPath").asText()
                    + (mount.path("readOnly").asBoolean() ? ":ro," : ":rw,")
                    + (follows ? "rslave" : "rprivate"));
        }
        if (pod.path("automountServiceAccountToken").asBoolean()) {
            // The kubelet gives the files to the group of the pod, and to nobody else.
            String group = pod.at("/securityContext/fsGroup").asText();
            Commands.succeed(
                    LIMIT, List.of("chown", "-R", "0:" + group, around.account().toString()));
            Commands.succeed(
                    LIMIT,
                    List.of("chmod", "-R", "u=rwX,g=rX,o=", around.account().toString()));
            line.add("--volume=" + around.account() + ":" + ACCOUNT + ":ro");
        }
        return line;
    }

    private static Path source(JsonNode volume, List<JsonNode> objects, Surroundings around) throws IOException {
        Path own =
                around.folder().resolve("volumes").resolve(volume.path("name").asText());
        if (volume.has("configMap")) {
            Files.createDirectories(own);
            JsonNode map =
                    find(objects, "ConfigMap " + volume.at("/configMap/name").asText());
            for (Map.Entry<String, JsonNode> file : map.path("data").properties()) {
                Files.writeString(own.resolve(file.getKey()), file.getValue().asText());
            }
            return own;
        }
        if (volume.has("emptyDir")) {
            return Files.createDirectories(own);
        }
        JsonNode path = volume.path("hostPath");
        String named = path.path("path").asText();
        Path source = around.host().getOrDefault(named, around.folder().resolve("node" + named));
        return switch (path.path("type").asText()) {
            case "DirectoryOrCreate" -> Files.createDirectories(source);
            case "Directory", "File", "" -> source.toRealPath();
            default -> throw new AssertionError("a type of path that these tests do not know: " + path);
        };
    }

    private static JsonNode volume(JsonNode pod, String name) {
        return named(pod.path("volumes"), name);
    }

    private static JsonNode named(JsonNode list, String name) {
        return list.valueStream()
                .filter(one -> one.path("name").asText().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name + " in " + list));
    }

    private static JsonNode container(JsonNode pod) {
        return pod.path("containers").path(0);
    }

    /** Waits until all probes of the container succeed, as the kubelet makes them. */
    void awaitProbes(HttpClient http) throws InterruptedException {
        List<String> probes = Stream.of("startupProbe", "livenessProbe", "readinessProbe")
                .filter(container(pod)::has)
                .toList();
        assertThat(probes).contains("startupProbe", "readinessProbe");
        for (String probe : probes) {
            await(probe, () -> succeeds(http, probe));
        }
    }

    private boolean succeeds(HttpClient http, String probe) {
        JsonNode get = container(pod).path(probe).path("httpGet");
        JsonNode port = named(container(pod).path("ports"), get.path("port").asText());
        var page = URI.create("http://127.0.0.1:" + port.path("containerPort")
                + get.path("path").asText());
        try {
            return http.send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException notYet) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Waits until something holds; fails at once where the container has ended. */
    void await(String what, BooleanSupplier holds) throws InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!holds.getAsBoolean()) {
            if (!process.isAlive() || System.nanoTime() > end) {
                String why = process.isAlive() ? "not within " + LIMIT.toSeconds() + " s" : "the pod has ended before";
                throw new AssertionError(why + ": " + what + "\n" + log());
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** The folder in {@code /proc} of the container's first process. */
    Path proc() throws IOException, InterruptedException {
        JsonNode inspected = new ObjectMapper()
                .readTree(Commands.succeed(SystemdMachine.LONG, image.line("container", "inspect", name)));
        return Path.of("/proc", inspected.at("/0/State/Pid").asText());
    }

    /** Runs a command of the agent in the container, as the documentation has it: there is no shell. */
    Commands.Result exec(String... command) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("exec", name, "imex-agent"));
        words.addAll(List.of(command));
        return Commands.run(SystemdMachine.LONG, image.line(words.toArray(String[]::new)));
    }

    /** Ends the pod within its grace; its exit code. */
    int stop() throws IOException, InterruptedException {
        String grace = pod.path("terminationGracePeriodSeconds").asText();
        Commands.succeed(SystemdMachine.LONG, image.line("stop", "--time=" + grace, name));
        if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("still running\n" + log());
        }
        return process.exitValue();
    }

    /** What it has logged. */
    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            if (process.isAlive()) {
                Commands.run(SystemdMachine.LONG, image.line("rm", "--force", "--time=0", name));
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
