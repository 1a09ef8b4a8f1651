package io.imexagent.imex.health;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The command service of the daemon by {@code config.cfg}, over which {@code nvidia-imex-ctl} queries the daemon: TCP
 * ({@code IMEX_CMD_PORT}), a Unix socket ({@code IMEX_CMD_UNIX_DOMAIN_PATH}), both, or none ({@code
 * IMEX_CMD_ENABLED=0}, or neither address).
 */
public record CommandService(boolean enabled, boolean tcp, Optional<Path> socket) {

    /** The daemon's defaults without a file: TCP, on port 50005. */
    static final CommandService DEFAULT = new CommandService(true, true, Optional.empty());

    /** The reason why the daemon answers no query, and the remedy, a clause each; empty if it answers. */
    Optional<Silence> silence() {
        if (!enabled) {
            return Optional.of(new Silence("IMEX_CMD_ENABLED is 0", "set IMEX_CMD_ENABLED=1"));
        }
        return tcp || socket.isPresent()
                ? Optional.empty()
                : Optional.of(new Silence(
                        "IMEX_CMD_PORT and IMEX_CMD_UNIX_DOMAIN_PATH are both empty", "set IMEX_CMD_PORT=50005"));
    }

    /** The reason why the daemon answers no query, and the remedy. */
    record Silence(String reason, String remedy) {}

    /**
     * The addresses to try, in order. A daemon that serves TCP is queried as its configuration says, since the other
     * nodes are queried over their ports, too. The last is a socket that the agent's configuration names. Never empty:
     * a daemon may run with an older configuration.
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
