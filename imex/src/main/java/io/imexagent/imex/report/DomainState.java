package io.imexagent.imex.report;

import java.util.Arrays;

/** The state of a whole IMEX domain, as {@code nvidia-imex-ctl -N} prints it. */
public sealed interface DomainState {

    /** The word as it was printed. */
    String word();

    /** The states of NVIDIA's IMEX guide. */
    enum Known implements DomainState {
        /** All configured nodes are there. */
        UP,
        /** Some configured node is missing. */
        DEGRADED,
        /** It does not work. */
        DOWN;

        @Override
        public String word() {
            return name();
        }
    }

    /** A state that has no name here. The word is cut to what fits a line. */
    record Unlisted(String word) implements DomainState {

        /** Cuts the word. */
        public Unlisted {
            word = Printable.word(word);
        }
    }

    /** The state of a word. */
    static DomainState of(String word) {
        return Arrays.stream(Known.values())
                .<DomainState>map(known -> known)
                .filter(known -> known.word().equals(word))
                .findFirst()
                .orElseGet(() -> new Unlisted(word));
    }
}
