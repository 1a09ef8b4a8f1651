package io.imexagent.imex.health;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code /etc/nvidia-imex/config.cfg} says, as far as it matters to a watch: whether {@code nvidia-imex-ctl} can
 * be answered ({@code IMEX_CMD_ENABLED}, default on), the file of the nodes ({@code IMEX_NODE_CONFIG_FILE}), and lines
 * that are not understood, each as a clause. The daemon reads it at its start only, so it may run with something else.
 */
public record ImexConfiguration(boolean commandService, String nodesFile, List<String> faults) {

    /** Where the nodes stand while the file does not say so. */
    public static final String NODES_FILE = "/etc/nvidia-imex/nodes_config.cfg";

    /** What the daemon takes without a file. */
    public static final ImexConfiguration DEFAULTS = new ImexConfiguration(true, NODES_FILE, List.of());

    public ImexConfiguration {
        faults = List.copyOf(faults);
    }

    /** The configuration in the text, lines {@code KEY=value} and comments after {@code #}. Never throws. */
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
                values.put(line.substring(0, equals).strip(), Printed.line(line.substring(equals + 1)));
            }
        }
        return new ImexConfiguration(
                commandService(values.getOrDefault("IMEX_CMD_ENABLED", ""), faults),
                Optional.ofNullable(values.get("IMEX_NODE_CONFIG_FILE"))
                        .filter(file -> !file.isEmpty())
                        .orElse(NODES_FILE),
                faults);
    }

    /**
     * The nodes of a domain in the text of {@code nodes_config.cfg}, the same file on every node: an address or host name
     * a line, whose place is the node's number; blank lines and comments after {@code #} are none. Never throws.
     */
    public static List<String> nodes(String text) {
        return text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .map(Printed::line)
                .toList();
    }

    private static boolean commandService(String value, List<String> faults) {
        if (!value.isEmpty() && !value.equals("0") && !value.equals("1")) {
            faults.add("IMEX_CMD_ENABLED is \"" + value + "\", and 0 or 1 is expected");
        }
        return !value.equals("0");
    }
}
