package io.imexagent.imex.health;

import io.imexagent.core.inventory.NodeAddress;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.core.inventory.NodesFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** The faults of nvidia-imex's files apart from content: missing, unreadable, or changed since the daemon's start. */
record FileNotes(ImexReading reading) {

    /** The code of the finding that the daemon runs with a different file of nodes. */
    static final String CHANGED = "nodes-file-changed";

    /** The faults, one sentence each with the remedy. */
    List<String> notes() {
        var notes = new ArrayList<String>();
        ImexFiles files = reading.files();
        absent(files.configuration())
                .ifPresent(what -> notes.add(what + "; " + configurationRemedy(files.configuration())));
        absent(files.nodes())
                .ifPresent(what -> notes.add(what + "; "
                        + (files.nodes() instanceof HostFile.MissingFile(String path)
                                ? writeNodes(path)
                                : makeReadable(files.nodes().path()))));
        if (files.isNewer(files.configuration(), reading.at())) {
            notes.add(newer(files.configuration()));
        }
        nodesFileChanged().ifPresent(what -> notes.add(CHANGED + ": " + what));
        reading.nodes()
                .filter(lines -> NodesFile.of(lines, NodeIdentity.NONE, false).isTooLong())
                .ifPresent(lines ->
                        notes.add("nodes-file-too-long: " + files.nodes().path() + " has " + lines.size()
                                + " lines, and more than " + NodesFile.MOST + " lines, or " + NodesFile.LONGEST
                                + " characters, cannot be compared with the files of other nodes but as a whole; leave the"
                                + " nodes of this rack in it"));
        return notes;
    }

    /** The fault if a file that a daemon needs is missing or cannot be read, a clause. */
    static Optional<String> obstacle(ImexFiles files) {
        return absent(files.configuration()).or(() -> absent(files.nodes()));
    }

    private static Optional<String> absent(HostFile file) {
        return switch (file) {
            case HostFile.ReadFile _ -> Optional.empty();
            case HostFile.MissingFile(String path) -> Optional.of(path + " does not exist");
            case HostFile.UnreadableFile(String path, String reason) ->
                Optional.of(path + " cannot be read: " + reason);
        };
    }

    /** The remedy if the tool or the daemon does not use this {@code config.cfg}, a clause. */
    static String configurationRemedy(HostFile file) {
        return switch (file) {
            case HostFile.MissingFile(String path) -> writeConfiguration(path);
            case HostFile.UnreadableFile(String path, var _) -> makeReadable(path);
            case HostFile.ReadFile(String path, var _, var _) ->
                "see which file 'nvidia-imex-ctl -q' names when it is run by hand, and make that readable; " + path
                        + ", which imex.health.configuration names, can be read";
        };
    }

    private static String makeReadable(String path) {
        return "make " + path + " a file that can be read, then restart nvidia-imex";
    }

    private static String writeConfiguration(String path) {
        return "write " + path + ", with IMEX_CMD_ENABLED=1, IMEX_CMD_PORT=50005 and IMEX_NODE_CONFIG_FILE="
                + ImexConfiguration.NODES_FILE
                + " at least, a line each (or set imex.health.configuration to the file that 'systemctl cat"
                + " nvidia-imex' names), then restart nvidia-imex";
    }

    private static String writeNodes(String path) {
        return "write one address of each node of the rack in " + path
                + ", a line each, the same file on all nodes of this rack, then restart nvidia-imex";
    }

    private static String newer(HostFile file) {
        return file.path() + " is newer than the running nvidia-imex, which reads it at its start only; restart"
                + " nvidia-imex once the node is drained";
    }

    /**
     * The difference between the nodes file and the daemon's nodes: by content if the daemon reports them, otherwise by
     * time.
     */
    Optional<String> nodesFileChanged() {
        HostFile file = reading.files().nodes();
        Optional<List<String>> known = reading.domain()
                .answer()
                .map(report -> report.nodes().stream().map(NodeReport::address).toList());
        Optional<List<String>> written = reading.nodes();
        if (known.isPresent() && written.isPresent()) {
            if (known.get().size() != written.get().size()) {
                return Optional.of(file.path() + " names " + written.get().size() + " nodes and the daemon knows "
                        + known.get().size() + ": the file was changed after the daemon's start; restart nvidia-imex"
                        + " once the node is drained");
            }
            if (values(known.get()).equals(values(written.get()))) {
                return Optional.empty();
            }
            if (differ(written.get(), known.get())) {
                return Optional.of(file.path() + " names other nodes than the running nvidia-imex knows, or in another"
                        + " order; it reads that file at its start only: restart nvidia-imex once the node is drained");
            }
        }
        return reading.files().isNewer(file, reading.at()) ? Optional.of(newer(file)) : Optional.empty();
    }

    /** Whether a line and the daemon have different addresses, or names; a name is not compared with an address. */
    private static boolean differ(List<String> written, List<String> known) {
        return IntStream.range(0, written.size())
                .anyMatch(line -> NodeAddress.of(written.get(line))
                        .flatMap(one -> NodeAddress.of(known.get(line))
                                .filter(other -> other.getClass().equals(one.getClass()) && !other.equals(one)))
                        .isPresent());
    }

    private static List<Optional<NodeAddress>> values(List<String> nodes) {
        return nodes.stream().map(NodeAddress::of).toList();
    }
}
