package io.imexagent.core.inventory;

import java.util.List;
import java.util.Optional;

/** A GPU by NVML's index and UUID, with its marketing name; without an address where NVML's text is none. */
public record Gpu(int index, String name, String uuid, Optional<PciAddress> pci, Fabric fabric, GpuHealth health) {

    public Gpu(int index, String name, String uuid, Optional<PciAddress> pci, Fabric fabric) {
        this(index, name, uuid, pci, fabric, GpuHealth.UNTOLD);
    }

    /** Where one GPU stands in the NVLink fabric. */
    public sealed interface Fabric {

        record NotSupported() implements Fabric {}

        /** Registration has not ended; the state is NVML's word. */
        record Registering(String state) implements Fabric {}

        /** Registered. Without a clique the cluster UUID is all zero; unhealthy is what the health mask calls bad. */
        record Registered(Optional<CliqueId> clique, List<String> unhealthy) implements Fabric {

            public Registered {
                unhealthy = List.copyOf(unhealthy);
            }
        }

        record Failed(String reason) implements Fabric {}

        record Unknown(String reason) implements Fabric {}
    }
}
