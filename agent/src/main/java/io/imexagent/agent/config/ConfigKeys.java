package io.imexagent.agent.config;

import static io.imexagent.agent.config.ConfigKey.path;
import static io.imexagent.agent.config.ConfigKey.span;
import static io.imexagent.agent.config.ConfigKey.toggle;

import io.imexagent.agent.config.ConfigKey.Standard;
import io.imexagent.agent.config.ValueType.AbsolutePath;
import io.imexagent.agent.config.ValueType.Choice;
import io.imexagent.agent.config.ValueType.Span;
import io.imexagent.agent.config.ValueType.Text;
import io.imexagent.agent.config.ValueType.WholeNumber;
import io.imexagent.core.policy.Isolation;
import io.imexagent.imex.prepare.ServingPolicy;
import io.imexagent.imex.prepare.Sharing;
import io.imexagent.imex.watch.ChannelHealth;
import io.imexagent.nvml.simulated.TrayPreset;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** All keys of the configuration: the one source of its loading, its reference, its flags and {@code config show}. */
public final class ConfigKeys {

    /** The flag that sets any key, {@code --set http.port=9500}. */
    public static final String SET_FLAG = "--set";

    /** The flag that sets feature gates in the public driver's form, {@code --feature-gates A=true,B=false}. */
    public static final String FEATURE_GATES_FLAG = "--feature-gates";

    /** The configuration file where none is named; it need not exist. */
    public static final Path DEFAULT_FILE = Path.of("/etc/imex-agent/config.yaml");

    /** The section of the feature gates. */
    static final String FEATURE_GATES = "featureGates";

    public static final ConfigKey<String> NODE_NAME = ConfigKey.of(
                    "node.name",
                    Text.nodeName(),
                    new Standard.HostName<>(),
                    "The name of this host's Node object, and of the pool of its devices.")
            .withFlag("--node-name");

    public static final ConfigKey<Path> HOST_ROOT = path(
                    "host.root", "/", "/host", "The folder under which the host's `proc`, `sys` and `dev` stand.")
            .withFlag("--host-root");

    public static final ConfigKey<Path> DRIVER_ROOT = path(
                    "host.driverRoot",
                    "/",
                    "/run/nvidia/driver",
                    "The folder under which the NVIDIA driver's libraries stand; `/run/nvidia/driver` with a driver"
                            + " container.")
            .withFlag("--driver-root");

    public static final ConfigKey<String> NVML_SIMULATE = ConfigKey.of(
                    "nvml.simulate",
                    new Choice<>(
                            () -> Arrays.stream(TrayPreset.values())
                                    .map(TrayPreset::label)
                                    .toList(),
                            label -> label),
                    new Standard.Unset<>("the real library is used", "gb200"),
                    "A simulated tray that takes NVML's place, for demonstrations and tests.")
            .withFlag("--simulate");

    public static final ConfigKey<Duration> NVML_DEADLINE = span(
            "nvml.deadline",
            Duration.ofMillis(100),
            Duration.ofMinutes(1),
            Duration.ofSeconds(5),
            "How long one reading of NVML may take before the driver counts as hung.");

    public static final ConfigKey<Boolean> NVML_EVENTS = toggle(
                    "nvml.events",
                    true,
                    "Whether events of the GPUs, such as Xids, are listened for while the agent serves; `false` lets"
                            + " go of the driver, for instance before it is reloaded.")
            .withReload();

    public static final ConfigKey<Boolean> NVML_EVENTS_WHILE_OBSERVING = toggle(
                    "nvml.eventsWhileObserving",
                    false,
                    "Whether they are listened for while `featureGates.HostManagedIMEX` is off, too; the agent then"
                            + " holds the driver as one that serves does. Counts only while `nvml.events` is true.")
            .withReload();

    public static final ConfigKey<Path> KUBELET_ROOT = path(
                    "kubelet.root",
                    "/var/lib/kubelet",
                    "The kubelet's root directory, under which the plugin's sockets and its checkpoint stand.")
            .withFlag("--kubelet-root");

