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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Driver, GPUs, fabric and channels, as the inventory tells them. */
public final class HostChecks {

    /** The products of NVIDIA's multi-node NVLink racks. A vGPU adds its profile to the name. */
    private static final List<String> WITH_IMEX = List.of("NVIDIA GB200", "NVIDIA GB300");

    private final NodeInventory inventory;

    public HostChecks(NodeInventory inventory) {
        this.inventory = inventory;
    }

    public List<CheckResult> run() {
        return List.of(driver(), gpus(), clique(), channelMajor(), channelCount(), channelNode(), bootId());
    }

    private CheckResult driver() {
        return switch (inventory.driver()) {
            case DriverState.Loaded loaded ->
                ok("driver", "driver " + loaded.driverVersion() + ", NVML " + loaded.nvmlVersion());
            case DriverState.Absent absent ->
                told("driver", "there is no NVIDIA driver: " + absent.reason(), "driver-absent");
            case DriverState.Failing failing ->
                told("driver", failing.reason(), "driver-failing", "nvml-hangs", "nvml-unreadable");
        };
    }

    private CheckResult gpus() {
        String id = "gpus";
        Optional<Finding> lost = finding("gpu-lost", "gpu-unreadable");
        if (lost.isPresent()) {
            return failure(id, lost.get().message(), lost.get().remedy());
        }
        if (inventory.gpus().isEmpty()) {
            return failure(id, "NVML sees no GPU", "see the check of the driver; look at lspci and the kernel log");
        }
        Set<String> others = inventory.gpus().stream()
                .map(Gpu::name)
                .filter(name -> WITH_IMEX.stream().noneMatch(name::startsWith))
                .collect(Collectors.toCollection(TreeSet::new));
        return others.isEmpty()
                ? ok(
                        id,
                        inventory.gpus().size() + " × "
                                + inventory.gpus().getFirst().name())
                : warning(
                        id,
                        "not known to take part in IMEX: " + String.join(", ", others),
                        "run the agent on GB200 and GB300 trays; what these GPUs tell of their fabric decides");
    }

    private CheckResult clique() {
        String id = "clique";
        return switch (inventory.clique()) {
            case CliqueState.Present present -> ok(id, present.id().text());
            case CliqueState.None none ->
                told(id, "the node has no NVLink clique: " + none.reason() + "; prepare refuses", "clique-none");
            case CliqueState.Registering registering -> {
                Optional<Finding> finding = finding("fabric-registering");
                yield warning(
                        id,
                        "the fabric is still registering: " + registering.detail(),
                        finding.map(Finding::remedy).orElse("wait, it can take minutes after boot"));
            }
            case CliqueState.Failed failed -> told(id, failed.detail(), "fabric-failed");
            case CliqueState.Conflicting conflicting ->
                told(id, "the GPUs report different cliques: " + conflicting.ids(), "clique-conflict");
            case CliqueState.Unknown unknown -> told(id, unknown.detail(), "clique-unknown", "gpu-lost");
        };
    }

    private CheckResult channelMajor() {
        String id = "channel-major";
        return switch (inventory.channelMajor()) {
            case ChannelMajor.Registered registered -> ok(id, "device major " + registered.major());
            case ChannelMajor.NotRegistered none ->
                told(id, "/proc/devices lists no nvidia-caps-imex-channels", "channel-major-missing");
            case ChannelMajor.Unknown unknown -> told(id, unknown.detail(), "channel-major-unknown");
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
            case ChannelNode.Absent absent ->
                ok(
                        id,
                        "the host has no node of channel 0 and needs none: containers get one of their own (for"
                                + " processes on the host: nvidia-modprobe -c 0)");
            case ChannelNode.Present present -> {
                Optional<Finding> mismatch = finding("channel-node-mismatch");
                yield mismatch.map(finding -> warning(id, finding.message(), finding.remedy()))
                        .orElse(ok(id, "channel0 is " + present.major() + ":" + present.minor()));
            }
            case ChannelNode.Unusable unusable ->
                warning(
                        id,
                        unusable.detail(),
                        finding("channel-node-unusable").map(Finding::remedy).orElse("remove it"));
        };
    }

    private CheckResult bootId() {
        return inventory
                .bootId()
                .map(boot -> ok("boot-id", boot.value()))
                .orElse(warning(
                        "boot-id",
                        "the boot ID cannot be read",
                        "make /proc/sys/kernel/random/boot_id readable; until then a reboot cannot be told from a"
                                + " restart"));
    }

    /** A failure with the remedy of the finding that belongs to it. */
    private CheckResult told(String id, String message, String... codes) {
        return failure(id, message, finding(codes).map(Finding::remedy).orElse("see the findings of imex-agent probe"));
    }

    private Optional<Finding> finding(String... codes) {
        Set<String> wanted = Set.of(codes);
        return inventory.findings().stream()
                .filter(finding -> wanted.contains(finding.code()))
                .findFirst();
    }
}
