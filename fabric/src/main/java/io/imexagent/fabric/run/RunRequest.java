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
 * The request for a run: its random ID, the user who starts it and the time, the nodes to test, the image of this
 * program, the GPUs of each pod, and the RuntimeClass that injects the driver, unless that is the nodes' default.
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

        /** The number of GPUs. */
        int count();

        /** GPUs as a resource of the container, from a device plugin, such as {@code nvidia.com/gpu}. */
        record GpuResource(String name, int count) implements GpuRequest {}

        /** GPUs by a claim of a DeviceClass, such as {@code gpu.nvidia.com}. */
        record GpuClass(String name, int count) implements GpuRequest {}
    }

    /** The time after the timeout in which the pods of a run are deleted. */
    private static final Duration SLACK = Duration.ofMinutes(1);

    /** The longest time that ranks wait for the others to start, since images may have to be pulled. */
    private static final Duration GATHER = Duration.ofMinutes(3);

    private static final int GATHER_PART = 3;

    /** The longest name of a user that the definition of FabricTests permits. */
    private static final int LONGEST_NAME = 253;

    public RunRequest {
        nodes = List.copyOf(nodes);
        by = by.isBlank()
                ? "an unnamed user"
                : by.length() <= LONGEST_NAME ? by : by.substring(0, LONGEST_NAME - 1) + "~";
    }

    /**
     * Returns the name of the run's objects. It is the same for every run in a clique, so that a namespace has one run
     * at a time.
     */
    public String name() {
        UUID digest = UUID.nameUUIDFromBytes(clique.text().getBytes(StandardCharsets.US_ASCII));
        return "imex-fabric-test-" + digest.toString().substring(0, 8);
    }

    /** Returns the latest end of the run. */
    public Instant until() {
        return at.plus(timeout).plus(SLACK);
    }

    /** Returns how long ranks wait for each other to start. */
    public Duration gather() {
        Duration part = timeout.dividedBy(GATHER_PART);
        return part.compareTo(GATHER) < 0 ? part : GATHER;
    }
}
