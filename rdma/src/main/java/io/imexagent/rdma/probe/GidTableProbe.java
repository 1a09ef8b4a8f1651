package io.imexagent.rdma.probe;

import io.imexagent.rdma.inventory.Gid;
import io.imexagent.rdma.inventory.GidEntry;
import io.imexagent.rdma.inventory.GidType;
import io.imexagent.rdma.inventory.InterfaceName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads a port's GID table. Most of its slots, 256 on mlx5, are empty, and the kernel fills the lowest empty one first; so
 * the reading ends after a run of empty slots, unless the GID that a rail needs has not been found by then.
 */
final class GidTableProbe {

    /** Empty slots in a row after which the rest is taken for empty. Holes come from addresses that were removed. */
    static final int EMPTY_RUN = 8;

    /** More slots than any driver has; only a bound. */
    private static final int MOST = 4096;

    private final HostFiles files;

    GidTableProbe(HostFiles files) {
        this.files = files;
    }

    /**
     * The slots that are not empty. A slot whose type or interface cannot be read, which the kernel answers with EINVAL
     * for an empty one, is none where its GID is zero too.
     *
     * @param port the port's folder
     * @param thorough whether to go on to the end of the table while no GID with an IPv4 address is found
     */
    List<GidEntry> read(String port, boolean thorough) {
        List<GidEntry> entries = new ArrayList<>();
        int run = 0;
        boolean sought = thorough;
        for (int index = 0; index < MOST && (sought || run < EMPTY_RUN); index++) {
            Optional<Gid> gid;
            try {
                gid = Gid.parse(files.value(port + "/gids/" + index));
            } catch (IOException endOfTable) {
                break;
            }
            if (gid.isEmpty() || gid.get().isZero()) {
                run++;
                continue;
            }
            run = 0;
            GidEntry entry = entry(port, index, gid.get());
            entries.add(entry);
            sought &= !(entry.isUsable() && entry.gid().ipv4().isPresent());
        }
        return entries;
    }

    private GidEntry entry(String port, int index, Gid gid) {
        GidType type = files.optional(port + "/gid_attrs/types/" + index)
                .map(GidType::of)
                .orElse(GidType.UNLISTED);
        Optional<InterfaceName> netdev =
                files.optional(port + "/gid_attrs/ndevs/" + index).flatMap(InterfaceName::parse);
        return new GidEntry(index, gid, type, netdev);
    }
}
