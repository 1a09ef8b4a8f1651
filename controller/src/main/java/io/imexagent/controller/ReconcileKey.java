package io.imexagent.controller;

import io.imexagent.core.inventory.CliqueId;

/** What a controller works on; each piece by one worker at a time. */
public sealed interface ReconcileKey {

    /** A ComputeDomain, or what is left of one. */
    record DomainKey(String uid) implements ReconcileKey {}

    /** The table of a clique. */
    record CliqueKey(CliqueId id) implements ReconcileKey {}

    /** Which pods of a namespace are kept in one clique. */
    record PlacementKey(String namespace) implements ReconcileKey {}

    /** The object of a node that is being deleted, or whose Node is missing. */
    record NodeKey(String name) implements ReconcileKey {}

    /** What is looked at every few minutes whatever happens: which Nodes are missing, and every clique. */
    record ResyncKey() implements ReconcileKey {}

    /** What it is, for people. */
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
