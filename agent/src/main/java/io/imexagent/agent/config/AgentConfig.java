package io.imexagent.agent.config;

import io.imexagent.core.policy.Isolation;
import io.imexagent.imex.gate.ImexServiceSettings;
import io.imexagent.imex.prepare.ServingPolicy;
import io.imexagent.imex.prepare.Sharing;
import io.imexagent.imex.watch.ChannelHealth;
import io.imexagent.imex.watch.ImexWatchSettings;
import io.imexagent.rdma.watch.RdmaSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The agent's effective configuration, valid as a whole. Its shape is that of the configuration file.
 *
 * @param node what this node is called
 * @param host where the host's files are
 * @param nvml how NVML is reached
 * @param kubelet where the kubelet is
 * @param kubernetes how the API server is reached
 * @param cdi where CDI specs are written
 * @param state where the agent keeps files of its own
 * @param featureGates which features are on
 * @param imex how IMEX channels are handed out
 * @param publication what is published to Kubernetes
 * @param inventory how often the host is read
 * @param prepare how claims are prepared
 * @param deviceHealth how device health is told to the kubelet
 * @param http metrics and health over HTTP
 * @param controller how the controller works
 * @param log how much is logged
 * @param rdma which RDMA NICs may be handed to containers
 */
public record AgentConfig(
        Node node,
        Host host,
        Nvml nvml,
        Kubelet kubelet,
        Kubernetes kubernetes,
        Cdi cdi,
        State state,
        FeatureGates featureGates,
        Imex imex,
        Publication publication,
        Inventory inventory,
        Prepare prepare,
        DeviceHealth deviceHealth,
        Http http,
        Controller controller,
        Log log,
        RdmaSettings rdma) {

    /**
     * How this node serves channels.
     *
     * @throws IllegalStateException where no isolation is set, which a valid configuration has under HostManagedIMEX
     */
    public ServingPolicy servingPolicy() {
        return new ServingPolicy(
                node.name(),
                imex.isolation().orElseThrow(() -> new IllegalStateException("isolation is set")),
                imex.channels(),
                imex.sharingInForce(),
                !publication.withoutClique());
    }

    /**
     * What this node is called.
     *
     * @param name the name of the Node object, also the pool of its devices; default: the host name in lower case, as the
     *     kubelet takes it
     */
    public record Node(String name) {}

    /**
     * Where the host's files are.
     *
     * @param root the folder under which {@code proc}, {@code sys} and {@code dev} of the host stand; default {@code /}
     * @param driverRoot the folder under which the NVIDIA driver's libraries stand; default {@code /}, with a
     *     containerised driver {@code /run/nvidia/driver}
     */
    public record Host(Path root, Path driverRoot) {}

    /**
     * How NVML is reached.
     *
     * @param simulate the name of a simulated tray that takes the place of the library, for demonstrations; empty in
     *     earnest
     * @param deadline how long one reading may take before the driver counts as hung; default 5 s
     * @param events whether events of the GPUs, such as Xids, are listened for while the agent serves; default true. It
     *     holds the driver: false lets go of it, for instance before the driver is reloaded
     * @param eventsWhileObserving whether they are listened for by an agent that only observes, too; default false, so
     *     that such an agent never holds the driver
     */
    public record Nvml(Optional<String> simulate, Duration deadline, boolean events, boolean eventsWhileObserving) {

        /** Whether events are listened for by an agent that serves IMEX channels, or that does not. */
        public boolean listens(boolean serves) {
            return events && (serves || eventsWhileObserving);
        }
    }

    /**
     * Where the kubelet is.
     *
     * @param root the kubelet's root directory; default {@code /var/lib/kubelet}
     * @param uid a user who may connect to the agent's sockets beside root; default none
     */
    public record Kubelet(Path root, OptionalInt uid) {}

    /**
     * How the API server is reached.
     *
     * @param kubeconfig the kubeconfig; default {@code /etc/kubernetes/kubelet.conf}, the kubelet's own identity
     */
    public record Kubernetes(Path kubeconfig) {}

    /**
     * Where CDI specs are written.
     *
     * @param directory default {@code /var/run/cdi}
     */
    public record Cdi(Path directory) {}

    /**
     * Where the agent keeps files of its own.
     *
     * @param directory default {@code /var/lib/imex-agent}
     */
    public record State(Path directory) {}

    /**
     * Which features are on, as resolved.
     *
     * @param hostManagedImex {@code HostManagedIMEX}: the host runs nvidia-imex and this agent serves devices; default
     *     false: the agent only observes
     * @param imexDaemonsWithDnsNames {@code IMEXDaemonsWithDNSNames}: a gate of the public driver, forced off under
     *     HostManagedIMEX; without effect here
     * @param computeDomainCliques {@code ComputeDomainCliques}: likewise
     */
    public record FeatureGates(
            boolean hostManagedImex, boolean imexDaemonsWithDnsNames, boolean computeDomainCliques) {}

    /**
     * How IMEX channels are handed out.
     *
     * @param isolation how workloads are kept apart; has no default, and must be set under HostManagedIMEX
     * @param channels N: channels 1 … N−1 are handed out to ComputeDomains; at most the driver's ImexChannelCount, default
     *     128; the same on agents and controllers
     * @param sharing which claims may hold one channel of a node together; empty: what goes with the isolation
     * @param health how the host's nvidia-imex is watched
     * @param service on which hosts nvidia-imex is installed and may start
     */
    public record Imex(
            Optional<Isolation> isolation,
            int channels,
            Optional<Sharing> sharing,
            ImexWatchSettings health,
            ImexServiceSettings service) {

        /** The sharing that holds: what the operator chose, or else what goes with the isolation. */
        public Sharing sharingInForce() {
            return sharing.orElseGet(() -> isolation.map(Sharing::standard).orElse(Sharing.NONE));
        }
    }

    /**
     * What is published to Kubernetes.
     *
     * @param withoutClique whether devices are published while the node has no NVLink clique; default true: prepare then
     *     refuses, and the user sees why
     * @param cliqueLabel whether the node label {@code nvidia.com/gpu.clique} is kept current; default false
     */
    public record Publication(boolean withoutClique, boolean cliqueLabel) {}

    /**
     * How often the host is read.
     *
     * @param interval default 30 s
     */
    public record Inventory(Duration interval) {}

    /**
     * How claims are prepared.
     *
     * @param answerWithin how long a call may wait for what can still come good, well under the kubelet's 45 s; default
     *     30 s
     */
    public record Prepare(Duration answerWithin) {}

    /**
     * How device health is told to the kubelet.
     *
     * @param timeout how long the kubelet may believe a report, in whole seconds; default 30 s
     * @param degraded what a device is called that works with less than it could; default healthy, with a message
     */
    public record DeviceHealth(Duration timeout, ChannelHealth.Degraded degraded) {}

    /**
     * Metrics and health over HTTP.
     *
     * @param address the address to listen on; default {@code 0.0.0.0}
     * @param port the port; default 9408; 0 takes a free one
     * @param tls certificate and key; empty for plain HTTP
     */
    public record Http(String address, int port, Optional<Tls> tls) {}

    /**
     * Certificate and key of the HTTP server, PEM files that are read again when they change.
     *
     * @param certificate the certificate chain
     * @param key the private key
     */
    public record Tls(Path certificate, Path key) {}

    /**
     * How the controller of ComputeDomains works.
     *
     * @param kubeconfig how the API server is reached; default {@code /etc/imex-agent/controller.conf}
     * @param namespace the namespace of its Leases; default {@code imex-agent}
     * @param quarantine how long a channel rests between two ComputeDomains; default 10 minutes
     * @param callsPerSecond how many calls a second it makes at most; default 300
     * @param port the port of its metrics and health; default 9409; 0 takes a free one
     */
    public record Controller(Path kubeconfig, String namespace, Duration quarantine, int callsPerSecond, int port) {}

    /**
     * How much is logged.
     *
     * @param level {@code error}, {@code warn}, {@code info} or {@code debug}; default {@code info}
     */
    public record Log(Level level) {

        /** Levels, the quietest first. */
        public enum Level {
            /** Only what is broken. */
            ERROR,
            /** And what needs a look. */
            WARN,
            /** And what happened. */
            INFO,
            /** And why. */
            DEBUG
        }
    }
}
