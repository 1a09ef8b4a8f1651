package io.imexagent.controller;

import io.imexagent.core.inventory.CliqueId;

/** A piece of the controller's work. At most one worker handles a key at a time. */
public sealed interface ReconcileKey {

    /** A ComputeDomain, or the remains of a deleted one. */
    record DomainKey(String uid) implements ReconcileKey {}

    /** The table of a clique. */
    record CliqueKey(CliqueId id) implements ReconcileKey {}

    /** The CliquePlacement of a namespace. */
    record PlacementKey(String namespace) implements ReconcileKey {}

    /** The object of a node that is being deleted, or whose Node is missing. */
    record NodeKey(String name) implements ReconcileKey {}

    /** The check of all Nodes and all cliques every few minutes. */
    record ResyncKey() implements ReconcileKey {}

    /** The key for people. */
    default String text() {
        return switch (this) {
            case DomainKey(String uid) -> "ComputeDomain " + uid;
            case CliqueKey(CliqueId id) -> "NVLinkClique " + id;
            case PlacementKey(String namespace) -> "CliquePlacement of namespace " + namespace;
            case NodeKey(String name) -> "NVLinkNode " + name;
            case ResyncKey() -> "missing Nodes";
        };
    }
}
