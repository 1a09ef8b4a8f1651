package io.imexagent.agent.config;

import io.imexagent.agent.http.HttpSettings;
import io.imexagent.controller.racks.PageLinks;
import io.imexagent.core.claim.DnsName;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.policy.PlacementMode;
import io.imexagent.core.setting.Setting;
import io.imexagent.core.setting.Value;
import io.imexagent.core.setting.Value.NodeName;
import io.imexagent.dra.kubelet.KubeletUnits;
import io.imexagent.imex.prepare.ServingPolicy;
import io.imexagent.imex.setting.ImexSettings;
import io.imexagent.imex.watch.ChannelHealth;
import io.imexagent.log.LogFormat;
import io.imexagent.log.LogLevel;
import io.imexagent.nvml.simulated.TrayPreset;
import io.imexagent.rdma.setting.RdmaSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The agent's effective configuration, valid as a whole, in the file's order: a record for each section of several
 * keys, and the keys of the others. The {@link Setting} of a component describes its key and the possible values. The
 * {@code notes} are lines for the operator at start: gates forced off, settings without effect.
 */
public record AgentConfig(
        @Setting("The name of this host's Node object, and of the pool of its devices.")
        @Value(
                name = "node.name",
                unset = "the host name, in lower case",
                example = "node-1",
                noun = NodeName.NOUN,
                form = NodeName.class,
                flag = "--node-name")
        String nodeName,

        HostConfig host,
        NvmlConfig nvml,
        KubeletConfig kubelet,

        @Setting("How the API server is reached, and as whom; by default as the kubelet.")
        @Value(
                name = "kubernetes.kubeconfig",
                unset = "then the first of these that exists: " + KubeletPaths.KUBECONFIGS,
                example = "/etc/kubernetes/kubelet.conf",
                flag = "--kubeconfig")
        Optional<Path> kubeconfig,

        @Setting("As whom `status.devices` of claims is written, from Kubernetes 1.36 on: the kubeconfig of a service"
                + " account whose token is bound to this node. Where the file does not exist, in a pod, the account of the"
                + " pod.")
        @Value(
                name = "kubernetes.claimStatusKubeconfig",
                unset = "nothing is written there",
                example = "/etc/imex-agent/claim-status.conf")
        Optional<Path> claimStatusKubeconfig,

        @Setting("Where CDI specs are written; the container runtime must read them there.")
        @Value(name = "cdi.directory", preset = "/var/run/cdi", flag = "--cdi-directory")
        Path cdiDirectory,

        @Setting("Where the agent keeps files of its own.")
        @Value(name = "state.directory", preset = "/var/lib/imex-agent", flag = "--state-directory")
        Path stateDirectory,

        FeatureGates featureGates,
        ImexSettings imex,
        PublicationConfig publication,

        @Setting("Whether the pods of a ComputeDomain are kept in one NVLink clique: `Off`, `Preferred`, or `Required`,"
                + " with which pods that find no room there stay Pending. The controller reads it; the annotation"
                + " `imexagent.io/placement` of a ComputeDomain takes its place. See docs/placement.md.")
        @Value(name = "placement.clique", preset = "Off")
        PlacementMode placementOfCliques,

        @Setting("How often the host is read.")
        @Value(name = "inventory.interval", preset = "30s", range = "1s..1h", reloadable = true)
        Duration inventoryInterval,

        @Setting("How long a prepare may wait for a condition that can still change; the kubelet gives up after"
                + " 45 s.")
        @Value(name = "prepare.answerWithin", preset = "30s", range = "1s..40s")
        Duration answerWithin,

        DeviceHealthConfig deviceHealth,
        HttpSettings http,
        ControllerConfig controller,

        @Setting("How much is logged.")
        @Value(name = "log.level", preset = "info", flag = "--log-level", reloadable = true)
        LogLevel logLevel,

        @Setting("How log entries are written: as text or JSON to standard error, or as entries of the journal, whose"
                + " fields programs can ask for. Without a journal, `journal` writes text.")
        @Value(
                name = "log.format",
                unset = "`journal` where the journal reads standard error, as under systemd; `text` elsewhere",
                example = "json")
        Optional<LogFormat> logFormat,

        RdmaSettings rdma,
        ConfigValues values,
        Optional<Path> file,
        List<String> notes) {

    static final String KUBECONFIG = "kubernetes.kubeconfig";
    static final String KUBELET_ROOT = "kubelet.root";

    public AgentConfig {
        notes = List.copyOf(notes);
    }

    /** The configuration of these values, which must include every required one. */
    static AgentConfig of(ConfigValues values, Optional<Path> file, List<String> notes) {
        return values.record("", AgentConfig.class, Map.of("values", values, "file", file, "notes", notes));
    }

    /** Whether the host runs nvidia-imex and this agent serves its channels; otherwise the agent only observes. */
    public boolean hostManaged() {
        return featureGates.hostManagedImex;
    }

    /** Whether this agent binds channels to workloads, under HostManagedIMEX with isolation IMEXChannel. */
    public boolean bindsChannels() {
        return hostManaged() && imex.isolation().equals(Optional.of(Isolation.IMEX_CHANNEL));
    }

    /** The origin of the value of the key at this path. */
    public Origin origin(String path) {
        return values.origin(ConfigKeys.at(path));
    }

    /** The configured kubeconfig, or the usual ones of kubelets, of which the first existing one counts. */
    public List<Path> kubeconfigs() {
        Origin origin = origin(KUBECONFIG);
        return kubeconfig
                .filter(file -> !(origin instanceof Origin.FoundOnHost))
                .map(List::of)
                .orElseGet(() -> KubeletPaths.kubeconfigs(Path.of("/")));
    }

    /** How this node serves channels; only under HostManagedIMEX, where a valid configuration has an isolation. */
    public ServingPolicy servingPolicy() {
        return new ServingPolicy(
                nodeName,
                imex.isolation().orElseThrow(() -> new IllegalStateException("imex.isolation has no value")),
                imex.limits(),
                imex.sharingInForce(),
                imex.places(),
                !publication.withoutClique,
                imex.cliqueMissing());
    }

    /** The units of the kubelet of this host. */
    public KubeletUnits kubeletUnits() {
        return KubeletUnits.of(
                imex.health().systemctl(),
                kubelet.units().isEmpty() ? KubeletPaths.units() : kubelet.units(),
                host.root());
    }

    /** Whether this agent listens for events of the GPUs, which depends on whether it serves IMEX channels. */
    public boolean listensToGpus() {
        return nvml.events && (hostManaged() || nvml.eventsWhileObserving);
    }

    public record HostConfig(
            @Setting("The folder under which the host's `proc`, `sys` and `dev` stand.")
            @Value(preset = "/", example = "/host", flag = "--host-root")
            Path root,

            @Setting("The folder under which the NVIDIA driver's libraries stand; `/run/nvidia/driver` with a driver"
                    + " container.")
            @Value(preset = "/", example = "/run/nvidia/driver", flag = "--driver-root")
            Path driverRoot) {}

    /** The reading of GPUs. */
    public record NvmlConfig(
            @Setting("A simulated tray that takes NVML's place, for demonstrations and tests.")
            @Value(unset = "the real library is used", example = "gb200", flag = "--simulate")
            Optional<TrayPreset> simulate,

            @Setting("How long one reading of NVML, and one of the host's files, may take before the driver counts as"
                    + " hung.")
            @Value(preset = "5s", range = "100ms..20s")
            Duration deadline,

            @Setting("Whether events of the GPUs, such as Xids, are listened for while the agent serves; `false`"
                    + " releases the driver, for instance before it is reloaded.")
            @Value(preset = "true", reloadable = true)
            boolean events,

            @Setting("Whether they are listened for also while `featureGates.HostManagedIMEX` is off; the agent then"
                    + " keeps the driver in use. Has no effect unless `nvml.events` is true.")
            @Value(preset = "false", reloadable = true)
            boolean eventsWhileObserving) {}

    public record KubeletConfig(
            @Setting("The kubelet's root directory, under which the plugin's sockets and its checkpoint stand. Not"
                    + " set, it is the first of these that exists, else the default: " + KubeletPaths.ROOTS + ".")
            @Value(preset = "/var/lib/kubelet", flag = "--kubelet-root")
            Path root,

            @Setting("A user who may connect to the agent's sockets beside root.")
            @Value(unset = "only root may connect", example = "1000", noun = "a user ID", range = "0..2147483647")
            OptionalInt uid,

            @Setting("The systemd units that may run the kubelet. `check`, and the agent while no kubelet has"
                    + " registered it, ask systemctl which root directory the active one has.")
            @Value(
                    unset = "then these: " + KubeletPaths.UNITS,
                    example = "kubelet.service",
                    noun = "names of units of systemd",
                    matches = "[A-Za-z0-9:_.@-]{1,255}")
            List<String> units) {

        public KubeletConfig {
            units = List.copyOf(units);
        }

        /**
         * The plugin directory of a DRA driver, with its checkpoint, lock and socket. The file names are the public
         * driver's, so that each driver finds the other's files.
         */
        public Path plugin(String driver) {
            return root.resolve("plugins").resolve(driver);
        }
    }

    /** The feature gates after resolution. */
    public record FeatureGates(
            @Setting("The host runs nvidia-imex and this agent serves its channels; while off, the agent only"
                    + " observes.")
            @Value(name = "HostManagedIMEX", preset = "false")
            boolean hostManagedImex,

            @Setting("A gate of the public driver, without effect here; forced off under HostManagedIMEX.")
            @Value(name = "IMEXDaemonsWithDNSNames", preset = "true")
            boolean imexDaemonsWithDnsNames,

            @Setting("A gate of the public driver, without effect here; forced off under HostManagedIMEX.")
            @Value(name = "ComputeDomainCliques", preset = "true")
            boolean computeDomainCliques,

            @Setting("A gate of the public driver, which unlocks its `imex.mode: hostManaged`; without effect here.")
            @Value(name = "HostManagedIMEXDaemon", preset = "false")
            boolean hostManagedImexDaemon) {}

    /** What the agent publishes about the node. */
    public record PublicationConfig(
            @Setting("Whether devices are published while the node has no NVLink clique; prepare then refuses, and"
                    + " the user sees why.")
            @Value(preset = "true", reloadable = true)
            boolean withoutClique,

            @Setting("Whether the node label `nvidia.com/gpu.clique` is kept current.")
            @Value(preset = "false", reloadable = true)
            boolean cliqueLabel) {}

    /** The device health that the agent reports to the kubelet. */
    public record DeviceHealthConfig(
            @Setting("How long the kubelet may believe a report of device health; one is sent at least every third"
                    + " of it.")
            @Value(preset = "30s", range = "3s..10m", wholeSeconds = true)
            Duration timeout,

            @Setting("The health of a device whose IMEX domain or GPU is degraded; its message says what is missing.")
            @Value(preset = "healthy")
            ChannelHealth.DegradedReporting degraded) {}

    /** The settings of the controller and of commands that read its objects. */
    public record ControllerConfig(
            @Setting("How `controller` reaches the API server, and as whom; in a pod without this file, as its service"
                    + " account. `domains`, `cliques`, `racks`, `nodes-file` and `fabric test` take it where"
                    + " neither `--kubeconfig` nor `$KUBECONFIG` names another.")
            @Value(preset = "/etc/imex-agent/controller.conf", flag = "--controller-kubeconfig")
            Path kubeconfig,

            @Setting("The namespace of the Lease by which controllers elect the one that works.")
            @Value(
                    preset = "imex-agent",
                    noun = "the name of a namespace, at most 63 characters of a-z, 0-9 and -",
                    matches = DnsName.LABEL)
            String namespace,
            // An agent whose Node is missing writes its object once a minute.
            @Setting("How long a Node must be missing, and its agent silent, until the channels that it held are"
                    + " free.")
            @Value(preset = "10m", range = "3m..24h")
            Duration lostNodeAfter,

            @Setting("How many calls a second the controller makes to the API server at most.")
            @Value(preset = "300", noun = "a number of calls", range = "10..5000")
            int callsPerSecond,

            @Setting(
                    "The label of Nodes whose value names their rack on the controller's page and in `racks`. Where most"
                            + " nodes of a rack have no value, the rack is called by what the names of its nodes begin with, or by"
                            + " its clique.")
            @Value(
                    unset = "racks are called by the names of their nodes",
                    example = "example.com/rack",
                    noun = "the key of a label",
                    matches = "([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
            Optional<String> rackLabel,

            @Setting("The address of a Grafana that has the dashboard of `packaging/prometheus`: the controller's page"
                    + " links to it from racks and nodes.")
            @Value(
                    unset = "the page has no such links",
                    example = "https://grafana.example",
                    noun = PageLinks.WebAddress.NOUN,
                    form = PageLinks.WebAddress.class)
            Optional<String> grafanaUrl,

            @Setting("The web page where your people read `docs/racks.md`, or one of yours with the same anchors: the"
                    + " controller's page links each cause to its row there.")
            @Value(
                    unset = "the page has no such links",
                    example = "https://git.example/imex-agent/docs/racks.md",
                    noun = PageLinks.WebAddress.NOUN,
                    form = PageLinks.WebAddress.class)
            Optional<String> runbookUrl,

            @Setting("The port of the controller's metrics and health; 0 takes a free one.")
            @Value(preset = "9409", noun = "a port", range = "0..65535")
            int port) {

        /** The targets of links on the controller's page. */
        public PageLinks links() {
            return new PageLinks(grafanaUrl, runbookUrl);
        }
    }
}
