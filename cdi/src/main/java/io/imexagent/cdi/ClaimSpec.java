package io.imexagent.cdi;

import io.imexagent.core.claim.ClaimEdits;
import java.util.List;
import java.util.stream.Stream;

/** The CDI spec of a claim: what was worked out for its devices, in the terms of CDI. */
public final class ClaimSpec {

    /** Everybody in the container may open the node; the device cgroup decides who has it. */
    private static final int READ_WRITE_FOR_ALL = 0666;

    private static final List<String> READ_ONLY = List.of("ro", "nosuid", "nodev", "bind");

    /** A hook that writes a few settings takes milliseconds; a container must not wait for one that hangs. */
    private static final long HOOK_SECONDS = 10;

    private ClaimSpec() {}

    /** The spec that does this to the containers of a claim; it declares the lowest version that has what it uses. */
    public static CdiSpec of(CdiKind kind, ClaimEdits edits) {
        return CdiSpec.of(
                kind,
                edits.devices().entrySet().stream()
                        .map(device -> new CdiSpec.Device(
                                device.getKey(),
                                containerEdits(device.getValue().edits())))
                        .toList(),
                containerEdits(edits.shared()));
    }

    private static ContainerEdits containerEdits(ClaimEdits.Edits edits) {
        return new ContainerEdits(
                edits.environment(),
                edits.nodes().stream()
                        .map(node -> new ContainerEdits.DeviceNode(
                                node.path(), node.major(), node.minor(), READ_WRITE_FOR_ALL))
                        .toList(),
                edits.interfaces().stream()
                        .map(moved -> new ContainerEdits.NetDevice(moved.onHost(), moved.inContainer()))
                        .toList(),
                edits.hooks().stream().map(ClaimSpec::hook).toList(),
                edits.mounts().stream()
                        .map(mount -> new ContainerEdits.Mount(mount.path(), mount.path(), READ_ONLY))
                        .toList());
    }

    /** By convention a program's first argument is its own name. */
    private static ContainerEdits.Hook hook(ClaimEdits.Hook hook) {
        return new ContainerEdits.Hook(
                hook.stage(),
                hook.path(),
                Stream.concat(Stream.of(hook.path()), hook.arguments().stream()).toList(),
                HOOK_SECONDS);
    }
}
