package io.imexagent.e2e.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.AgentSettings;
import io.imexagent.e2e.process.StatusClient;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.tls.KeyKind;
import io.imexagent.testing.host.FakeHost;
import io.imexagent.testing.host.Scratch;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletDouble;
import io.imexagent.testing.kubelet.KubeletEvent;
import io.imexagent.testing.workload.Workload;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The story: what stands on the stage, and what happens in which order. */
public final class Demo implements AutoCloseable {

    private static final String NODE = "tray-07";
    private static final Workload WORKLOAD = new Workload("demo", NODE, 1);
    private static final int MOST_SERIES = 14;

    /** How the series that the public driver has too begin. */
    private static final String PUBLIC = "nvidia_dra_";

    private final DemoOptions options;
    private final Narrator narrator;
    private final Scratch scratch;
    private final FakeHost host;
    private final ApiDouble api;
    private final KubeletDouble kubelet;
    private final Path configuration;
    private Optional<AgentProcess> running = Optional.empty();

    Demo(DemoOptions options, Narrator narrator) throws IOException {
        this.options = options;
        this.narrator = narrator;
        this.scratch = Scratch.create();
        if (options.keep) {
            scratch.keep();
        }
        this.host = FakeHost.create(scratch.directory());
        this.api = ApiDouble.start(new ApiDoubleOptions());
        var certificate = api.issueCertificate(UserIdentity.node(NODE), KeyKind.EC_SEC1, Duration.ofHours(1));
        Path kubeconfig = api.writeKubeconfig(
                scratch.directory().resolve("kubelet.conf"), new Login.EmbeddedCertificate(certificate));
        this.configuration = AgentSettings.of(host, NODE, kubeconfig)
                .write(scratch.directory().resolve("config.yaml"));
        this.kubelet = KubeletDouble.start(host.kubeletRoot());
    }

    /** Tells the story; false where it does not end well, which the story says too. */
    public static boolean tell(DemoOptions options, PrintStream out) throws InterruptedException {
        var narrator = new Narrator(out, options.color);
        try (Demo demo = new Demo(options, narrator)) {
            demo.tell();
            return true;
        } catch (IOException | RuntimeException e) {
            narrator.failure(e);
            return false;
        }
    }

    private void tell() throws IOException, InterruptedException {
        narrator.title("imex-agent on a simulated GB200 compute tray: no GPU, no cluster and no root needed");
        cluster();
        host();
        AgentProcess agent = start();
        registration();
        slice(agent);
        try (StatusClient status = new StatusClient(agent.awaitHttpPort())) {
            Map<String, Double> before = status.metrics();
            claim(agent);
            container();
            metrics(before, status);
        }
        health();
        AgentProcess second = crash(agent);
        unprepare(second);
        end(second);
        narrator.end("That was all of it.");
        if (options.keep) {
            narrator.say("left behind: %s".formatted(scratch.directory()));
        }
    }

    private void cluster() {
        narrator.step("A cluster");
        api.apply(Workload.cluster(NODE));
        api.apply(WORKLOAD.objects());
        narrator.say("API server double at %s, with TLS and the rules of a real server".formatted(api.url()));
        narrator.say("Node %s".formatted(NODE));
        narrator.say("ComputeDomain demo/%s, and its claim template".formatted(WORKLOAD.domain()));
        narrator.say("Pod demo/%s, bound to %s; its ResourceClaim demo/%s got channel-0 from the scheduler"
                .formatted(WORKLOAD.pod(), NODE, WORKLOAD.claim().name()));
    }

    private void host() throws IOException {
        narrator.step("A host");
        narrator.say("files under %s, and a simulated NVML with four GB200 GPUs in one clique".formatted(host.root()));
        narrator.say("the agent's configuration:");
        narrator.quote(Files.readString(configuration));
    }

    private AgentProcess start() throws IOException, InterruptedException {
        narrator.step("The agent starts, as on a host: bin/imex-agent run --config config.yaml");
        long start = System.nanoTime();
        AgentProcess agent = launch();
        agent.awaitTrue("a registration socket", () -> Files.exists(host.registrationSocket()));
        long millis = (System.nanoTime() - start) / 1_000_000;
        narrator.proved("process %d; %d ms later its sockets stand".formatted(agent.pid(), millis));
        return agent;
    }

