package io.imexagent.imex.check;

import static io.imexagent.core.check.CheckResult.critical;
import static io.imexagent.core.check.CheckResult.ok;
import static io.imexagent.core.check.CheckResult.warning;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelNode;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.NodeDirectory;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.health.HostFile;
import io.imexagent.imex.health.ImexConfiguration;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.Verdict;
import io.imexagent.imex.prepare.CliqueMissing;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Checks driver, GPUs, fabric and channels by the inventory, and nvidia-imex, which the agent does not need to serve
 * claims.
 *
 * @param sharesChannel0 whether all workloads get channel 0, so that the host should have its device node
 * @param cliqueMissing the treatment of claims if the GPUs support no fabric
 */
public record HostChecks(NodeInventory inventory, boolean sharesChannel0, CliqueMissing cliqueMissing) {

    /** Findings on GPUs that make devices unhealthy. Those of {@code WEAK} leave devices limited or unknown. */
    private static final String[] BROKEN = {
        "gpu-lost",
        "gpu-unreadable",
        "gpu-not-listed",
        "gpu-outside-fabric",
        "gpu-without-clique",
        "fabric-unhealthy",
        "gpu-recovery-action"
    };

    private static final String[] WEAK = {
        "fabric-limited", "fabric-state-unknown", "fabric-unreadable", "fabric-health-unknown", "gpu-recovery-unknown"
    };

    private static final String NODES = "imex-nodes";
    private static final String SERVICE = "nvidia-imex";

    public List<CheckResult> run() {
        return List.of(driver(), gpus(), clique(), channelMajor(), channelCount(), channelNode(), bootId());
    }

    private CheckResult driver() {
        return switch (inventory.driver()) {
            case DriverState.LoadedDriver(String version, String nvml) -> {
                String found = "driver " + version + ", NVML " + nvml;
                yield inventory.simulated()
                        ? warning(
                                "driver",
                                found + ", simulated: the driver of this host is not queried",
                                remedy("unset nvml.simulate", NodeInventory.SIMULATED))
                        : ok("driver", found);
            }
            case DriverState.AbsentDriver(String reason) ->
                fromFindings("driver", "there is no NVIDIA driver: " + reason, "driver-absent");
            case DriverState.FailingDriver(String reason) ->
                fromFindings(
                        "driver",
                        reason,
                        "driver-failing",
                        "driver-library-not-found",
                        "driver-library-not-loadable",
                        "driver-library-hangs",
                        "nvml-hangs",
                        "nvml-unreadable");
        };
    }

    private CheckResult gpus() {
        String id = "gpus";
        Optional<Finding> broken = finding(BROKEN);
        if (broken.isPresent()) {
            return critical(id, broken.get().message(), broken.get().remedy());
        }
        List<Gpu> gpus = inventory.gpus();
        if (gpus.isEmpty()) {
            return critical(id, "NVML sees no GPU", "see the check of the driver; look at lspci and the kernel log");
        }
        Set<String> others = gpus.stream()
                .filter(HostChecks::outsideOfAnyFabric)
                .map(Gpu::name)
                .collect(Collectors.toCollection(TreeSet::new));
        Optional<Finding> weak = finding(WEAK);
        if (weak.isPresent()) {
            return warning(id, weak.get().message(), weak.get().remedy());
        }
        return others.isEmpty()
                ? ok(id, gpus.size() + " × " + gpus.getFirst().name())
                : warning(
                        id,
                        "GPUs in no multi-node NVLink fabric: " + String.join(", ", others),
                        "run the agent on hosts whose GPUs are in a multi-node NVLink fabric, as those of a GB200 rack are; a"
                                + " graphics card beside them does no harm");
    }

    /** Whether the GPU reports that it has no clique here; not if it is registering, or reports nothing. */
    private static boolean outsideOfAnyFabric(Gpu gpu) {
        return switch (gpu.fabric()) {
            case Gpu.GpuFabric.NoFabric _ -> true;
            case Gpu.GpuFabric.FabricRegistered registered ->
                registered.clique().isEmpty();
            case Gpu.GpuFabric.FabricRegistering _, Gpu.GpuFabric.FabricFailed _, Gpu.GpuFabric.FabricUnknown _ ->
                false;
        };
    }

    private CheckResult clique() {
        String id = "clique";
        return switch (inventory.clique()) {
            case CliqueState.KnownClique present -> ok(id, present.text());
            case CliqueState.NoClique(String reason)
            when cliqueMissing == CliqueMissing.SUCCEED && inventory.withoutFabric() ->
                ok(id, reason + "; claims are prepared without a channel (imex.cliqueMissing)");
            case CliqueState.NoClique(String reason) ->
                fromFindings(id, "the node has no NVLink clique: " + reason + "; prepare refuses", "clique-none");
            case CliqueState.RegisteringClique(String detail) ->
                warning(
                        id,
                        "the fabric is still registering: " + detail,
                        remedy("wait, it can take minutes after boot", "fabric-registering"));
            case CliqueState.FailedClique(String detail) -> fromFindings(id, detail, "fabric-failed");
            case CliqueState.ConflictingClique(var ids) ->
                fromFindings(id, "the GPUs report different cliques: " + ids, "clique-conflict");
            case CliqueState.UnknownClique(String detail) ->
                fromFindings(
                        id,
                        detail,
                        "clique-unknown",
                        "gpu-lost",
                        "gpu-unreadable",
                        "gpu-not-listed",
                        "fabric-state-unknown");
        };
    }

    private CheckResult channelMajor() {
        String id = "channel-major";
        return switch (inventory.channelMajor()) {
            case ChannelMajor.RegisteredMajor(int major) -> ok(id, "device major " + major);
            case ChannelMajor.UnregisteredMajor _ ->
                fromFindings(id, "/proc/devices lists no nvidia-caps-imex-channels", "channel-major-missing");
            case ChannelMajor.UnknownMajor(String detail) ->
                fromFindings(id, detail, "channel-major-unknown", "host-files-hang");
        };
    }

