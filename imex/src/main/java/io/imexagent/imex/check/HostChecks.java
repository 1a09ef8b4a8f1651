package io.imexagent.imex.check;

import static io.imexagent.core.check.CheckResult.failure;
import static io.imexagent.core.check.CheckResult.ok;
import static io.imexagent.core.check.CheckResult.warning;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelNode;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.health.ImexConfiguration;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.Verdict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Driver, GPUs, fabric and channels, as the inventory tells them; and nvidia-imex, without which the agent serves too. */
public record HostChecks(NodeInventory inventory) {

    /** The products of NVIDIA's multi-node NVLink racks. A vGPU adds its profile to the name. */
    private static final List<String> WITH_IMEX = List.of("NVIDIA GB200", "NVIDIA GB300");

    private static final String NODES = "imex-nodes";
    private static final String SERVICE = "nvidia-imex";
    private static final String FILE = "etc/nvidia-imex/nodes_config.cfg";

    public List<CheckResult> run() {
        return List.of(driver(), gpus(), clique(), channelMajor(), channelCount(), channelNode(), bootId());
    }

    private CheckResult driver() {
        return switch (inventory.driver()) {
            case DriverState.Loaded(String version, String nvml) ->
                ok("driver", "driver " + version + ", NVML " + nvml);
            case DriverState.Absent(String reason) ->
                told("driver", "there is no NVIDIA driver: " + reason, "driver-absent");
            case DriverState.Failing(String reason) ->
                told("driver", reason, "driver-failing", "driver-library-hangs", "nvml-hangs", "nvml-unreadable");
        };
    }

    private CheckResult gpus() {
        String id = "gpus";
        Optional<Finding> lost = finding("gpu-lost", "gpu-unreadable");
        if (lost.isPresent()) {
            return failure(id, lost.get().message(), lost.get().remedy());
        }
        List<Gpu> gpus = inventory.gpus();
        if (gpus.isEmpty()) {
            return failure(id, "NVML sees no GPU", "see the check of the driver; look at lspci and the kernel log");
        }
        Set<String> others = gpus.stream()
                .map(Gpu::name)
                .filter(name -> WITH_IMEX.stream().noneMatch(name::startsWith))
                .collect(Collectors.toCollection(TreeSet::new));
        return others.isEmpty()
                ? ok(id, gpus.size() + " × " + gpus.getFirst().name())
                : warning(
                        id,
                        "GPUs that are not known to use IMEX: " + String.join(", ", others),
                        "run the agent on GB200 and GB300 trays; with other GPUs it serves channels if they report an NVLink clique");
    }

    private CheckResult clique() {
        String id = "clique";
        return switch (inventory.clique()) {
            case CliqueState.Present present -> ok(id, present.text());
            case CliqueState.None(String reason) ->
                told(id, "the node has no NVLink clique: " + reason + "; prepare refuses", "clique-none");
            case CliqueState.Registering(String detail) ->
                warning(
                        id,
                        "the fabric is still registering: " + detail,
                        remedy("wait, it can take minutes after boot", "fabric-registering"));
            case CliqueState.Failed(String detail) -> told(id, detail, "fabric-failed");
            case CliqueState.Conflicting(var ids) ->
                told(id, "the GPUs report different cliques: " + ids, "clique-conflict");
            case CliqueState.Unknown(String detail) -> told(id, detail, "clique-unknown", "gpu-lost");
        };
    }

    private CheckResult channelMajor() {
        String id = "channel-major";
        return switch (inventory.channelMajor()) {
            case ChannelMajor.Registered(int major) -> ok(id, "device major " + major);
            case ChannelMajor.NotRegistered _ ->
                told(id, "/proc/devices lists no nvidia-caps-imex-channels", "channel-major-missing");
            case ChannelMajor.Unknown(String detail) -> told(id, detail, "channel-major-unknown", "host-files-hang");
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
                : told(id, "the driver offers no IMEX channels: ImexChannelCount is 0", "channels-off");
    }

    private CheckResult channelNode() {
        String id = "channel-node";
        return switch (inventory.channelNode()) {
            case ChannelNode.Absent _ ->
                ok(
                        id,
                        "the host has no node of channel 0 and needs none: containers get one of their own (for"
                                + " processes on the host: nvidia-modprobe -c 0)");
            case ChannelNode.Present present ->
                finding("channel-node-mismatch")
                        .map(finding -> warning(id, finding.message(), finding.remedy()))
                        .orElse(ok(id, "channel0 is " + present.major() + ":" + present.minor()));
            case ChannelNode.Unusable(String detail) ->
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

    /** A failure with the remedy of the finding that belongs to it. */
    private CheckResult told(String id, String message, String... codes) {
        return failure(id, message, remedy("see the findings of imex-agent probe", codes));
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

    /** The list of peers of nvidia-imex, without which that daemon does not start. */
    public static CheckResult imexNodes(Path hostRoot) {
        String remedy = "write one address of a peer on each line, the same file on every node, then restart"
                + " nvidia-imex; without it pods start and CUDA's IMEX calls fail";
        try {
            String text = new String(Files.readAllBytes(hostRoot.resolve(FILE)), StandardCharsets.ISO_8859_1);
            int peers = ImexConfiguration.nodes(text).size();
            return peers > 0
                    ? ok(NODES, "/" + FILE + " names " + peers + (peers == 1 ? " node" : " nodes"))
                    : warning(NODES, "/" + FILE + " names no node", remedy);
        } catch (NoSuchFileException missing) {
            return warning(NODES, "/" + FILE + " does not exist", remedy);
        } catch (IOException failure) {
            return warning(
                    NODES, "/" + FILE + " cannot be read: " + failure.getMessage(), "make it readable for the agent");
        }
    }

    /** nvidia-imex.service: installed, running, with its domain. Where not, pods start, and CUDA's IMEX calls fail. */
    public static CheckResult imexService(ImexHealth health) {
        Verdict verdict = health.verdict();
        String message = verdict.summary() + (verdict.cause().isEmpty() ? "" : ": " + verdict.cause());
        return switch (verdict.level()) {
            case UP, NOT_APPLICABLE -> ok(SERVICE, message);
            case DEGRADED, DOWN, UNKNOWN -> warning(SERVICE, message, verdict.nextStep());
        };
    }
}
