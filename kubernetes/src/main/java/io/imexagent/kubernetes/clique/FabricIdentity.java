package io.imexagent.kubernetes.clique;

import io.imexagent.core.ledger.BootId;
import io.imexagent.kubernetes.Stored;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state of a node for which a result of the fabric test is valid: the UID of its NVLinkNode, the boot, the start of
 * nvidia-imex ({@link NodeStatus#imexStart}) and the driver's version. Parts that the node's agent did not know are
 * empty.
 */
public record FabricIdentity(String uid, Optional<BootId> boot, OptionalLong imexStart, Optional<String> driver) {

    /** The identity of a node as its agent reports it. */
    public static FabricIdentity of(Stored<NvlinkNode> node) {
        return new FabricIdentity(
                node.uid(),
                node.content().boot(),
                node.content().status().imexStart(),
                node.content().status().driver());
    }

    /** The first part that has changed since then, in a word or two; empty if none has. */
    public Optional<String> changedSince(FabricIdentity then) {
        if (!uid.equals(then.uid)) {
            return Optional.of("another NVLinkNode");
        }
        if (!boot.equals(then.boot)) {
            return Optional.of("rebooted");
        }
        if (!imexStart.equals(then.imexStart)) {
            return Optional.of("nvidia-imex restarted");
        }
        return driver.equals(then.driver) ? Optional.empty() : Optional.of("another driver");
    }
}
