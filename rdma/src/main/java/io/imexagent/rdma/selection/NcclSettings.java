package io.imexagent.rdma.selection;

import io.imexagent.rdma.inventory.Gid;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** The settings of NCCL for a set of rails. */
public final class NcclSettings {

    /** NCCL takes names as prefixes, {@code mlx5_1} for {@code mlx5_10} too, unless the list begins with this. */
    private static final String EXACT = "=";

    private NcclSettings() {}

    /** The value of {@code NCCL_IB_HCA}: exactly these devices; empty without any, since an empty list means all. */
    public static Optional<String> ibHca(Collection<Rail> rails) {
        String names = rails.stream()
                .sorted(Comparator.comparing(rail -> rail.nic().name()))
                .map(Rail::hca)
                .distinct()
                .collect(Collectors.joining(","));
        return names.isEmpty() ? Optional.empty() : Optional.of(EXACT + names);
    }

    /**
     * The value of {@code NCCL_IB_GID_INDEX}, which holds for all devices: the index of the rails' GIDs where it is the
     * same on all, and all are Ethernet; otherwise empty, and NCCL finds the index itself.
     */
    public static OptionalInt gidIndex(Collection<Rail> rails) {
        int[] indices = rails.stream()
                .mapToInt(rail -> rail.gid().map(Gid.Entry::index).orElse(-1))
                .distinct()
                .toArray();
        return indices.length == 1 && indices[0] >= 0 ? OptionalInt.of(indices[0]) : OptionalInt.empty();
    }
}
