package io.imexagent.cdi;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a runtime does to a container.
 *
 * @param env environment entries, {@code NAME=value}
 * @param deviceNodes device nodes that it gets
 * @param netDevices network interfaces that move into it
 * @param hooks programs that run in its life
 * @param mounts what is mounted into it
 * @param intelRdt the cache and memory bandwidth class that it joins
 * @param additionalGids further groups of its process
 */
public record ContainerEdits(
        List<String> env,
        List<DeviceNode> deviceNodes,
        List<NetDevice> netDevices,
        List<Hook> hooks,
        List<Mount> mounts,
        Optional<IntelRdt> intelRdt,
        List<Long> additionalGids) {

    /** Nothing is done. */
    public static final ContainerEdits NONE =
            new ContainerEdits(List.of(), List.of(), List.of(), List.of(), List.of(), Optional.empty(), List.of());

    /** Copies the lists in. */
    public ContainerEdits {
        env = List.copyOf(env);
        deviceNodes = List.copyOf(deviceNodes);
        netDevices = List.copyOf(netDevices);
        hooks = List.copyOf(hooks);
        mounts = List.copyOf(mounts);
        additionalGids = List.copyOf(additionalGids);
    }

    /** Edits that give these device nodes and nothing else. */
    public static ContainerEdits ofDeviceNodes(List<DeviceNode> nodes) {
        return new ContainerEdits(List.of(), nodes, List.of(), List.of(), List.of(), Optional.empty(), List.of());
    }

    /**
     * A device node that the runtime makes with mknod. Major and minor are 0 where they are not given; a runtime then
     * takes them from the host's node, which has to exist.
     *
     * @param path the node in the container
     * @param hostPath the node on the host, where it has another path there
     * @param type {@code c}, {@code b}, {@code u} or {@code p}; given by the host's node where it is empty
     * @param major device major, not negative
     * @param minor device minor, not negative
     * @param fileMode permission bits of the node
     * @param permissions access by the device cgroup: letters of {@code rwm}, {@code none}, or empty for all
     * @param uid its owner
     * @param gid its group
     */
    public record DeviceNode(
            String path,
            Optional<String> hostPath,
            Optional<String> type,
            long major,
            long minor,
            OptionalLong fileMode,
            Optional<String> permissions,
            OptionalLong uid,
            OptionalLong gid) {

        /** A character device that does not depend on the host's node. */
        public static DeviceNode character(String path, int major, int minor, int fileMode) {
            return new DeviceNode(
                    path,
                    Optional.empty(),
                    Optional.of("c"),
                    major,
                    minor,
                    OptionalLong.of(fileMode),
                    Optional.empty(),
                    OptionalLong.empty(),
                    OptionalLong.empty());
        }
    }

    /**
     * A network interface that moves into the container.
     *
     * @param hostInterfaceName its name on the host
     * @param name its name in the container
     */
    public record NetDevice(String hostInterfaceName, String name) {}

    /**
     * An OCI hook.
     *
     * @param hookName when it runs, {@code createRuntime}
     * @param path the program
     * @param args its arguments, the program's name first
     * @param env its environment
     * @param timeout after how many seconds it is ended
     */
    public record Hook(String hookName, String path, List<String> args, List<String> env, OptionalLong timeout) {

        /** Copies the lists in. */
        public Hook {
            args = List.copyOf(args);
            env = List.copyOf(env);
        }
    }

    /**
     * A mount.
     *
     * @param hostPath what is mounted
     * @param containerPath where it appears
     * @param options mount options
     * @param type file system; a bind mount where it is empty
     */
    public record Mount(String hostPath, String containerPath, List<String> options, Optional<String> type) {

        /** Copies the list in. */
        public Mount {
            options = List.copyOf(options);
        }
    }

    /**
     * A class of Intel Resource Director Technology.
     *
     * @param closId the class
     * @param l3CacheSchema cache allocation
     * @param memBwSchema memory bandwidth allocation
     * @param schemata lines for the class's schemata file
     * @param enableMonitoring whether the container gets a monitoring group of its own
     */
    public record IntelRdt(
            Optional<String> closId,
            Optional<String> l3CacheSchema,
            Optional<String> memBwSchema,
            List<String> schemata,
            boolean enableMonitoring) {

        static final IntelRdt EMPTY =
                new IntelRdt(Optional.empty(), Optional.empty(), Optional.empty(), List.of(), false);

        /** Copies the list in. */
        public IntelRdt {
            schemata = List.copyOf(schemata);
        }
    }
}
