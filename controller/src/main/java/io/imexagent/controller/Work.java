package io.imexagent.controller;

import io.imexagent.core.inventory.CliqueId;

/** What a controller works on; each piece by one worker at a time. */
public sealed interface Work {

    /** A ComputeDomain, or what is left of one. */
    record Domain(String uid) implements Work {}

    /** The table of a clique. */
    record Clique(CliqueId id) implements Work {}

    /** The object of a node that is being deleted, or whose Node is missing. */
    record Node(String name) implements Work {}

    /** What is looked at every few minutes whatever happens: which Nodes are missing, and every clique. */
    record Round() implements Work {}

    /** What it is, for people. */
    default String text() {
        return switch (this) {
            case Domain(String uid) -> "ComputeDomain " + uid;
            case Clique(CliqueId id) -> "NVLinkClique " + id;
            case Node(String name) -> "NVLinkNode " + name;
            case Round() -> "missing Nodes";
        };
    }
}
