package io.imexagent.core.claim;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a runtime does to the containers of a claim, as the host knows it now: to each, and for each device, by the name of
 * its CDI device. Where the claim has a file of its own, each of them may read it.
 */
public record ClaimEdits(Edits shared, SortedMap<String, DeviceEdits> devices, Optional<ClaimFile> file) {

    public ClaimEdits(Edits shared, SortedMap<String, DeviceEdits> devices) {
        this(shared, devices, Optional.empty());
    }

    public ClaimEdits {
        devices = Collections.unmodifiableSortedMap(new TreeMap<>((Map<String, DeviceEdits>) devices));
    }

    /** A device of the claim. Its host name, {@code mlx5_0}, can change, so it is checked when it is handed out. */
    public record DeviceEdits(String hostName, Edits edits) {}

    /** What a container gets: nodes, host files, environment ({@code NAME=value}), interfaces, hooks. */
    public record Edits(
            List<DeviceNodeEdits> nodes,
            List<String> environment,
            List<Interface> interfaces,
            List<Mount> mounts,
            List<Hook> hooks) {

        public static final Edits NONE = new Edits(List.of(), List.of(), List.of(), List.of(), List.of());

        public static Edits of(DeviceNodeEdits node) {
            return new Edits(List.of(node), List.of(), List.of(), List.of(), List.of());
        }

        public Edits {
            nodes = List.copyOf(nodes);
            environment = List.copyOf(environment);
            interfaces = List.copyOf(interfaces);
            mounts = List.copyOf(mounts);
            hooks = List.copyOf(hooks);
        }
    }

    /** A character device by its numbers, at the same path in the container as on the host. */
    public record DeviceNodeEdits(String path, int major, int minor) {

        public String name() {
            return path.substring(path.lastIndexOf('/') + 1);
        }

        /** Its numbers as the kernel writes them in a {@code dev} file, {@code 231:192}. */
        public String number() {
            return major + ":" + minor;
        }
    }

    /** A network interface that moves, by its name on the host and the one that it gets in the container. */
    public record Interface(String onHost, String inContainer) {}

    /** A host file that a container may read, bound to an absolute path. */
    public record Mount(String hostPath, String path) {}

    /** A text file that comes and goes with the claim: where containers find it, and its lines without their ends. */
    public record ClaimFile(String path, List<String> lines) {

        public ClaimFile {
            lines = List.copyOf(lines);
        }
    }

    /** An OCI hook: when it runs ({@code createRuntime}), and the program; the arguments are without its name. */
    public record Hook(String stage, String path, List<String> arguments) {

        public Hook {
            arguments = List.copyOf(arguments);
        }
    }
}
