package io.imexagent.e2e.machine;

import io.grpc.StatusRuntimeException;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import io.imexagent.testing.kubelet.KubeletDouble;
import io.imexagent.testing.kubelet.KubeletEvent;
import io.imexagent.testing.kubelet.KubeletOptions;
import io.imexagent.testing.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * A machine as a node of a cluster: outside of it an API server and a kubelet, which reaches the agent over the sockets
 * in the machine's files, as a kubelet in a container would.
 */
final class HostNode implements AutoCloseable {

    /** The agent's unit. */
    static final String AGENT = "imex-agent.service";

    private static final Path KUBELET = Path.of("/var/lib/kubelet");

    private final SystemdMachine machine;
    private final ApiDouble api;
    private final KubeletDouble kubelet;

    private HostNode(SystemdMachine machine, ApiDouble api, KubeletDouble kubelet) {
        this.machine = machine;
        this.api = api;
        this.kubelet = kubelet;
    }

    /** Makes a machine that is off a node whose agent serves. */
    static HostNode of(SystemdMachine machine) throws IOException, InterruptedException {
        HostNode node = around(machine);
        node.configure("info");
        return node;
    }

    /** Makes a machine that is off a node, and leaves the agent as it is. */
    static HostNode around(SystemdMachine machine) throws IOException, InterruptedException {
        ApiDouble api = ApiDouble.start(new ApiDoubleOptions());
        api.apply(Workload.cluster(SystemdMachine.NAME));
        Path kubeconfig = machine.file("/etc/kubernetes/kubelet.conf");
        Files.createDirectories(kubeconfig.getParent());
        api.writeKubeconfig(kubeconfig, new Login.TokenLogin("node:" + SystemdMachine.NAME));
        // Plugins name their sockets by path, so the kubelet has to see them where the machine does.
        Files.createDirectories(machine.file(KUBELET.toString()));
        Commands.succeed(
                SystemdMachine.LONG,
                List.of("mount", "--bind", machine.file(KUBELET.toString()).toString(), KUBELET.toString()));
        KubeletDouble kubelet = KubeletDouble.start(KubeletOptions.in(KUBELET).retryingAfter(Duration.ofMillis(200)));
        return new HostNode(machine, api, kubelet);
    }

    /** The cluster's API server. */
    ApiDouble api() {
        return api;
    }

    /** Writes the agent's configuration. */
    void configure(String logLevel) throws IOException {
        configure(logLevel, "");
    }

    /** Writes the agent's configuration, with more keys at its end. */
    void configure(String logLevel, String more) throws IOException {
        machine.write("/etc/imex-agent/config.yaml", """
                featureGates:
                  HostManagedIMEX: true
                imex:
                  isolation: None
                  health:
                    interval: 5s
                inventory:
                  interval: 1s
                log:
                  level: %s
                """.formatted(logLevel) + more);
    }

    /** Makes the controller's namespace, and writes its kubeconfig into the machine; its path there. */
    String controllersKubeconfig() throws IOException {
        api.apply(
                Json.literal("{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"imex-agent\"}}"));
        String path = "/etc/imex-agent/controller.conf";
        api.writeKubeconfig(machine.file(path), new Login.TokenLogin("admin"));
        return path;
    }

    /** Schedules a workload with a claim to the node. */
    Workload schedule(int number) {
        Workload workload = new Workload("default", SystemdMachine.NAME, number);
        api.apply(workload.objects());
        return workload;
    }

    /** Asks until the claim is prepared, as the kubelet does; its CDI devices. */
    List<String> prepare(Workload workload) throws IOException, InterruptedException {
        return prepare(workload.claim());
    }

    /** The same for a claim that the scheduler has allocated. */
    List<String> prepare(KubeletClaimRequest claim) throws IOException, InterruptedException {
        awaitRegistered();
        ClaimResult[] last = new ClaimResult[1];
        machine.await("the claim to be prepared", () -> {
            last[0] = answer(() -> kubelet.prepare(claim));
            return last[0] instanceof ClaimResult.ClaimDone;
        });
        return ((ClaimResult.ClaimDone) last[0])
                .devices().stream()
                        .flatMap(device -> device.cdiDeviceIds().stream())
                        .toList();
    }

    /** Asks once; the words in which the claim is refused. */
    String refuse(Workload workload) throws InterruptedException {
        awaitRegistered();
        return ((ClaimResult.ClaimFailed) kubelet.prepare(workload.claim())).error();
    }

    /** Asks until the claim is unprepared. */
    void unprepare(Workload workload) throws IOException, InterruptedException {
        unprepare(workload.claim());
    }

    /** The same for a claim that the scheduler has allocated. */
    void unprepare(KubeletClaimRequest claim) throws IOException, InterruptedException {
        awaitRegistered();
        machine.await(
                "the claim to be unprepared",
                () -> answer(() -> kubelet.unprepare(claim)) instanceof ClaimResult.ClaimDone);
    }

    /** A call that is cut off, as by a restart, is one that failed; the kubelet asks again. */
    private static ClaimResult answer(Supplier<ClaimResult> call) {
        try {
            return call.get();
        } catch (StatusRuntimeException cutOff) {
            return new ClaimResult.ClaimFailed(cutOff.toString());
        }
    }

    /** Waits until the kubelet has an agent to call. */
    void awaitRegistered() throws InterruptedException {
        kubelet.awaitPlugin(SystemdMachine.LONG);
    }

    /** How often an agent has registered. */
    int registrations() {
        return kubelet.events(KubeletEvent.PluginRegistered.class).size();
    }

    /** Waits until an agent has registered that had not before. */
    void awaitRegistrationAfter(int before) throws IOException, InterruptedException {
        machine.await("the agent to register again", () -> registrations() > before);
    }

    /** How many devices are published. */
    int publishedDevices() {
        return api.list(ResourceType.RESOURCE_SLICES).stream()
                .mapToInt(slice -> slice.path("spec").path("devices").size())
                .sum();
    }

    /** Waits until the agent's STATUS holds a text, and gives the line. */
    String awaitStatus(String part) throws IOException, InterruptedException {
        machine.await(
                "a status with \"" + part + "\"",
                () -> machine.property(AGENT, "StatusText").contains(part));
        return machine.property(AGENT, "StatusText");
    }

    /** The agent's process. */
    String processId() throws IOException, InterruptedException {
        return machine.property(AGENT, "MainPID");
    }

    @Override
    public void close() throws IOException {
        kubelet.close();
        api.close();
        try {
            Commands.run(SystemdMachine.LONG, List.of("umount", "--lazy", KUBELET.toString()));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
