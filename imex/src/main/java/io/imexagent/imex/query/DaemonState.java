package io.imexagent.imex.query;

/**
 * The states of one nvidia-imex daemon in NVIDIA's IMEX guide, as {@code nvidia-imex-ctl} prints them. Words are compared
 * as a whole: {@code NOT_READY} is not {@code READY}.
 */
public enum DaemonState {
    /** It has just started. */
    INITIALIZING,
    /** It brings up its authentication. */
    STARTING_AUTH_SERVER,
    /** It waits for the other nodes of its list. */
    WAITING_FOR_PEERS,
    /** It waits for nodes that still clean up after a loss. */
    WAITING_FOR_RECOVERY,
    /** It sets the GPUs up. */
    INIT_GPU,
    /** It works. */
    READY,
    /** It is stopping. */
    SHUTTING_DOWN,
    /** It was not reached. */
    UNAVAILABLE;

    /** The state that {@code nvidia-imex-ctl -q} printed, one word on its last line. */
    static Printed<DaemonState> printed(String output) throws MalformedReport {
        String word = Printable.lastLine(output).orElseThrow(() -> new MalformedReport("it is empty"));
        if (!word.chars().allMatch(c -> (c >= 'A' && c <= 'Z') || c == '_')) {
            throw new MalformedReport("\"" + Printable.line(word) + "\" is no state of a daemon");
        }
        return Printed.of(word, values());
    }
}
