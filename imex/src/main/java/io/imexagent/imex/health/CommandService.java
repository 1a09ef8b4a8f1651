package io.imexagent.imex.health;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How {@code config.cfg} lets {@code nvidia-imex-ctl} ask the daemon: over TCP ({@code IMEX_CMD_PORT}), over a Unix
 * socket ({@code IMEX_CMD_UNIX_DOMAIN_PATH}), over both, or not at all ({@code IMEX_CMD_ENABLED=0}, or neither).
 */
public record CommandService(boolean enabled, boolean tcp, Optional<Path> socket) {

    /** What the daemon takes without a file: TCP, on port 50005. */
    static final CommandService DEFAULT = new CommandService(true, true, Optional.empty());

    /** Why the daemon answers no query, and the remedy, a clause each; empty if it does. */
    Optional<Silence> silence() {
        if (!enabled) {
            return Optional.of(new Silence("IMEX_CMD_ENABLED is 0", "set IMEX_CMD_ENABLED=1"));
        }
        return tcp || socket.isPresent()
                ? Optional.empty()
                : Optional.of(new Silence(
                        "IMEX_CMD_PORT and IMEX_CMD_UNIX_DOMAIN_PATH are both empty", "set IMEX_CMD_PORT=50005"));
    }

    /** Why the daemon answers no query, and the remedy. */
    record Silence(String reason, String remedy) {}

    /**
     * The addresses to try, in order: a daemon that serves TCP is queried as its configuration says, since the other
     * nodes are reached over their ports, too. Last comes a socket that the agent's configuration names. Never empty: a
     * daemon may run with an older configuration.
     */
    List<ImexCommand.DaemonAddress> ways(Path configuration, Optional<Path> another) {
        var ways = new ArrayList<ImexCommand.DaemonAddress>();
        if (tcp || socket.isEmpty()) {
            ways.add(ImexCommand.DaemonAddress.byConfiguration(configuration));
        }
        Stream.concat(socket.stream(), another.stream())
                .distinct()
                .forEach(path -> ways.add(ImexCommand.DaemonAddress.bySocket(path)));
        return ways;
    }
}
