package io.imexagent.testing.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An nvidia-imex of files and two shell scripts, {@code nvidia-imex-ctl} and {@code systemctl}, which write down how they
 * were called. At first it is installed, active and READY, in a domain of two nodes that is UP. It refuses, with exit
 * code 99, whatever a watch that only reads has no business to ask. Methods change one thing at once, also for an agent
 * that runs.
 */
public final class FakeImex {

    private static final String UNIT = "usr/lib/systemd/system/nvidia-imex.service";
    private static final String TOOL = """
            #!/bin/sh
            cd "$(dirname "$0")" || exit 98
            echo "nvidia-imex-ctl $*" >> calls
            [ -e hang ] && sleep 600
            [ -e flood ] && exec yes '{"nodes":{'
            [ "$1" = -c ] && shift 2
            case "$*" in
              -q) [ -e local ] && exec cat local; echo 'Query Status returned error code: 14'; exit 255 ;;
              '-N -j') [ -e domain ] && exec cat domain; echo 'Failed to read node configuration file' >&2; exit 255 ;;
              *) exit 99 ;;
            esac
            """;
    private static final String SYSTEMCTL = """
            #!/bin/sh
            cd "$(dirname "$0")" || exit 98
            echo "systemctl $*" >> calls
            case "$1" in show) exec cat unit ;; *) exit 99 ;; esac
            """;

    private final Path hostRoot;
    private final Path folder;

    /** One that was laid out. */
    FakeImex(Path hostRoot, Path folder) {
        this.hostRoot = hostRoot;
        this.folder = folder;
    }

    /** Lays it out. */
    static FakeImex create(Path hostRoot, Path folder) throws IOException {
        var imex = new FakeImex(hostRoot, folder);
        Files.createDirectories(folder);
        Files.createDirectories(hostRoot.resolve("etc/nvidia-imex"));
        Files.createDirectories(hostRoot.resolve(UNIT).resolveSibling(".").normalize());
        Files.writeString(hostRoot.resolve(UNIT), "[Service]\nType=forking\n");
        Files.writeString(hostRoot.resolve("etc/nvidia-imex/config.cfg"), "IMEX_CMD_ENABLED=1\n");
        imex.script("nvidia-imex-ctl", TOOL);
        imex.script("systemctl", SYSTEMCTL);
        imex.unit("loaded", "active");
        imex.daemon("READY");
        imex.domain(2, "UP");
        return imex;
    }

    /** The tool. */
    public Path tool() {
        return folder.resolve("nvidia-imex-ctl");
    }

    /** What stands for systemctl. */
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
        Files.writeString(
                hostRoot.resolve("etc/nvidia-imex/nodes_config.cfg"),
                IntStream.range(0, nodes).mapToObj(node -> address(node) + "\n").collect(Collectors.joining()));
        var objects = new ArrayList<String>();
        for (int node = 0; node < nodes; node++) {
            boolean missing = !state.equals("UP") && node == nodes - 1;
            objects.add(node(node, nodes, missing, !state.equals("UP")));
        }
        write(
                "domain",
                "{\"nodes\":{" + String.join(",", objects) + "},\"timestamp\":\"9/4/2026 00:37:39.905\",\"status\":\""
                        + state + "\"}\n");
    }

    private static String node(int node, int nodes, boolean missing, boolean lastMissing) {
        String connections = IntStream.range(0, nodes)
                .mapToObj(to -> "\"%d\":{\"host\":\"%s\",\"status\":\"%s\",\"changed\":false}"
                        .formatted(to, address(to), connection(missing, lastMissing && to == nodes - 1)))
                .collect(Collectors.joining(","));
        return "\"%d\":{\"status\":\"%s\",\"host\":\"%s\",\"hostName\":\"tray-%d\",\"connections\":{%s},\"changed\":false,\"version\":\"%s\"}"
                .formatted(
                        node,
                        missing ? "UNAVAILABLE" : "READY",
                        address(node),
                        node,
                        connections,
                        missing ? "" : "580.95.05");
    }

    private static String connection(boolean fromMissing, boolean toMissing) {
        if (fromMissing) {
            return "INVALID";
        }
        return toMissing ? "NEVER_CONNECTED" : "CONNECTED";
    }

    private static String address(int node) {
        return "192.0.2." + (node + 1);
    }

    /** Lets the tool hang, or no more. */
    public void hanging(boolean hangs) throws IOException {
        flag("hang", hangs);
    }

    /** Lets the tool print without end, or no more. */
    public void flooding(boolean floods) throws IOException {
        flag("flood", floods);
    }

    /** Removes tool and unit. */
    public void uninstall() throws IOException {
        Files.deleteIfExists(hostRoot.resolve(UNIT));
        Files.deleteIfExists(tool());
    }

    /** How the scripts were called so far, in order. */
    public List<String> calls() throws IOException {
        Path calls = folder.resolve("calls");
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }

    private void flag(String name, boolean set) throws IOException {
        if (set) {
            write(name, "");
        } else {
            Files.deleteIfExists(folder.resolve(name));
        }
    }

    private void script(String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Whole or not at all, since a script may read it at any time. */
    private void write(String name, String text) throws IOException {
        Path fresh = Files.writeString(folder.resolve(name + ".new"), text);
        Files.move(fresh, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }
}
