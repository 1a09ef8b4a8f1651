package io.imexagent.kubernetes.http;

/** Who calls the API server: it decides what a refusal advises, since only an agent has a node's identity. */
enum Caller {
    AGENT("imex-agent"),
    /** A controller, or a command that reads what a controller does. */
    CONTROLLER("imex-controller"),
    /** Whoever runs the fabric test. */
    FABRIC_TEST("imex-fabric-test");

    private final String text;

    Caller(String text) {
        this.text = text;
    }

    /** Its name as a component, and that of the ClusterRole with its rules. */
    String text() {
        return text;
    }
}
