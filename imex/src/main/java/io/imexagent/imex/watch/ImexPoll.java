package io.imexagent.imex.watch;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.host.HostPrograms;
import io.imexagent.imex.health.HealthPlanner;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.query.ImexReader;
import io.imexagent.imex.query.ImexReading;
import io.imexagent.imex.query.ImexReading.Applicability;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Set;

/** One look at nvidia-imex after the other, as a configuration wants it. Blocks; belongs to one worker. */
public final class ImexPoll {

    /** The unit of NVIDIA's package. */
    public static final String UNIT = "nvidia-imex.service";

    /** A domain of 72 nodes prints about 400 kB of JSON. */
    private static final int LARGEST_OUTPUT = 4 << 20;

    private final ImexReader reader;
    private final boolean hostManaged;

    /**
     * Looks as these settings want them, at a host whose files stand under the root; nothing is looked at yet.
     *
     * @param hostManaged whether this agent hands out channels
     */
    public ImexPoll(ImexWatchSettings health, Path root, String node, boolean hostManaged, InstantSource clock) {
        this.reader = new ImexReader(
                new ImexReader.ImexPaths(root, health.tool(), health.systemctl(), health.configuration(), UNIT),
                new HostPrograms(),
                health.timeout(),
                LARGEST_OUTPUT,
                () -> names(node),
                clock);
        this.hostManaged = hostManaged;
    }

    private static Set<String> names(String hostName) {
        var names = new HashSet<>(Set.of(hostName));
        try {
            NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.isLoopbackAddress())
                    .map(address -> address.getHostAddress().split("%", 2)[0])
                    .forEach(names::add);
        } catch (SocketException unreadable) {
            // The name alone may do; without a match, no node is marked.
        }
        return names;
    }

    /** Looks, and judges what is seen for a node with this inventory. */
    public ImexHealth look(NodeInventory inventory) throws InterruptedException {
        return HealthPlanner.judge(reader.read(new ImexReading.Setting(applicability(inventory), hostManaged)));
    }

    /** Whether nvidia-imex has something to do on the node: it has where there is a place in an NVLink fabric. */
    static Applicability applicability(NodeInventory inventory) {
        return switch (inventory.driver()) {
            case DriverState.Absent _ -> new Applicability.NotApplicable("there is no NVIDIA driver");
            case DriverState.Failing(String reason) -> new Applicability.Unknown(reason);
            case DriverState.Loaded loaded ->
                switch (inventory.clique()) {
                    case CliqueState.None(String reason) ->
                        new Applicability.NotApplicable("the node has no NVLink clique: " + reason);
                    case CliqueState.Unknown(String detail) -> new Applicability.Unknown(detail);
                    case CliqueState.Present _,
                            CliqueState.Registering _,
                            CliqueState.Failed _,
                            CliqueState.Conflicting _ -> new Applicability.Applicable();
                };
        };
    }
}
