package io.imexagent.imex.check;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.text.NameList;
import io.imexagent.imex.probe.ChannelNodes;
import io.imexagent.imex.probe.DriverFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The conditions of isolation by channel on this host: only containers that the agent prepares reach a channel node,
 * and the driver has as many channels as are assigned, 1 … N−1 of the clique.
 */
public record IsolationChecks(Path root, int channels, NodeInventory inventory) {

    static final String NODES = "channel-nodes";
    static final String RANGE = "channel-range";

    private static final int MOST_NAMED = 5;

    public List<CheckResult> run() {
        return List.of(nodes(), range());
    }

    private CheckResult nodes() {
        try {
            List<String> open = open();
            boolean made = createsChannel0();
            if (open.isEmpty() && !made) {
                return CheckResult.ok(NODES, "no channel node of the host is open to all users");
            }
            return CheckResult.warning(
                    NODES,
                    (open.isEmpty()
                                    ? "the driver makes channel0 for all users at its start (CreateImexChannel0 is 1)"
                                    : "channel nodes of the host are open to all users: "
                                            + NameList.some(open, MOST_NAMED))
                            + "; every process that sees the host's /dev can open them, which defeats isolation",
                    "set the module option NVreg_CreateImexChannel0=0 and remove the nodes, or give them mode 0600;"
                            + " containers get nodes of their own");
        } catch (IOException failure) {
            return CheckResult.warning(
                    NODES,
                    "the channel nodes of the host cannot be read: " + failure.getMessage(),
                    "run the check as root");
        }
    }

    private List<String> open() throws IOException {
        var open = new ArrayList<String>();
        try (Stream<Path> nodes = Files.list(root.resolve(ChannelNodes.FOLDER))) {
            for (Path node : nodes.sorted().toList()) {
                Set<PosixFilePermission> mode = Files.getPosixFilePermissions(node, LinkOption.NOFOLLOW_LINKS);
                if (mode.contains(PosixFilePermission.OTHERS_READ) || mode.contains(PosixFilePermission.OTHERS_WRITE)) {
                    open.add(String.valueOf(node.getFileName()));
                }
            }
        } catch (NoSuchFileException none) {
            return List.of();
        }
        return open;
    }

    private boolean createsChannel0() throws IOException {
        try {
            Path parameters = root.resolve(DriverFiles.PARAMETERS);
            return DriverFiles.createsChannel0(Files.readAllLines(parameters, StandardCharsets.ISO_8859_1));
        } catch (NoSuchFileException notLoaded) {
            return false;
        }
    }

    private CheckResult range() {
        OptionalInt offered = inventory.channelCount();
        if (offered.isPresent() && offered.getAsInt() < channels) {
            return CheckResult.warning(
                    RANGE,
                    "the driver offers " + offered.getAsInt() + " channels, imex.channels is " + channels
                            + ": no node of the clique binds a higher channel, and ComputeDomains that have one get"
                            + " none here",
                    "load the driver with NVreg_ImexChannelCount=" + channels + " or more, or set imex.channels to "
                            + offered.getAsInt());
        }
        return CheckResult.ok(RANGE, "channels 1 to " + (channels - 1) + " of the clique can be bound");
    }
}