    public static final ConfigKey<Integer> KUBELET_UID = ConfigKey.of(
            "kubelet.uid",
            new WholeNumber("a user ID", 0, Integer.MAX_VALUE),
            new Standard.Unset<>("only root may connect", 1000),
            "A user who may connect to the agent's sockets beside root.");

    public static final ConfigKey<Path> KUBECONFIG = path(
                    "kubernetes.kubeconfig",
                    "/etc/kubernetes/kubelet.conf",
                    "How the API server is reached, and as whom; by default as the kubelet.")
            .withFlag("--kubeconfig");

    public static final ConfigKey<Path> CDI_DIRECTORY = path(
                    "cdi.directory",
                    "/var/run/cdi",
                    "Where CDI specs are written; the container runtime must read them there.")
            .withFlag("--cdi-directory");

    public static final ConfigKey<Path> STATE_DIRECTORY = path(
                    "state.directory", "/var/lib/imex-agent", "Where the agent keeps files of its own.")
            .withFlag("--state-directory");

    public static final ConfigKey<Boolean> HOST_MANAGED_IMEX = toggle(
            FEATURE_GATES + ".HostManagedIMEX",
            false,
            "The host runs nvidia-imex and this agent serves its channels; while off, the agent only observes.");

    public static final ConfigKey<Boolean> DNS_NAMES = toggle(
            FEATURE_GATES + ".IMEXDaemonsWithDNSNames",
            true,
            "A gate of the public driver, without effect here; forced off under HostManagedIMEX.");

    public static final ConfigKey<Boolean> CLIQUES = toggle(
            FEATURE_GATES + ".ComputeDomainCliques",
            true,
            "A gate of the public driver, without effect here; forced off under HostManagedIMEX.");

    public static final ConfigKey<Isolation> ISOLATION = ConfigKey.of(
                    "imex.isolation",
                    new Choice<>(() -> List.of(Isolation.values()), Isolation::text),
                    new Standard.Unset<>("must be set under HostManagedIMEX", Isolation.NONE),
                    "How workloads on one IMEX domain are kept apart; ignored while HostManagedIMEX is off.")
            .withFlag("--isolation");

    public static final ConfigKey<Integer> CHANNELS = ConfigKey.of(
            "imex.channels",
            new WholeNumber("a number of channels", 2, 256),
            new Standard.Fixed<>(ServingPolicy.USUAL_CHANNELS),
            "With `IMEXChannel`, how many channels there are in a clique: from 1 to one less, they are bound to"
                    + " ComputeDomains, as far as the driver of each of its nodes has them"
                    + " (`NVreg_ImexChannelCount`).");

    public static final ConfigKey<Integer> CHANNELS_PER_NAMESPACE = ConfigKey.of(
            "imex.channelsPerNamespace",
            new WholeNumber("a number of channels", 1, 256),
            new Standard.Unset<>("as many as `imex.channels`", 16),
            "With `IMEXChannel`, how many channels of a clique the ComputeDomains of one namespace may have at the same"
                    + " time.");

    public static final ConfigKey<Integer> PLACES = ConfigKey.of(
            "imex.places",
            new WholeNumber("a number of devices", 1, 64),
            new Standard.Fixed<>(ServingPolicy.USUAL_PLACES),
            "With `IMEXChannel`, how many claims may have a channel of this node at the same time, where the cluster"
                    + " lacks DRAConsumableCapacity (before Kubernetes 1.36); elsewhere as many as want.");

    public static final ConfigKey<Sharing> SHARING = ConfigKey.of(
            "imex.sharing",
            new Choice<>(() -> List.of(Sharing.values()), Sharing::text),
            new Standard.Unset<>("`Domain` with `IMEXChannel`, `None` with `None`", Sharing.DOMAIN),
            "Which claims may hold one channel of a node at the same time: `Domain` lets several pods of one"
                    + " ComputeDomain run on it, with `None` isolation where the cluster has DRAConsumableCapacity;"
                    + " `None` lets one.");

