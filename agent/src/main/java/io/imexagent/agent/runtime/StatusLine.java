package io.imexagent.agent.runtime;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.dra.kubelet.RegistrationState;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the node is, in one line for {@code systemctl status}: {@code GB200, clique 3bad….32766, channel major 234,
 * registered, 1 claim prepared; IMEX domain UP 18/18}.
 */
final class StatusLine {

    private static final String MAKER = "NVIDIA ";
    private static final int CLUSTER_SHOWN = 4;

    private StatusLine() {}

    record Serving(RegistrationState registration, int prepared) {}

    /** The line; without serving, the agent only observes. Remarks follow after semicolons. */
    static String of(NodeInventory node, Optional<Serving> serving, List<String> remarks) {
        Stream<String> facts = Stream.concat(
                Stream.of(gpus(node), clique(node), major(node.channelMajor())),
                serving.map(StatusLine::serving).orElseGet(() -> Stream.of("observing only")));
        return Stream.concat(Stream.of(facts.collect(Collectors.joining(", "))), remarks.stream())
                .collect(Collectors.joining("; "));
    }

    private static String gpus(NodeInventory node) {
        return switch (node.driver()) {
            case DriverState.Absent absent -> "no driver";
            case DriverState.Failing failing -> "driver does not answer";
            case DriverState.Loaded loaded when node.gpus().isEmpty() -> "no GPU";
            case DriverState.Loaded loaded ->
                node.gpus().stream()
                        .map(Gpu::name)
                        .map(name -> name.startsWith(MAKER) ? name.substring(MAKER.length()) : name)
                        .map(name -> name.isEmpty() ? "unreadable GPU" : name)
                        .distinct()
                        .collect(Collectors.joining(" + "));
        };
    }

    private static String clique(NodeInventory node) {
        return switch (node.clique()) {
            case CliqueState.Present present -> "clique " + brief(present.id()) + without(node.gpus());
            case CliqueState.None none -> "no clique";
            case CliqueState.Registering registering -> "fabric registering";
            case CliqueState.Failed failed -> "fabric failed";
            case CliqueState.Conflicting conflicting -> "several cliques";
            case CliqueState.Unknown unknown -> "clique unknown";
        };
    }

    /** The GPUs that should be in the clique and are not. */
    private static String without(List<Gpu> gpus) {
        List<Gpu> outside = CliqueState.outside(gpus);
        return outside.isEmpty()
                ? ""
                : outside.stream()
                        .map(gpu -> Integer.toString(gpu.index()))
                        .collect(Collectors.joining(" and GPU ", " without GPU ", ""));
    }

    /** The begin of the cluster's UUID and the clique's number are what tells racks apart at a glance. */
    private static String brief(CliqueId id) {
        String text = id.text();
        int dot = text.lastIndexOf('.');
        return dot <= CLUSTER_SHOWN ? text : text.substring(0, CLUSTER_SHOWN) + "…" + text.substring(dot);
    }

    private static String major(ChannelMajor major) {
        return switch (major) {
            case ChannelMajor.Registered registered -> "channel major " + registered.major();
            case ChannelMajor.NotRegistered none -> "no channel major";
            case ChannelMajor.Unknown unknown -> "channel major unknown";
        };
    }

    private static Stream<String> serving(Serving serving) {
        String registration = switch (serving.registration()) {
            case RegistrationState.NotYet notYet -> "not registered";
            case RegistrationState.Registered registered -> "registered";
            case RegistrationState.Rejected rejected -> "rejected by the kubelet";
        };
        return Stream.of(
                registration, serving.prepared() + (serving.prepared() == 1 ? " claim" : " claims") + " prepared");
    }
}
