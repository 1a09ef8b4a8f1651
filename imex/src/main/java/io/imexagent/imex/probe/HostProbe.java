package io.imexagent.imex.probe;

import io.imexagent.core.check.Severity;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelNode;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.BootId;
import io.imexagent.files.FileFault;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads the host's files below a given root. An unreadable file becomes a finding. */
record HostProbe(Path root, DeviceStat stat) {

    private static final int WORLD_WRITABLE = 0002;

    /** Reads the host's files and adds the NVML reading; {@code last} are further findings, which come last. */
    NodeInventory read(NvmlFacts nvml, List<Finding> last, InstantSource clock) {
        var findings = new ArrayList<>(nvml.findings());
        ChannelMajor major = channelMajor(findings);
        OptionalInt count = channelCount(findings);
        ChannelNode node = channelNode(major, findings);
        Optional<BootId> boot = bootId(findings);
        findings.addAll(last);
        return new NodeInventory(
                clock.instant(),
                nvml.driver(),
                nvml.gpus(),
                nvml.clique(),
                major,
                count,
                node,
                boot,
                vendor(),
                findings);
    }

    private ChannelMajor channelMajor(List<Finding> findings) {
        ChannelMajor major;
        try {
            major = DriverFiles.channelMajor(lines("proc/devices"));
        } catch (IOException failure) {
            major = new ChannelMajor.UnknownMajor("/proc/devices cannot be read: " + FileFault.reason(failure));
        }
        switch (major) {
            case ChannelMajor.RegisteredMajor registered -> {}
            case ChannelMajor.UnregisteredMajor none ->
                findings.add(Finding.critical(
                        "channel-major-missing",
                        "/proc/devices lists no " + DriverFiles.CHANNELS,
                        "load the NVIDIA driver, with NVreg_ImexChannelCount above 0; it is found without a restart"));
            case ChannelMajor.UnknownMajor unknown ->
                findings.add(Finding.critical(
                        "channel-major-unknown",
                        unknown.detail(),
                        "make /proc of the host readable for the agent (the unit must not hide it with"
                                + " ProcSubset=pid)"));
        }
        return major;
    }

    private OptionalInt channelCount(List<Finding> findings) {
        try {
            OptionalInt count = DriverFiles.channelCount(lines(DriverFiles.PARAMETERS.toString()));
            if (count.isPresent() && count.getAsInt() == 0) {
                findings.add(Finding.critical(
                        "channels-off",
                        "the driver offers no IMEX channels: ImexChannelCount is 0",
                        "set the module option NVreg_ImexChannelCount, 2048 by default, and reload the driver"));
            }
            return count;
        } catch (NoSuchFileException notLoaded) {
            return OptionalInt.empty();
        } catch (IOException failure) {
            findings.add(Finding.warning(
                    "driver-parameters-unreadable",
                    "/proc/driver/nvidia/params cannot be read: " + FileFault.reason(failure),
                    "make it readable for the agent; until then the number of IMEX channels is unknown"));
            return OptionalInt.empty();
        }
    }

    private ChannelNode channelNode(ChannelMajor major, List<Finding> findings) {
        ChannelNode node = stat(new ChannelId(0).path());
        switch (node) {
            case ChannelNode.AbsentNode absent -> {}
            case ChannelNode.UnusableNode unusable ->
                findings.add(Finding.warning(
                        "channel-node-unusable",
                        unusable.detail(),
                        "remove it and let the driver's tools create it again; containers get a node of their own"));
            case ChannelNode.PresentNode present -> {
                if (major instanceof ChannelMajor.RegisteredMajor registered
                        && (present.major() != registered.major() || present.minor() != 0)) {
                    findings.add(Finding.warning(
                            "channel-node-mismatch",
                            "the host's channel0 is " + present.major() + ":" + present.minor() + ", the kernel says "
                                    + registered.major() + ":0",
                            "remove the stale node; processes on the host that open it reach another device;"
                                    + " containers get a node of their own"));
                }
                if ((present.mode() & WORLD_WRITABLE) == 0) {
                    findings.add(new Finding(
                            "channel-node-closed",
                            Severity.INFO,
                            "the host's channel0 is not open to all users",
                            "nothing to do for containers, which get a node of their own"));
                }
            }
        }
        return node;
    }

    private ChannelNode stat(String path) {
        try {
            DeviceStat.Attributes found = stat.of(root.resolve(path.substring(1)));
            return found.isCharacterDevice()
                    ? new ChannelNode.PresentNode(found.major(), found.minor(), found.permissions())
                    : new ChannelNode.UnusableNode(path + " is not a character device");
        } catch (NoSuchFileException absent) {
            return new ChannelNode.AbsentNode();
        } catch (IOException failure) {
            return new ChannelNode.UnusableNode(path + " cannot be examined: " + FileFault.reason(failure));
        }
    }

    Optional<BootId> bootId(List<Finding> findings) {
        String reason = "it is empty";
        try {
            String text = text("proc/sys/kernel/random/boot_id").strip();
            if (!text.isEmpty()) {
                return Optional.of(new BootId(text));
            }
        } catch (IOException failure) {
            reason = FileFault.reason(failure);
        }
        findings.add(Finding.warning(
                "boot-id-unknown",
                "/proc/sys/kernel/random/boot_id cannot be read: " + reason,
                "make it readable for the agent; until then the agent cannot distinguish a reboot from a restart"));
        return Optional.empty();
    }

    private Optional<String> vendor() {
        try {
            return Optional.of(text("sys/class/dmi/id/sys_vendor").strip()).filter(vendor -> !vendor.isEmpty());
        } catch (IOException notEveryMachineHasDmi) {
            return Optional.empty();
        }
    }

    private List<String> lines(String path) throws IOException {
        return text(path).lines().toList();
    }

    private String text(String path) throws IOException {
        return new String(Files.readAllBytes(root.resolve(path)), StandardCharsets.ISO_8859_1);
    }
}
