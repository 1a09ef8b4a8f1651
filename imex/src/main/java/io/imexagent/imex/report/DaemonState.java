package io.imexagent.imex.report;

import java.util.Arrays;

/**
 * The state of one nvidia-imex daemon, as {@code nvidia-imex-ctl} prints it. Words are compared as a whole: {@code
 * NOT_READY} is not {@code READY}.
 */
public sealed interface DaemonState {

    /** The word as it was printed. */
    String word();

    /** The states of NVIDIA's IMEX guide. */
    enum Known implements DaemonState {
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
        /** Nobody reached it. */
        UNAVAILABLE;

        @Override
        public String word() {
            return name();
        }
    }

    /** A state that has no name here; it counts as not ready. The word is cut to what fits a line. */
    record Unlisted(String word) implements DaemonState {

        /** Cuts the word. */
        public Unlisted {
            word = Printable.word(word);
        }
    }

    /** The state of a word. */
    static DaemonState of(String word) {
        return Arrays.stream(Known.values())
                .<DaemonState>map(known -> known)
                .filter(known -> known.word().equals(word))
                .findFirst()
                .orElseGet(() -> new Unlisted(word));
    }

    /** The state that {@code nvidia-imex-ctl -q} printed, one word on its last line. */
    static DaemonState printed(String output) throws MalformedReport {
        String word = output.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .reduce((earlier, later) -> later)
                .orElseThrow(() -> new MalformedReport("it is empty"));
        if (!word.chars().allMatch(c -> (c >= 'A' && c <= 'Z') || c == '_')) {
            throw new MalformedReport("\"" + Printable.line(word) + "\" is no state of a daemon");
        }
        return of(word);
    }
}
