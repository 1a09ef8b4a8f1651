package io.imexagent.rdma.inventory;

import java.util.Optional;

/**
 * A slot of a port's GID table that is not empty.
 *
 * @param index its number, the one that NCCL_IB_GID_INDEX means
 * @param gid the GID
 * @param type its type
 * @param netdev the interface through which it resolves; empty where the kernel does not tell, as for InfiniBand and for
 *     an interface in another network namespace
 */
public record GidEntry(int index, Gid gid, GidType type, Optional<InterfaceName> netdev) {

    /** Whether RoCE v2 can leave the link with it. */
    public boolean isUsable() {
        return type == GidType.ROCE_V2 && netdev.isPresent() && !gid.isZero() && !gid.isLinkLocal();
    }
}
