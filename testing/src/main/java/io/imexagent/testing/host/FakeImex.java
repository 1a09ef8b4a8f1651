package io.imexagent.testing.host;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An nvidia-imex of files and two shell scripts, {@code nvidia-imex-ctl} and {@code systemctl}, which write down how they
 * were called. At first it is installed, active and READY, in a domain of two nodes that is UP; its host is {@code tray-1}. It refuses, with exit
 * code 99, whatever a watch that only reads has no business to ask. Methods change one thing at once, also for an agent
 * that runs.
 */
public final class FakeImex {

    private static final String UNIT = "usr/lib/systemd/system/nvidia-imex.service";
    private final Path hostRoot;
    private final Path folder;

    FakeImex(Path hostRoot, Path folder) {
        this.hostRoot = hostRoot;
        this.folder = folder;
    }

    void layOut() throws IOException {
        replace(hostRoot.resolve(UNIT), "[Service]\nType=forking\n");
        replace(hostRoot.resolve("etc/nvidia-imex/config.cfg"), "IMEX_CMD_ENABLED=1\n");
        replace(hostRoot.resolve("etc/hosts"), "127.0.0.1 localhost\n127.0.1.1 tray-1\n");
        script(tool());
        script(systemctl());
        unit("loaded", "active");
        daemon("READY");
        domain(2, "UP");
    }

    public Path tool() {
        return folder.resolve("nvidia-imex-ctl");
    }

    public Path systemctl() {
        return folder.resolve("systemctl");
    }

    /** Lets systemd say that the unit is in this load state, such as masked, and in this active state, such as dead. */
    public void unit(String load, String active) throws IOException {
        write("unit", """
                LoadState=%s
                ActiveState=%s
                SubState=running
                UnitFileState=enabled
                Result=success
                """.formatted(load, active));
    }

    /** Lets the daemon say that it is in this state. */
    public void daemon(String state) throws IOException {
        write("local", state + "\n");
    }

    /** Lets the daemon answer nothing. */
    public void dead() throws IOException {
        Files.deleteIfExists(folder.resolve("local"));
    }

    /** Lets the domain have so many nodes and this state; of one that is not UP the last node is missing. */
    public void domain(int nodes, String state) throws IOException {
        replace(
                hostRoot.resolve("etc/nvidia-imex/nodes_config.cfg"),
                IntStream.range(0, nodes).mapToObj(node -> address(node) + "\n").collect(Collectors.joining()));
        int missing = state.equals("UP") ? nodes : nodes - 1;
        ObjectNode document = Json.object();
        ObjectNode all = document.putObject("nodes");
        for (int node = 0; node < nodes; node++) {
            ObjectNode entry = all.putObject(Integer.toString(node))
                    .put("status", node == missing ? "UNAVAILABLE" : "READY")
                    .put("host", address(node))
                    .put("hostName", "tray-" + node);
            ObjectNode connections = entry.putObject("connections");
            for (int to = 0; to < nodes; to++) {
                String toMissing = to == missing ? "NEVER_CONNECTED" : "CONNECTED";
                connections
                        .putObject(Integer.toString(to))
                        .put("host", address(to))
                        .put("status", node == missing ? "INVALID" : toMissing)
                        .put("changed", false);
            }
            entry.put("changed", false).put("version", node == missing ? "" : "580.95.05");
        }
        document.put("timestamp", "9/4/2026 00:37:39.905").put("status", state);
        write("domain", document + "\n");
    }

    private static String address(int node) {
        return "192.0.2." + (node + 1);
    }

    /** Lets the tool hang, or no more. */
    public void hanging(boolean hangs) throws IOException {
        if (hangs) {
            write("hang", "");
        } else {
            Files.deleteIfExists(folder.resolve("hang"));
        }
    }

    public void uninstall() throws IOException {
        Files.deleteIfExists(hostRoot.resolve(UNIT));
        Files.deleteIfExists(tool());
    }

    /** How the scripts were called so far, in order. */
    public List<String> calls() throws IOException {
        Path calls = folder.resolve("calls");
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }

    /** Puts a program there, which is a resource of the same name. */
    private static void script(Path file) throws IOException {
        String name = file.getFileName().toString();
        try (InputStream text = Objects.requireNonNull(FakeImex.class.getResourceAsStream(name), name)) {
            replace(file, new String(text.readAllBytes(), StandardCharsets.UTF_8));
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void write(String name, String text) throws IOException {
        replace(folder.resolve(name), text);
    }

    /** Writes a file whole or not at all, since an agent or a script may read it at any time; makes its folder. */
    static void replace(Path file, String text) throws IOException {
        Files.createDirectories(file.resolveSibling(".").normalize());
        Path fresh = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), text);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