    private CheckResult channelCount() {
        String id = "channel-count";
        if (inventory.channelCount().isEmpty()) {
            return warning(
                    id,
                    "the driver does not say how many IMEX channels it offers",
                    "look for ImexChannelCount in /proc/driver/nvidia/params once the driver is loaded");
        }
        int count = inventory.channelCount().getAsInt();
        return count > 0
                ? ok(id, "ImexChannelCount is " + count)
                : fromFindings(id, "the driver offers no IMEX channels: ImexChannelCount is 0", "channels-off");
    }

    private CheckResult channelNode() {
        String id = "channel-node";
        return switch (inventory.channelNode()) {
            case ChannelNode.AbsentNode _
            when sharesChannel0 && inventory.channelMajor() instanceof ChannelMajor.RegisteredMajor ->
                warning(
                        id,
                        "the host has no node of channel 0: containers get one of their own, pods with hostUsers: false"
                                + " and processes on the host do not",
                        "nvidia-modprobe -c 0, and NVreg_CreateImexChannel0=1 for the next boot; nothing where neither"
                                + " uses IMEX");
            case ChannelNode.AbsentNode _ ->
                ok(
                        id,
                        "the host has no node of channel 0: containers get one of their own, but for pods with"
                                + " hostUsers: false");
            case ChannelNode.PresentNode present ->
                finding("channel-node-mismatch")
                        .map(finding -> warning(id, finding.message(), finding.remedy()))
                        .orElse(ok(id, "channel0 is " + present.major() + ":" + present.minor()));
            case ChannelNode.UnusableNode(String detail) ->
                warning(id, detail, remedy("remove it", "channel-node-unusable", "host-files-hang"));
        };
    }

    private CheckResult bootId() {
        return inventory
                .bootId()
                .map(boot -> ok("boot-id", boot.value()))
                .orElse(warning(
                        "boot-id",
                        "the boot ID cannot be read",
                        "make /proc/sys/kernel/random/boot_id readable; until then the agent cannot distinguish a"
                                + " reboot from a restart"));
    }

    /** A failed check with the remedy of the finding that explains it. */
    private CheckResult fromFindings(String id, String message, String... codes) {
        return critical(id, message, remedy("see the findings of imex-agent probe", codes));
    }

    private String remedy(String usual, String... codes) {
        return finding(codes).map(Finding::remedy).orElse(usual);
    }

    private Optional<Finding> finding(String... codes) {
        Set<String> wanted = Set.of(codes);
        return inventory.findings().stream()
                .filter(finding -> wanted.contains(finding.code()))
                .findFirst();
    }

    /**
     * Checks that the list of nodes of nvidia-imex exists, since that daemon does not start without it, and contains
     * this host.
     */
    public static CheckResult imexNodes(Path hostRoot, Path configuration, NodeIdentity host) {
        String file = HostFile.read(hostRoot, configuration.toString())
                .text()
                .map(ImexConfiguration::parse)
                .orElse(ImexConfiguration.DEFAULTS)
                .nodesFile();
        String remedy =
                "write one address of each node of the rack, a line each, the same file on all of them, then restart"
                        + " nvidia-imex; without it pods start and CUDA's IMEX calls fail";
        return switch (HostFile.read(hostRoot, file)) {
            case HostFile.ReadFile read -> {
                List<String> nodes = ImexConfiguration.nodes(read.content());
                yield nodes.isEmpty() ? warning(NODES, file + " names no node", remedy) : imexNodes(file, nodes, host);
            }
            case HostFile.MissingFile _ -> warning(NODES, file + " does not exist", remedy);
            case HostFile.UnreadableFile unreadable ->
                warning(NODES, file + " cannot be read: " + unreadable.reason(), "make it readable for the agent");
        };
    }

    private static CheckResult imexNodes(String file, List<String> nodes, NodeIdentity host) {
        String message = file + " names " + nodes.size() + (nodes.size() == 1 ? " node" : " nodes");
        List<String> own = new NodeDirectory(nodes.stream()
                        .map(node -> NodeIdentity.of(List.of(node)))
                        .toList())
                .fitting(host).stream().map(nodes::get).toList();
        return switch (own.size()) {
            case 0 ->
                warning(
                        NODES,
                        message + ", and this host by none of its addresses and names",
                        "write this host's address in it, as on the other hosts of its rack, or bring the file of its"
                                + " own rack here; instead of a name that only DNS knows write the address");
            case 1 -> ok(NODES, message + ", this one as " + own.getFirst());
            default ->
                warning(
                        NODES,
                        message + ", and this host more than once: " + String.join(", ", own),
                        "leave one of these lines, on all hosts of the rack, then restart nvidia-imex");
        };
    }

    /**
     * Checks that nvidia-imex.service is installed, running, and connected to its domain. If not, pods start, but
     * CUDA's IMEX calls fail.
     */
    public static CheckResult imexService(ImexHealth health) {
        Verdict verdict = health.verdict();
        String message = verdict.summary() + (verdict.cause().isEmpty() ? "" : ": " + verdict.cause());
        return switch (verdict.level()) {
            case UP ->
                health.notes().isEmpty()
                        ? ok(SERVICE, message)
                        : warning(
                                SERVICE,
                                message + "; " + String.join("; ", health.notes()),
                                "do what the notes say; 'imex-agent health' shows one on each line");
            case NOT_APPLICABLE -> ok(SERVICE, message);
            case DEGRADED, DOWN, UNKNOWN -> warning(SERVICE, message, verdict.nextStep());
        };
    }
}
