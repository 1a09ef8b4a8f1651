package io.imexagent.core.inventory;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A GPU: NVML's index and UUID, its marketing name, and its PCI address, which is empty if NVML's text is not an
 * address.
 */
public record Gpu(int index, String name, String uuid, Optional<PciAddress> pci, GpuFabric fabric, GpuHealth health) {

    /** The end of {@code NVIDIA Graphics Device}. */
    private static final String UNNAMED_PRODUCT = "Graphics Device";

    /** Where one GPU stands in the NVLink fabric. */
    public sealed interface GpuFabric {

        record NoFabric() implements GpuFabric {}

        /** Registration has not ended; the state is NVML's name for it. */
        record FabricRegistering(String state) implements GpuFabric {}

        /**
         * Registration has ended. There is no clique if the cluster UUID is all zero; {@code unhealthy} lists the
         * statements of the health mask that report a fault.
         */
        record FabricRegistered(Optional<CliqueId> clique, List<String> unhealthy, List<TypedClique> typed)
                implements GpuFabric {

            public FabricRegistered {
                unhealthy = List.copyOf(unhealthy);
                typed = List.copyOf(typed);
            }
        }

        /**
         * A clique for one kind of operation, {@code multicast_pointer}, by its number in the fabric. It is reported,
         * and used for nothing.
         */
        record TypedClique(String type, long number) {}

        record FabricFailed(String reason) implements GpuFabric {}

        /** NVML gives no fabric state; the reason is a clause. */
        record FabricUnknown(UnknownCause cause, String reason) implements GpuFabric {

            /** Why NVML gives no fabric state of a GPU. */
            public enum UnknownCause {
                /** The GPU fell off the bus. */
                LOST,
                UNREADABLE,
                /** The agent may not open the GPU. */
                CLOSED,
                /** The driver reports a state for which this version has no name. */
                UNNAMED_STATE,
                /**
                 * NVML lacks the function that reads the fabric state: the driver is older than the function, so this
                 * holds for all GPUs.
                 */
                UNASKABLE
            }
        }
    }

    /**
     * The name of the product; empty if NVML has none, or the driver's placeholder for products that it does not know.
     */
    public Optional<String> product() {
        return Optional.of(name).filter(text -> !text.isBlank() && !text.strip().endsWith(UNNAMED_PRODUCT));
    }

    /** The GPU in a message, {@code GPU 2 (0018:06:00.0, GPU-6a7d…)}; unknown parts are left out. */
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
