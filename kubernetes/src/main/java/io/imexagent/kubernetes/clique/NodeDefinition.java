package io.imexagent.kubernetes.clique;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * The definitions of NVLinkNodes that a cluster may have, the newest first. Older ones have fewer fields of the status.
 */
public enum NodeDefinition {
    CURRENT("", ""),
    /** The server drops {@code status.agent}. */
    WITHOUT_AGENT("status.agent", "the version of this node's agent, its findings and the Xids of its GPUs"),
    /** The server drops {@code status.nodesFile} as well. */
    WITHOUT_NODES_FILE("status.nodesFile", "whether this node's file of nodes is that of its clique"),
    /** The server drops {@code status.imexStart} as well. */
    WITHOUT_IMEX_START("status.imexStart", "whether nvidia-imex of this node has been restarted since the fabric test"),
    /** The server drops {@code status.mode} as well. */
    WITHOUT_MODE("status.mode", "whether this node's mode and isolation are its own");

    private final String dropped;
    private final String unknown;

    NodeDefinition(String dropped, String unknown) {
        this.dropped = dropped;
        this.unknown = unknown;
    }

    /**
     * The facts that a controller cannot know because of dropped fields, as part of a sentence; empty if nothing is
     * dropped.
     */
    public String unknown() {
        return unknown;
    }

    /** The oldest field that the server drops, as part of a sentence; empty if it drops none. */
    public String dropped() {
        return dropped;
    }

    /** Returns the status without the fields that the server drops. */
    public NodeStatus fitting(NodeStatus status) {
        return switch (this) {
            case CURRENT -> status;
            case WITHOUT_AGENT -> status.reporting(Optional.empty());
            case WITHOUT_NODES_FILE -> WITHOUT_AGENT.fitting(status).with(Optional.empty());
            case WITHOUT_IMEX_START -> WITHOUT_NODES_FILE.fitting(status).since(OptionalLong.empty());
            case WITHOUT_MODE -> WITHOUT_IMEX_START.fitting(status).in(Optional.empty());
        };
    }

    /**
     * Determines the server's definition from the content that was sent and the content that it kept; empty if no
     * definition fits.
     */
    public static Optional<NodeDefinition> of(NvlinkNode sent, NvlinkNode kept) {
        for (NodeDefinition definition : values()) {
            if (kept.equals(sent.fitting(definition))) {
                return Optional.of(definition);
            }
        }
        return Optional.empty();
    }
}
