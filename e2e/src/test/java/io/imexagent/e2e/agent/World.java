package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.AgentSettings;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.host.FakeHost;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import io.imexagent.testing.kubelet.KubeletDouble;
import io.imexagent.testing.kubelet.KubeletEvent;
import io.imexagent.testing.kubelet.KubeletOptions;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A node with all that is around an agent: host files, the kubelet and an API server, as doubles, and the agents that
 * were started. The node has the name and the UID of the captured one. Waits are long, end as soon as what they wait for
 * is there, and fail with the agent's log. Closing it ends everything.
 */
public final class World implements AutoCloseable {
    /** The node's name. */
    public static final String NODE = "tb-node";

    /** The namespace of the workloads. */
    public static final String NAMESPACE = "default";

    private static final String NODE_UID = "8941806a-7a59-4772-bfb4-0d5c3f66ae97";

    private final Path directory;
    private final FakeHost host;
    private final ApiDouble api;
    private final KubeletDouble kubelet;
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<AgentProcess> agents = new ArrayList<>();
    private final List<World> others = new ArrayList<>();
    private AgentSettings settings;

    private World(Path directory, ApiDouble api, String node, String uid) throws IOException {
        this.directory = directory;
        this.host = FakeHost.create(directory);
        this.api = api;
        api.apply(Fixtures.node(node, uid));
        api.apply(Fixtures.deviceClass());
        this.kubelet = KubeletDouble.start(KubeletOptions.in(host.kubeletRoot()).retryingAfter(Duration.ofMillis(200)));
        Path kubeconfig = api.writeKubeconfig(directory.resolve("kubeconfig"), new Login.TokenLogin("node:" + node));
        this.settings = AgentSettings.of(host, node, kubeconfig)
                .with("prepare.answerWithin", "2s")
                .with("inventory.interval", "1s");
    }

    /**
     * Opens a world without an agent. Agents in it look at their host each second and answer a prepare within two.
     *
     * @throws IOException when a double does not start
     */
    public static World open() throws IOException {
        return new World(Files.createTempDirectory("imex"), ApiDouble.start(new ApiDoubleOptions()), NODE, NODE_UID);
    }

    /** Opens another node of the same cluster. It closes with this one. */
    public World other(String node) throws IOException {
        var other = new World(Files.createTempDirectory("imex"), api, node, Fixtures.uid(9999));
        others.add(other);
        return other;
    }

    /** The folder of all files. */
    public Path directory() {
        return directory;
    }

    /** The host's files. */
    public FakeHost host() {
        return host;
    }

    /** The API server. */
    public ApiDouble api() {
        return api;
    }

    /** The kubelet. */
    public KubeletDouble kubelet() {
        return kubelet;
    }

    /** The configuration of the next agent. */
    public AgentSettings settings() {
        return settings;
    }

    /** Changes the configuration of the next agent. */
    public World with(String key, String value) {
        settings = settings.with(key, value);
        return this;
    }

    /** Changes the configuration of the next agent to have no value for a key. */
    public World without(String key) {
        settings = settings.without(key);
        return this;
    }

    /** The library of a driver for the next agents, to be made so that it answers what a test writes. */
    public FakeNvmlLibrary driver() {
        FakeNvmlLibrary driver = FakeNvmlLibrary.compile(directory.resolve("driver"));
        settings = settings.withDriver(driver);
        return driver;
    }

    /** Schedules a pod with a claim and a ComputeDomain of its own to the node. */
    public ClaimedPod schedule(int number) {
        String domainUid = Fixtures.uid(1000 + number);
        String template = "channel-" + number;
        api.apply(Fixtures.computeDomain(NAMESPACE, "domain-" + number, domainUid, template));
        return schedule(number, domainUid);
    }

    /** Schedules a pod with a claim of a ComputeDomain that exists to the node. */
    public ClaimedPod schedule(int number, String domainUid) {
        String podName = "pod-" + number;
        KubeletClaimRequest claim = new KubeletClaimRequest(NAMESPACE, "claim-" + number, Fixtures.uid(number));
        ObjectNode pod = Fixtures.pod(NAMESPACE, podName, Fixtures.uid(2000 + number), NODE, claim.name());
        api.apply(pod);
        api.apply(Fixtures.allocatedClaim(NAMESPACE, claim.name(), claim.uid(), NODE, domainUid, pod));
        return new ClaimedPod(podName, claim, domainUid);
    }

    /** Removes a pod and its claim from the API server. */
    public void forget(ClaimedPod workload) {
        api.remove(ResourceType.PODS, NAMESPACE, workload.pod());
        api.remove(ResourceType.RESOURCE_CLAIMS, NAMESPACE, workload.claim().name());
    }

    /** How the next agent is started. */
    public AgentLaunch launch() throws IOException {
        return AgentLaunch.run(settings.write(directory.resolve("config.yaml")));
    }

    /** Starts an agent. */
    public AgentProcess start(AgentLaunch launch) throws IOException {
        AgentProcess agent = launch.start();
        agents.add(agent);
        return agent;
    }

