package io.imexagent.imex.health;

import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The parts of {@code /etc/nvidia-imex/config.cfg} that matter to a watch: the command service for {@code
 * nvidia-imex-ctl}, the file of the nodes ({@code IMEX_NODE_CONFIG_FILE}), and the lines that are not understood, each
 * as a clause. The daemon reads the file only at its start, so it may run with other values.
 */
public record ImexConfiguration(CommandService commandService, String nodesFile, List<String> faults) {

    /** The default path of the file of nodes. */
    public static final String NODES_FILE = "/etc/nvidia-imex/nodes_config.cfg";

    /** The daemon's defaults without a file. */
    public static final ImexConfiguration DEFAULTS =
            new ImexConfiguration(CommandService.DEFAULT, NODES_FILE, List.of());

    /** The longest path of a socket, without its final byte ({@code sockaddr_un} in unix(7)). */
    private static final int LONGEST_SOCKET = 107;

    public ImexConfiguration {
        faults = List.copyOf(faults);
    }

    /** Parses the configuration, lines {@code KEY=value} and comments after {@code #}. Never throws. */
    public static ImexConfiguration parse(String text) {
        Map<String, String> values = new HashMap<>();
        var faults = new ArrayList<String>();
        int number = 0;
        for (String raw : text.lines().toList()) {
            number++;
            String line = raw.strip();
            int equals = line.indexOf('=');
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            if (equals <= 0) {
                faults.add("line " + number + " is no KEY=value");
            } else {
                values.put(line.substring(0, equals).strip(), PrintedState.text(line.substring(equals + 1)));
            }
        }
        Optional<Path> nodes = path("IMEX_NODE_CONFIG_FILE", values, faults);
        return new ImexConfiguration(
                commandService(values, faults), nodes.map(Path::toString).orElse(NODES_FILE), faults);
    }

    private static CommandService commandService(Map<String, String> values, List<String> faults) {
        String enabled = values.getOrDefault("IMEX_CMD_ENABLED", "");
        if (!enabled.isEmpty() && !enabled.equals("0") && !enabled.equals("1")) {
            faults.add("IMEX_CMD_ENABLED is \"" + PrintedState.line(enabled) + "\", and 0 or 1 is expected");
        }
        Optional<Path> socket = path("IMEX_CMD_UNIX_DOMAIN_PATH", values, faults);
        if (socket.filter(path -> path.toString().getBytes(StandardCharsets.ISO_8859_1).length > LONGEST_SOCKET)
                .isPresent()) {
            faults.add("IMEX_CMD_UNIX_DOMAIN_PATH is longer than " + LONGEST_SOCKET
                    + " bytes, the most that the path of a socket may have");
        }
        // Without a port in the file, the daemon uses its default.
        String port = values.getOrDefault("IMEX_CMD_PORT", "50005");
        boolean usable = port.matches("0*[1-9]\\d{0,4}") && Integer.parseInt(port) <= 65535;
        if (!port.isEmpty() && !usable) {
            faults.add("IMEX_CMD_PORT is \"" + PrintedState.line(port) + "\", and a port from 1 to 65535 is expected");
        }
        return new CommandService(!enabled.equals("0"), !port.isEmpty(), socket);
    }

    /** A path; a relative one starts at the root, the working directory under systemd and of the daemon itself. */
    private static Optional<Path> path(String key, Map<String, String> values, List<String> faults) {
        String value = values.getOrDefault(key, "");
        if (value.isEmpty()) {
            return Optional.empty();
        }
        if (!value.startsWith("/")) {
            faults.add(key + " is \"" + PrintedState.line(value) + "\", and an absolute path is expected");
        }
        try {
            return Optional.of(Path.of("/", value));
        } catch (InvalidPathException unmappable) {
            faults.add(
                    key + " is \"" + PrintedState.line(value) + "\", which is no path in the encoding of this process");
            return Optional.empty();
        }
    }

    /**
     * Parses the nodes of a domain in {@code nodes_config.cfg}, which is the same file on all nodes of a clique. Each
     * line is an address or host name, and its position is the node's number; blank lines and comments after {@code #}
     * do not count. Never throws.
     */
    public static List<String> nodes(String text) {
        return text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .map(PrintedState::line)
                .toList();
    }
}
