package io.imexagent.kubernetes.http;

/**
 * The component that calls the API server. It determines the remedy in failures, since only an agent has a node's
 * identity.
 */
enum Caller {
    AGENT("imex-agent"),
    /** A controller, or a command with a controller's rights. */
    CONTROLLER("imex-controller"),
    /** A user who runs the fabric test. */
    FABRIC_TEST("imex-fabric-test");

    private final String text;

    Caller(String text) {
        this.text = text;
    }

    /** The name of the component, and of the ClusterRole with its rules. */
    String text() {
        return text;
    }
}
