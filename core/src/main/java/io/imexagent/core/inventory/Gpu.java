package io.imexagent.core.inventory;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A GPU by NVML's index and UUID, with its marketing name; without an address where NVML's text is none. */
public record Gpu(int index, String name, String uuid, Optional<PciAddress> pci, GpuFabric fabric, GpuHealth health) {

    /** The end of {@code NVIDIA Graphics Device}. */
    private static final String UNNAMED_PRODUCT = "Graphics Device";

    public Gpu(int index, String name, String uuid, Optional<PciAddress> pci, GpuFabric fabric) {
        this(index, name, uuid, pci, fabric, GpuHealth.UNTOLD);
    }

    /** Where one GPU stands in the NVLink fabric. */
    public sealed interface GpuFabric {

        record NoFabric() implements GpuFabric {}

        /** Registration has not ended; the state is NVML's word. */
        record FabricRegistering(String state) implements GpuFabric {}

        /** Registered. Without a clique the cluster UUID is all zero; unhealthy is what the health mask calls bad. */
        record FabricRegistered(Optional<CliqueId> clique, List<String> unhealthy, List<TypedClique> typed)
                implements GpuFabric {

            public FabricRegistered {
                unhealthy = List.copyOf(unhealthy);
                typed = List.copyOf(typed);
            }

            /** By a driver that has no typed cliques. */
            public FabricRegistered(Optional<CliqueId> clique, List<String> unhealthy) {
                this(clique, unhealthy, List.of());
            }
        }

        /** A clique for one kind of operation, {@code multicast_pointer}, by its number in the fabric; told, and not used. */
        record TypedClique(String type, long number) {}

        record FabricFailed(String reason) implements GpuFabric {}

        /** NVML does not say, for a reason that is a clause. */
        record FabricUnknown(UnknownCause cause, String reason) implements GpuFabric {

            /** Of a GPU that NVML cannot read. */
            public FabricUnknown(String reason) {
                this(UnknownCause.UNREADABLE, reason);
            }

            /** Why NVML does not say where a GPU stands. */
            public enum UnknownCause {
                /** The GPU fell off the bus. */
                LOST,
                UNREADABLE,
                /** The agent may not open the GPU. */
                CLOSED,
                /** The driver reports a state that nvml.h, as this version knows it, does not name. */
                UNNAMED_STATE,
                /** NVML lacks the question for the fabric: on all GPUs where the driver is older than it. */
                UNASKABLE
            }
        }
    }

    /**
     * The product, by its name; empty where NVML tells none, or the one that the driver has for each product that it does not
     * know by name.
     */
    public Optional<String> product() {
        return Optional.of(name).filter(text -> !text.isBlank() && !text.strip().endsWith(UNNAMED_PRODUCT));
    }

    /** The GPU in a message, {@code GPU 2 (0018:06:00.0, GPU-6a7d…)}, without what is not known of it. */
    public String title() {
        String known = Stream.concat(
                        pci.map(PciAddress::toString).stream(), Stream.of(uuid).filter(text -> !text.isEmpty()))
                .collect(Collectors.joining(", "));
        return "GPU " + index + (known.isEmpty() ? "" : " (" + known + ")");
    }

    /** These GPUs in a message, by their titles. */
    public static String titles(List<Gpu> gpus) {
        return gpus.stream().map(Gpu::title).collect(Collectors.joining(", "));
    }

    /** The clique that the GPU is in. */
    public Optional<CliqueId> clique() {
        return fabric instanceof GpuFabric.FabricRegistered registered ? registered.clique() : Optional.empty();
    }
}
