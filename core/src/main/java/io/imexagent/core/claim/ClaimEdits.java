package io.imexagent.core.claim;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The changes that a runtime makes to the containers of a claim, from what the host knows now: those for every
 * container, and those for each device, by the name of its CDI device. A claim's own file, if it has one, is readable
 * in every container.
 */
public record ClaimEdits(Edits shared, SortedMap<String, DeviceEdits> devices, Optional<ClaimFile> file) {

    public ClaimEdits(Edits shared, SortedMap<String, DeviceEdits> devices) {
        this(shared, devices, Optional.empty());
    }

    public ClaimEdits {
        devices = Collections.unmodifiableSortedMap(new TreeMap<>((Map<String, DeviceEdits>) devices));
    }

    /**
     * A device of the claim. Its host name, {@code mlx5_0}, can change, so the name is checked when the device is
     * handed out.
     */
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

    /** A character device, by its numbers; its path is the same in the container as on the host. */
    public record DeviceNodeEdits(String path, int major, int minor) {

        public String name() {
            return path.substring(path.lastIndexOf('/') + 1);
        }

        /** Its numbers as the kernel writes them in a {@code dev} file, {@code 231:192}. */
        public String number() {
            return major + ":" + minor;
        }
    }

    /** A network interface that moves into the container: its name on the host, and its name in the container. */
    public record Interface(String onHost, String inContainer) {}

    /** A host file that a container may read, bound to an absolute path. */
    public record Mount(String hostPath, String path) {}

    /**
     * A text file that is created and removed with the claim: its path in containers, and its lines without line ends.
     */
    public record ClaimFile(String path, List<String> lines) {

        public ClaimFile {
            lines = List.copyOf(lines);
        }
    }

    /** An OCI hook: its stage ({@code createRuntime}), its program, and the arguments without the program's name. */
    public record Hook(String stage, String path, List<String> arguments) {

        public Hook {
            arguments = List.copyOf(arguments);
        }
    }
}
