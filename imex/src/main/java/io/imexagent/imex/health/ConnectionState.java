package io.imexagent.imex.health;

import java.util.List;

/** The state of a connection between nodes: a letter in the table of {@code nvidia-imex-ctl}, a word in its JSON. */
public enum ConnectionState {
    CONNECTED("C"),
    NEVER_CONNECTED("N"),
    /** The node was not reached, so the state is unknown. */
    INVALID("I"),
    /** The connection was lost, and the resources of the connection are not cleaned up yet. */
    RECOVERING("R"),
    /** The connection was lost, and the resources of the connection are cleaned up. */
    DISCONNECTED("D"),
    /** Both ends authenticate each other. */
    AUTHENTICATING("A"),
    VERSION_MISMATCH("!V!"),
    NODE_MAP_MISMATCH("!M!", "NODEMAP_MISMATCH"),
    AUTHENTICATION_ERROR("!A!", "AUTH_ERROR", "AUTHENTICATION_FAILED"),
    /** Not connected yet, and keeping the service in WAITING_FOR_RECOVERY. */
    BLOCKING_RECOVERY("!R!", "BLOCKING", "RECOVERY_BLOCKED");

    private final String letter;

    @SuppressWarnings("ImmutableEnumChecker") // the list is immutable
    private final List<String> otherWords;

    ConnectionState(String letter, String... otherWords) {
        this.letter = letter;
        this.otherWords = List.of(otherWords);
    }

    /** The letter for a state in the table form. */
    public static String letter(PrintedState<ConnectionState> state) {
        return state.state().map(known -> known.letter).orElse(state.word());
    }

    static PrintedState<ConnectionState> ofLetter(String letter) {
        return PrintedState.of(letter, values(), state -> state.letter.equals(letter));
    }

    static PrintedState<ConnectionState> ofWord(String word) {
        return PrintedState.of(word, values(), state -> state.name().equals(word) || state.otherWords.contains(word));
    }
}
