package io.imexagent.dra.kubelet;

import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Set;

/** Who may connect to the agent's sockets: user IDs, as the kernel gives them for the peer of a Unix socket. */
public record PeerPolicy(Set<Integer> uids) {

    private static final int ROOT = 0;

    public PeerPolicy {
        uids = Set.copyOf(uids);
    }

    /** Root, as whom the kubelet runs, and another user if there is one. */
    public static PeerPolicy rootAnd(OptionalInt other) {
        var uids = new HashSet<Integer>();
        uids.add(ROOT);
        other.ifPresent(uids::add);
        return new PeerPolicy(uids);
    }

    /** Whether the user may connect. */
    boolean admits(int uid) {
        return uids.contains(uid);
    }
}