    private AgentProcess launch() throws IOException {
        AgentLaunch launch = AgentLaunch.run(configuration);
        if (options.verbose) {
            launch.listener(narrator::quote);
        }
        AgentProcess agent = launch.start();
        running = Optional.of(agent);
        return agent;
    }

    private void registration() throws InterruptedException {
        narrator.step("The kubelet finds the socket and registers the plugin");
        KubeletEvent.PluginRegistered plugin =
                kubelet.awaitPlugin(AgentProcess.LONG).registration();
        narrator.proved("%s serves %s".formatted(plugin.driver(), String.join(", ", plugin.services())));
    }

    private void slice(AgentProcess agent) throws InterruptedException {
        narrator.step("The agent publishes what it found");
        ObjectNode slice = agent.await(
                "a ResourceSlice of " + NODE,
                () -> api.list(ResourceType.RESOURCE_SLICES).stream().findFirst());
        narrator.proved("ResourceSlice %s".formatted(slice.at("/metadata/name").asText()));
        for (JsonNode device : slice.at("/spec/devices")) {
            narrator.say("device %s  %s".formatted(device.path("name").asText(), device.path("attributes")));
        }
    }

    private void claim(AgentProcess agent) throws IOException {
        narrator.step("The pod's turn: the kubelet asks to prepare its claim");
        long start = System.nanoTime();
        ClaimResult.ClaimDevice device = prepared(agent, kubelet.prepare(WORKLOAD.claim()));
        double millis = (System.nanoTime() - start) / 1e6;
        narrator.proved(String.format(Locale.ROOT, "prepared in %.1f ms, the first call since the start", millis));
        narrator.say("CDI device %s".formatted(String.join(", ", device.cdiDeviceIds())));
        Path file = cdiFile(agent);
        narrator.say("for the container runtime, %s:".formatted(file.getFileName()));
        narrator.quote(Files.readString(file));
    }

    private void container() throws IOException, InterruptedException {
        narrator.step("A container gets the device");
        if (options.noContainer) {
            narrator.say("left out: --no-container");
            return;
        }
        String device =
                "k8s.compute-domain.nvidia.com/claim=" + WORKLOAD.claim().uid() + "-channel-0";
        Container.ContainerResult outcome = Container.listNode(scratch.directory(), host.cdiFiles(), device);
        if (!outcome.ran()) {
            narrator.say("left out: %s".formatted(outcome.text()));
            return;
        }
        narrator.say("podman run --device %s ... ls -l /dev/nvidia-caps-imex-channels".formatted(device));
        narrator.quote(outcome.text());
        if (!outcome.text().contains("channel0") || !outcome.text().contains(FakeHost.CHANNEL_MAJOR + ", ")) {
            throw new IllegalStateException(
                    "expected the container to show channel0 with major " + FakeHost.CHANNEL_MAJOR);
        }
        narrator.proved("the node is there, with the major that the kernel gave the channels");
    }

    private void metrics(Map<String, Double> before, StatusClient status) throws IOException {
        narrator.step("What Prometheus sees of it at " + status.url() + "/metrics");
        Map<String, Double> moved = StatusClient.changed(before, status.metrics());
        moved.keySet().removeIf(name -> !isTelling(name));
        if (moved.isEmpty()) {
            throw new IllegalStateException("expected metrics to move with a prepare, but none did");
        }
        // What the public driver has too comes first: how many others move depends on how busy the machine is.
        Comparator<Map.Entry<String, Double>> shared =
                Comparator.comparing(entry -> !entry.getKey().startsWith(PUBLIC));
        moved.entrySet().stream().sorted(shared).limit(MOST_SERIES).forEach(entry -> {
            double old = before.getOrDefault(entry.getKey(), 0.0);
            narrator.say("%s  %s -> %s".formatted(entry.getKey(), plain(old), plain(entry.getValue())));
        });
    }

