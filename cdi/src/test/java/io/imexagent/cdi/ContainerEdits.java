package io.imexagent.cdi;

import io.imexagent.core.claim.ClaimEdits;
import java.util.List;

/**
 * What a runtime does to a container, as a spec says it.
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

    private static final int MOST = Integer.MAX_VALUE;

    /** Nothing is done. */
    public static final ContainerEdits NONE = new ContainerEdits(List.of(), List.of(), List.of(), List.of(), List.of());

    /** Copies the lists in. */
    public ContainerEdits {
        env = List.copyOf(env);
        deviceNodes = List.copyOf(deviceNodes);
        netDevices = List.copyOf(netDevices);
        hooks = List.copyOf(hooks);
        mounts = List.copyOf(mounts);
    }

    ClaimEdits.Edits edits() {
        return new ClaimEdits.Edits(
                deviceNodes.stream()
                        .map(node -> new ClaimEdits.DeviceNodeEdits(
                                node.path(), Math.clamp(node.major(), -1, MOST), Math.clamp(node.minor(), -1, MOST)))
                        .toList(),
                env,
                netDevices.stream()
                        .map(moved -> new ClaimEdits.Interface(moved.hostInterfaceName(), moved.name()))
                        .toList(),
                mounts.stream()
                        .map(mount -> new ClaimEdits.Mount(mount.hostPath(), mount.hostPath()))
                        .toList(),
                hooks.stream()
                        .map(hook -> new ClaimEdits.Hook(
                                hook.hookName(),
                                hook.path(),
                                hook.args().stream().skip(1).toList()))
                        .toList());
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
