package io.imexagent.cdi;

import java.util.List;

/**
 * What a runtime does to a container, as far as the agent asks for it; CDI knows more.
 *
 * @param env environment entries, {@code NAME=value}
 * @param deviceNodes device nodes that it gets
 * @param netDevices network interfaces that move into it
 * @param hooks programs that run in its life
 * @param mounts what is mounted into it
 */
public record ContainerEdits(
        List<String> env,
        List<DeviceNode> deviceNodes,
        List<NetDevice> netDevices,
        List<Hook> hooks,
        List<Mount> mounts) {

    /** Nothing is done. */
    public static final ContainerEdits NONE = ofDeviceNodes(List.of());

    /** Copies the lists in. */
    public ContainerEdits {
        env = List.copyOf(env);
        deviceNodes = List.copyOf(deviceNodes);
        netDevices = List.copyOf(netDevices);
        hooks = List.copyOf(hooks);
        mounts = List.copyOf(mounts);
    }

    /** Edits that give these device nodes and nothing else. */
    public static ContainerEdits ofDeviceNodes(List<DeviceNode> nodes) {
        return new ContainerEdits(List.of(), nodes, List.of(), List.of(), List.of());
    }

    /**
     * A character device that the runtime makes with mknod, whatever node the host has.
     *
     * @param path the node in the container
     * @param major device major, not negative
     * @param minor device minor, not negative
     * @param fileMode permission bits of the node
     */
    public record DeviceNode(String path, long major, long minor, long fileMode) {}

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
     * @param timeout after how many seconds it is ended
     */
    public record Hook(String hookName, String path, List<String> args, long timeout) {

        /** Copies the list in. */
        public Hook {
            args = List.copyOf(args);
        }
    }

    /**
     * A bind mount.
     *
     * @param hostPath what is mounted
     * @param containerPath where it appears
     * @param options mount options
     */
    public record Mount(String hostPath, String containerPath, List<String> options) {

        /** Copies the list in. */
        public Mount {
            options = List.copyOf(options);
        }
    }
}
