package io.imexagent.rdma.inventory;

import java.util.OptionalInt;

/**
 * Where a GPU sits.
 *
 * @param index NVML's index
 * @param uuid NVML's UUID
 * @param path its PCI path
 * @param numaNode its NUMA node; empty where the firmware does not tell
 */
public record GpuPlace(int index, String uuid, PciPath path, OptionalInt numaNode) {}
