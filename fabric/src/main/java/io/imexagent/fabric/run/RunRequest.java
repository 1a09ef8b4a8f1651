package io.imexagent.fabric.run;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What is to be tested and with what: the run's ID, drawn for it; who starts it, and when; the image of this program; the GPUs
 * of each pod; the RuntimeClass that injects the driver, where it is not the nodes' default.
 */
public record RunRequest(
        String id,
        String by,
        Instant at,
        String namespace,
        CliqueId clique,
        List<String> nodes,
        String image,
        GpuRequest gpus,
        FabricLevel level,
        Duration timeout,
        Optional<String> runtimeClass) {

    /** The GPUs of each pod, and how the pod requests them. */
    public sealed interface GpuRequest {

        /** How many. */
        int count();

        /** As a resource of the container, from a device plugin: {@code nvidia.com/gpu}. */
        record GpuResource(String name, int count) implements GpuRequest {}

        /** By a claim of a DeviceClass: {@code gpu.nvidia.com}. */
        record GpuClass(String name, int count) implements GpuRequest {}
    }

    /** Longer than the pods of a run take to go. */
    private static final Duration SLACK = Duration.ofMinutes(1);

    /** The longest that ranks wait for others to start: images may have to be pulled. */
    private static final Duration GATHER = Duration.ofMinutes(3);

    private static final int GATHER_PART = 3;

    /** The definition of FabricTests takes no longer name of who ran it. */
    private static final int LONGEST_NAME = 253;

    public RunRequest {
        nodes = List.copyOf(nodes);
        by = by.isBlank()
                ? "an unnamed user"
                : by.length() <= LONGEST_NAME ? by : by.substring(0, LONGEST_NAME - 1) + "~";
    }

    /** The name of the run's objects; the same for every run in a clique, so that a namespace has one at a time. */
    public String name() {
        UUID digest = UUID.nameUUIDFromBytes(clique.text().getBytes(StandardCharsets.US_ASCII));
        return "imex-fabric-test-" + digest.toString().substring(0, 8);
    }

    /** Until when the run may last. */
    public Instant until() {
        return at.plus(timeout).plus(SLACK);
    }

    /** How long ranks wait for each other to start. */
    public Duration gather() {
        Duration part = timeout.dividedBy(GATHER_PART);
        return part.compareTo(GATHER) < 0 ? part : GATHER;
    }
}