    public static final ConfigKey<Boolean> WITHOUT_CLIQUE = toggle(
                    "publication.withoutClique",
                    true,
                    "Whether devices are published while the node has no NVLink clique; prepare then refuses, and the"
                            + " user sees why.")
            .withReload();

    public static final ConfigKey<Boolean> CLIQUE_LABEL = toggle(
                    "publication.cliqueLabel", false, "Whether the node label `nvidia.com/gpu.clique` is kept current.")
            .withReload();

    public static final ConfigKey<Duration> INVENTORY_INTERVAL = span(
                    "inventory.interval",
                    Duration.ofSeconds(1),
                    Duration.ofHours(1),
                    Duration.ofSeconds(30),
                    "How often the host is read.")
            .withReload();

    public static final ConfigKey<Duration> ANSWER_WITHIN = span(
            "prepare.answerWithin",
            Duration.ofSeconds(1),
            Duration.ofSeconds(40),
            Duration.ofSeconds(30),
            "How long a prepare may wait for what can still come good; the kubelet gives up after 45 s.");

    public static final ConfigKey<Duration> HEALTH_TIMEOUT = ConfigKey.of(
            "deviceHealth.timeout",
            new Span(Duration.ofSeconds(3), Duration.ofMinutes(10), true),
            new Standard.Fixed<>(Duration.ofSeconds(30)),
            "How long the kubelet may believe a report of device health; one is sent at least every third of it.");

    public static final ConfigKey<ChannelHealth.Degraded> HEALTH_DEGRADED = ConfigKey.of(
            "deviceHealth.degraded",
            new Choice<>(
                    () -> List.of(ChannelHealth.Degraded.values()),
                    degraded -> degraded.name().toLowerCase(Locale.ROOT)),
            new Standard.Fixed<>(ChannelHealth.Degraded.HEALTHY),
            "What a device is called whose IMEX domain or GPU works with less than it could; a message says what is"
                    + " missing.");

    public static final ConfigKey<String> HTTP_ADDRESS = ConfigKey.of(
                    "http.address",
                    Text.address(),
                    new Standard.Fixed<>("0.0.0.0"),
                    "The address on which metrics and health are served, and to this host `/inventory` and"
                            + " `/domains`.")
            .withFlag("--http-address");

    public static final ConfigKey<Integer> HTTP_PORT = ConfigKey.of(
                    "http.port",
                    new WholeNumber("a port", 0, 65535),
                    new Standard.Fixed<>(9408),
                    "The port on which metrics and health are served; 0 takes a free one.")
            .withFlag("--http-port");

    public static final ConfigKey<Path> TLS_CERTIFICATE = ConfigKey.of(
            "http.tls.certificate",
            new AbsolutePath("/etc/imex-agent/tls.crt"),
            new Standard.Unset<>("plain HTTP", Path.of("/etc/imex-agent/tls.crt")),
            "The certificate chain of the HTTP server, PEM; read again when it changes.");

    public static final ConfigKey<Path> TLS_KEY = ConfigKey.of(
            "http.tls.key",
            new AbsolutePath("/etc/imex-agent/tls.key"),
            new Standard.Unset<>("plain HTTP", Path.of("/etc/imex-agent/tls.key")),
            "The private key of the HTTP server, PEM; read again when it changes.");

    public static final ConfigKey<Path> TLS_CLIENT_CA = ConfigKey.of(
            "http.tls.clientCa",
            new AbsolutePath("/etc/imex-agent/client-ca.crt"),
            new Standard.Unset<>("no client certificates", Path.of("/etc/imex-agent/client-ca.crt")),
            "The authorities that sign client certificates, PEM; read again when it changes. Whom a certificate names"
                    + " sees `/inventory` and `/domains` if the API server lets that user; nobody needs one for"
                    + " metrics and health.");

    public static final ConfigKey<Path> CONTROLLER_KUBECONFIG = path(
                    "controller.kubeconfig",
                    "/etc/imex-agent/controller.conf",
                    "How `controller`, `domains` and `cliques` reach the API server, and as whom.")
            .withFlag("--controller-kubeconfig");