    /** Starts an agent and waits until the kubelet has registered it. */
    public AgentProcess startRegistered(AgentLaunch launch) throws IOException, InterruptedException {
        int before = registrations();
        AgentProcess agent = start(launch);
        agent.awaitTrue("the kubelet to register the agent", () -> registrations() > before);
        return agent;
    }

    /** Starts an agent that serves: it is registered and has published its slice. */
    public AgentProcess startServing() throws IOException, InterruptedException {
        AgentProcess agent = startRegistered(launch());
        awaitSlice(agent);
        return agent;
    }

    /** How often the kubelet has registered an agent. */
    public int registrations() {
        return kubelet.events(KubeletEvent.PluginRegistered.class).size();
    }

    /** Waits until exactly one slice with a device is there. */
    public ObjectNode awaitSlice(AgentProcess agent) throws InterruptedException {
        return agent.await(
                "a slice",
                () -> slices().size() == 1
                                && slices().getFirst()
                                                .path("spec")
                                                .path("devices")
                                                .size()
                                        == 1
                        ? Optional.of(slices().getFirst())
                        : Optional.empty());
    }

    /** The slices of all nodes. */
    public List<ObjectNode> slices() {
        return api.list(ResourceType.RESOURCE_SLICES);
    }

    /** Asks the agent once to prepare a claim. */
    public ClaimResult prepare(ClaimedPod workload) {
        return kubelet.prepare(workload.claim());
    }

    /** Asks the agent once to unprepare a claim. */
    public ClaimResult unprepare(ClaimedPod workload) {
        return kubelet.unprepare(workload.claim());
    }

    /** Asks until the claim is prepared, as the kubelet does with each sync of the pod. */
    public ClaimResult.ClaimDone awaitPrepared(AgentProcess agent, ClaimedPod workload) throws InterruptedException {
        return awaitPrepared(agent, workload.claim());
    }

    /** Asks until a claim is prepared. */
    public ClaimResult.ClaimDone awaitPrepared(AgentProcess agent, KubeletClaimRequest claim)
            throws InterruptedException {
        return agent.await("claim " + claim + " to be prepared", () -> done(kubelet.prepare(claim)));
    }

    /** Asks until the claim is unprepared. */
    public void awaitUnprepared(AgentProcess agent, ClaimedPod workload) throws InterruptedException {
        agent.await("claim " + workload.claim() + " to be unprepared", () -> done(unprepare(workload)));
    }

    /** The text of the checkpoint; empty where there is none. */
    public String checkpoint() throws IOException {
        return Files.exists(host.checkpoint()) ? Files.readString(host.checkpoint()) : "";
    }

    /** What an agent serves at a path, such as {@code /readyz}, with the status code before it. */
    public String get(AgentProcess agent, String path) throws IOException {
        try {
            URI uri = URI.create("http://127.0.0.1:" + agent.awaitHttpPort() + path);
            HttpRequest request =
                    HttpRequest.newBuilder(uri).timeout(AgentProcess.LONG).build();
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            return response.statusCode() + " " + response.body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while " + path + " was asked for");
        }
    }

    /** The sum of an agent's series that begin so, such as those of one finding. */
    public double metric(AgentProcess agent, String beginning) throws IOException {
        return get(agent, "/metrics")
                .lines()
                .filter(line -> line.startsWith(beginning))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** What all agents have written, for a test that failed. */
    public String log() {
        StringBuilder text = new StringBuilder();
        for (AgentProcess agent : agents) {
            text.append("agent ").append(agent.pid()).append(":\n");
            agent.log().forEach(line -> text.append("  ").append(line).append('\n'));
        }
        others.forEach(other -> text.append(other.log()));
        return text.toString();
    }

    /**
     * Runs a command of the agent with the node's configuration to its end.
     *
     * @return what it wrote
     * @throws AssertionError when its exit code is another
     */
    public String run(int exitCode, String... arguments) throws IOException, InterruptedException {
        Path configuration = settings.write(directory.resolve("config.yaml"));
        AgentProcess command = start(AgentLaunch.command(arguments).arguments("--config", configuration.toString()));
        int actual = command.awaitExit();
        String output = String.join("\n", command.log());
        assertThat(actual).as(output).isEqualTo(exitCode);
        return output;
    }

    @Override
    public void close() throws IOException {
        for (World other : others) {
            other.close();
        }
        agents.forEach(AgentProcess::close);
        kubelet.close();
        api.close();
        http.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Why a claim was refused; an {@link AssertionError} where it was not. */
    public static String refusal(ClaimResult result) {
        return switch (result) {
            case ClaimResult.ClaimFailed failed -> failed.error();
            case ClaimResult.ClaimDone done -> throw new AssertionError("expected a refusal, but there was " + done);
        };
    }

    private static Optional<ClaimResult.ClaimDone> done(ClaimResult result) {
        return switch (result) {
            case ClaimResult.ClaimDone done -> Optional.of(done);
            case ClaimResult.ClaimFailed failed -> Optional.empty();
        };
    }
}
