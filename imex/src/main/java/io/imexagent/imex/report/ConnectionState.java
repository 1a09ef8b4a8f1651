package io.imexagent.imex.report;

import java.util.Arrays;
import java.util.List;

/**
 * The state of the connection from one node to another. The text form of {@code nvidia-imex-ctl} has letters with a
 * legend, the JSON form has words.
 */
public sealed interface ConnectionState {

    /** How the table form prints it. */
    String letter();

    /** Whether the connection works. Only one state says so; a word without a name here does not. */
    default boolean connected() {
        return this == Known.CONNECTED;
    }

    /** The states of the legend. */
    enum Known implements ConnectionState {
        /** Ready for operation. */
        CONNECTED("C"),
        /** Never connected. */
        NEVER_CONNECTED("N"),
        /** The node was not reached, so nobody can tell. */
        INVALID("I"),
        /** The connection was lost, and what hung on it is not cleaned up yet. */
        RECOVERING("R"),
        /** The connection was lost, and what hung on it is cleaned up. */
        DISCONNECTED("D"),
        /** Both ends prove who they are. */
        AUTHENTICATING("A"),
        /** The ends are of different versions and do not talk. */
        VERSION_MISMATCH("!V!"),
        /** The ends have different lists of nodes and do not talk. */
        NODE_MAP_MISMATCH("!M!", "NODEMAP_MISMATCH"),
        /** The ends do not trust each other and do not talk. */
        AUTHENTICATION_ERROR("!A!", "AUTH_ERROR", "AUTHENTICATION_FAILED"),
        /** Not connected yet, and keeping the service in WAITING_FOR_RECOVERY. */
        BLOCKING_RECOVERY("!R!", "BLOCKING", "RECOVERY_BLOCKED");

        private final String letter;

        @SuppressWarnings("ImmutableEnumChecker") // the list is a copy that nobody can change
        private final List<String> otherWords;

        Known(String letter, String... otherWords) {
            this.letter = letter;
            this.otherWords = List.of(otherWords);
        }

        @Override
        public String letter() {
            return letter;
        }

        private boolean isWord(String word) {
            return name().equals(word) || otherWords.contains(word);
        }
    }

    /**
     * A state that has no name here; it counts as not connected.
     *
     * @param letter what was printed, cut to what fits a line
     */
    record Unlisted(String letter) implements ConnectionState {

        /** Cuts the word. */
        public Unlisted {
            letter = Printable.word(letter);
        }
    }

    /** The state of a letter of the table. */
    static ConnectionState ofLetter(String letter) {
        return Arrays.stream(Known.values())
                .<ConnectionState>map(known -> known)
                .filter(known -> known.letter().equals(letter))
                .findFirst()
                .orElseGet(() -> new Unlisted(letter));
    }

    /** The state of a word of the JSON form. */
    static ConnectionState ofWord(String word) {
        return Arrays.stream(Known.values())
                .filter(known -> known.isWord(word))
                .<ConnectionState>map(known -> known)
                .findFirst()
                .orElseGet(() -> new Unlisted(word));
    }
}