    public static final ConfigKey<String> CONTROLLER_NAMESPACE = ConfigKey.of(
            "controller.namespace",
            Text.namespaceName(),
            new Standard.Fixed<>("imex-agent"),
            "The namespace of the Lease by which controllers elect the one that works.");

    public static final ConfigKey<Duration> LOST_NODE_AFTER = span(
            "controller.lostNodeAfter",
            // An agent whose Node is missing writes once a minute.
            Duration.ofMinutes(3),
            Duration.ofHours(24),
            Duration.ofMinutes(10),
            "How long a Node must be missing, and its agent silent, until the channels that it held are free.");

    public static final ConfigKey<Integer> CALLS_PER_SECOND = ConfigKey.of(
            "controller.callsPerSecond",
            new WholeNumber("a number of calls", 10, 5000),
            new Standard.Fixed<>(300),
            "How many calls a second the controller makes to the API server at most.");

    public static final ConfigKey<Integer> CONTROLLER_PORT = ConfigKey.of(
            "controller.port",
            new WholeNumber("a port", 0, 65535),
            new Standard.Fixed<>(9409),
            "The port of the controller's metrics and health; 0 takes a free one.");

    public static final ConfigKey<AgentConfig.LogLevel> LOG_LEVEL = ConfigKey.of(
                    "log.level",
                    new Choice<>(
                            () -> List.of(AgentConfig.LogLevel.values()),
                            level -> level.name().toLowerCase(Locale.ROOT)),
                    new Standard.Fixed<>(AgentConfig.LogLevel.INFO),
                    "How much is logged.")
            .withFlag("--log-level")
            .withReload();

    /** All keys, in the order of the file and the reference. */
    public static final List<ConfigKey<?>> ALL = Stream.<List<ConfigKey<?>>>of(
                    List.of(
                            NODE_NAME,
                            HOST_ROOT,
                            DRIVER_ROOT,
                            NVML_SIMULATE,
                            NVML_DEADLINE,
                            NVML_EVENTS,
                            NVML_EVENTS_WHILE_OBSERVING,
                            KUBELET_ROOT,
                            KUBELET_UID,
                            KUBECONFIG,
                            CDI_DIRECTORY,
                            STATE_DIRECTORY,
                            HOST_MANAGED_IMEX,
                            DNS_NAMES,
                            CLIQUES,
                            ISOLATION,
                            CHANNELS,
                            CHANNELS_PER_NAMESPACE,
                            PLACES,
                            SHARING),
                    ImexHealthKeys.ALL,
                    ImexServiceKeys.ALL,
                    List.of(
                            WITHOUT_CLIQUE,
                            CLIQUE_LABEL,
                            INVENTORY_INTERVAL,
                            ANSWER_WITHIN,
                            HEALTH_TIMEOUT,
                            HEALTH_DEGRADED,
                            HTTP_ADDRESS,
                            HTTP_PORT,
                            TLS_CERTIFICATE,
                            TLS_KEY,
                            TLS_CLIENT_CA,
                            CONTROLLER_KUBECONFIG,
                            CONTROLLER_NAMESPACE,
                            LOST_NODE_AFTER,
                            CALLS_PER_SECOND,
                            CONTROLLER_PORT,
                            LOG_LEVEL),
                    RdmaKeys.ALL)
            .flatMap(List::stream)
            .toList();

    private ConfigKeys() {}

    /** The key of this path. */
    static Optional<ConfigKey<?>> find(String path) {
        return ALL.stream().filter(key -> key.path().equals(path)).findFirst();
    }

    /** All paths. */
    static List<String> paths() {
        return ALL.stream().map(key -> key.path()).toList();
    }

    /** The gates' keys. */
    static List<ConfigKey<?>> gates() {
        return ALL.stream().filter(key -> key.section().equals(FEATURE_GATES)).toList();
    }
}