    private static boolean isTelling(String series) {
        return (series.startsWith(PUBLIC) || series.startsWith("imex_agent_"))
                && !series.contains("_bucket")
                && !series.contains("_max")
                && !series.contains("_age_")
                // The watch of nvidia-imex begins beside the first claim and moves series of its own.
                && !series.startsWith("imex_agent_imex_");
    }

    private static String plain(double value) {
        return String.format(Locale.ROOT, value == Math.rint(value) ? "%.0f" : "%.4f", value);
    }

    private void health() throws InterruptedException {
        narrator.step("The kubelet follows the health of the devices");
        KubeletEvent.HealthReported report =
                kubelet.awaitEvent(KubeletEvent.HealthReported.class, Demo::isKnown, AgentProcess.LONG);
        for (KubeletEvent.DeviceStatus device : report.devices()) {
            String message = device.message().isEmpty() ? "" : ": " + device.message();
            narrator.proved("%s/%s is %s%s".formatted(device.pool(), device.device(), device.health(), message));
        }
    }

    /** Until nvidia-imex has been looked at, a second or so after the start, the health of a channel is unknown. */
    private static boolean isKnown(KubeletEvent.HealthReported report) {
        return !report.devices().isEmpty()
                && report.devices().stream().noneMatch(device -> device.health().equals("UNKNOWN"));
    }

    private AgentProcess crash(AgentProcess agent) throws IOException, InterruptedException {
        narrator.step("The agent crashes (kill -9), and the API server goes away too");
        String spec = Files.readString(cdiFile(agent));
        agent.kill();
        api.goAway();
        kubelet.restart();
        AgentProcess second = launch();
        kubelet.awaitPlugin(AgentProcess.LONG);
        prepared(second, kubelet.prepare(WORKLOAD.claim()));
        api.comeBack();
        narrator.proved("the new process, %d, knows the claim from its checkpoint and answers the same"
                .formatted(second.pid()));
        expect(second, Files.readString(cdiFile(second)).equals(spec), "the CDI file to be as before the crash");
        narrator.proved("the CDI file is as it was");
        return second;
    }

    private void unprepare(AgentProcess agent) throws IOException {
        narrator.step("The pod has ended: the kubelet asks to unprepare");
        ClaimResult result = kubelet.unprepare(WORKLOAD.claim());
        expect(
                agent,
                result instanceof ClaimResult.ClaimDone,
                "the claim to be unprepared, but the answer was " + result);
        expect(agent, host.cdiFiles().isEmpty(), "no CDI file to be left, but there is " + host.cdiFiles());
        narrator.proved("the CDI file is gone; the checkpoint holds no claim:");
        narrator.quote(Files.readString(host.checkpoint()));
    }

    private void end(AgentProcess agent) throws InterruptedException {
        narrator.step("The agent is told to stop (SIGTERM)");
        int code = agent.terminate();
        expect(agent, code == 0, "exit code 0, but it was " + code);
        expect(agent, !Files.exists(host.registrationSocket()), "the registration socket to be gone");
        narrator.proved("exit code 0; its sockets are gone, the kubelet knows");
    }

    private static void expect(AgentProcess agent, boolean holds, String what) {
        if (!holds) {
            throw agent.failure("expected " + what);
        }
    }

    private static ClaimResult.ClaimDevice prepared(AgentProcess agent, ClaimResult result) {
        if (result instanceof ClaimResult.ClaimDone(List<ClaimResult.ClaimDevice> devices) && devices.size() == 1) {
            return devices.getFirst();
        }
        throw agent.failure("expected the claim to be prepared with one device, but the answer was " + result);
    }

    private Path cdiFile(AgentProcess agent) throws IOException {
        List<Path> files = host.cdiFiles(WORKLOAD.claim().uid());
        expect(agent, files.size() == 1, "one CDI file of the claim, but there is " + host.cdiFiles());
        return files.getFirst();
    }

    /** Ends what still runs and clears the stage. */
    @Override
    public void close() throws IOException {
        running.ifPresent(AgentProcess::close);
        kubelet.close();
        api.close();
        scratch.close();
    }
}
