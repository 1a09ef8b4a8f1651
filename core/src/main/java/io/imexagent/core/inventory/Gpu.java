package io.imexagent.core.inventory;

import java.util.List;
import java.util.Optional;

/**
 * A GPU of the node.
 *
 * @param index NVML's index
 * @param name the marketing name, {@code NVIDIA GB200}
 * @param uuid NVML's UUID
 * @param pci where it sits; empty where NVML's text could not be understood
 * @param fabric where it stands in the fabric
 * @param health what NVML says of its health
 */
public record Gpu(int index, String name, String uuid, Optional<PciAddress> pci, Fabric fabric, GpuHealth health) {

    /** A GPU of whose health nothing was told. */
    public Gpu(int index, String name, String uuid, Optional<PciAddress> pci, Fabric fabric) {
        this(index, name, uuid, pci, fabric, GpuHealth.UNTOLD);
    }

    /** Where one GPU stands in the NVLink fabric. */
    public sealed interface Fabric {

        /** The GPU has no fabric. */
        record NotSupported() implements Fabric {}

        /** Registration has not ended; the state is NVML's word. */
        record Registering(String state) implements Fabric {}

        /**
         * Registration ended well.
         *
         * @param clique the clique; empty where the cluster UUID is all zero
         * @param unhealthy what the health mask calls bad, each in words; empty where all is well or nothing is told
         */
        record Registered(Optional<CliqueId> clique, List<String> unhealthy) implements Fabric {

            public Registered {
                unhealthy = List.copyOf(unhealthy);
            }
        }

        /** Registration ended badly, with this status of NVML. */
        record Failed(String reason) implements Fabric {}

        /** NVML did not tell. */
        record Unknown(String reason) implements Fabric {}
    }
}
