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
 * The state of the node in one line for {@code systemctl status}: {@code GB200, clique 3bad….32766, channel major 234,
 * registered, 1 claim prepared; IMEX domain UP 18/18}.
 */
final class StatusLine {

    private static final String MAKER = "NVIDIA ";
    private static final int CLUSTER_SHOWN = 4;

    private StatusLine() {}

    record ServingStatus(RegistrationState registration, int prepared) {}

    /** Returns the line; without {@code serving}, the agent only observes. Remarks follow after semicolons. */
    static String of(NodeInventory node, Optional<ServingStatus> serving, List<String> remarks) {
        Stream<String> facts = Stream.concat(
                Stream.of(gpus(node), clique(node), major(node.channelMajor())),
                serving.map(StatusLine::serving).orElseGet(() -> Stream.of("observing only")));
        return Stream.concat(Stream.of(facts.collect(Collectors.joining(", "))), remarks.stream())
                .collect(Collectors.joining("; "));
    }

    private static String gpus(NodeInventory node) {
        return switch (node.driver()) {
            case DriverState.AbsentDriver absent -> "no driver";
            case DriverState.FailingDriver failing -> "driver does not answer";
            case DriverState.LoadedDriver loaded when node.gpus().isEmpty() -> "no GPU";
            case DriverState.LoadedDriver loaded ->
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
            case CliqueState.KnownClique present -> "clique " + brief(present.id()) + without(node.gpus());
            case CliqueState.NoClique none -> "no clique";
            case CliqueState.RegisteringClique registering -> "fabric registering";
            case CliqueState.FailedClique failed -> "fabric failed";
            case CliqueState.ConflictingClique conflicting -> "several cliques";
            case CliqueState.UnknownClique unknown -> "clique unknown";
        };
    }

    /** Names the GPUs that should be in the clique but are not. */
    private static String without(List<Gpu> gpus) {
        List<Gpu> outside = CliqueState.outside(gpus);
        return outside.isEmpty()
                ? ""
                : outside.stream()
                        .map(gpu -> Integer.toString(gpu.index()))
                        .collect(Collectors.joining(" and GPU ", " without GPU ", ""));
    }

    /** The first characters of the cluster's UUID and the clique's number, which distinguish racks. */
    private static String brief(CliqueId id) {
        String text = id.text();
        int dot = text.lastIndexOf('.');
        return dot <= CLUSTER_SHOWN ? text : text.substring(0, CLUSTER_SHOWN) + "…" + text.substring(dot);
    }

    private static String major(ChannelMajor major) {
        return switch (major) {
            case ChannelMajor.RegisteredMajor registered -> "channel major " + registered.major();
            case ChannelMajor.UnregisteredMajor none -> "no channel major";
            case ChannelMajor.UnknownMajor unknown -> "channel major unknown";
        };
    }

    private static Stream<String> serving(ServingStatus serving) {
        String registration = switch (serving.registration()) {
            case RegistrationState.RegistrationPending notYet -> "not registered";
            case RegistrationState.RegistrationDone registered -> "registered";
            case RegistrationState.RegistrationRejected rejected -> "rejected by the kubelet";
        };
        return Stream.of(
                registration, serving.prepared() + (serving.prepared() == 1 ? " claim" : " claims") + " prepared");
    }
}
