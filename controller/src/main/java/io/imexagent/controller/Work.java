package io.imexagent.controller;

import io.imexagent.core.inventory.CliqueId;

/** What a controller works on; each piece by one worker at a time. */
public sealed interface Work {

    /** A ComputeDomain, or what is left of one. */
    record Domain(String uid) implements Work {
        @Override
        public String toString() {
            return "ComputeDomain " + uid;
        }
    }

    /** The table of a clique. */
    record Clique(CliqueId id) implements Work {
        @Override
        public String toString() {
            return "NVLinkClique " + id;
        }
    }

    /** The object of a node that is being deleted, or whose Node is missing. */
    record Node(String name) implements Work {
        @Override
        public String toString() {
            return "NVLinkNode " + name;
        }
    }

    /** What is looked at every few minutes whatever happens: which Nodes are missing, and every clique. */
    record Round() implements Work {
        @Override
        public String toString() {
            return "missing Nodes";
        }
    }
}
