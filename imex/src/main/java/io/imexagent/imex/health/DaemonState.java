package io.imexagent.imex.health;

/**
 * The states of one nvidia-imex daemon in NVIDIA's IMEX guide, as {@code nvidia-imex-ctl} prints them. A state is
 * compared as a whole word: {@code NOT_READY} is not {@code READY}.
 */
public enum DaemonState {
    INITIALIZING,
    STARTING_AUTH_SERVER,
    WAITING_FOR_PEERS,
    WAITING_FOR_RECOVERY,
    INIT_GPU,
    READY,
    SHUTTING_DOWN,
    UNAVAILABLE;

    /** The state that {@code nvidia-imex-ctl -q} printed, one word on its last line. */
    static PrintedState<DaemonState> printed(String output) throws MalformedReport {
        String word = PrintedState.lastLine(output).orElseThrow(() -> new MalformedReport("it is empty"));
        if (!word.chars().allMatch(c -> (c >= 'A' && c <= 'Z') || c == '_')) {
            String cause = ToolComplaint.of(output, "").cause().orElse("its usage");
            throw new MalformedReport("\"" + cause + "\" is no state of a daemon");
        }
        return PrintedState.of(word, values());
    }
}
