package io.imexagent.host;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A program to run, with its limits. It reads nothing: its standard input is empty.
 *
 * @param words the program and its arguments; no shell is involved
 * @param deadline how long it may take; then it is killed with all that it started
 * @param environment variables that it gets
 * @param apart whether it gets no others, and a session of its own, which is killed as a whole; otherwise the variables
 *     come on top of those of this process
 * @param limit the bytes that it may write on either output; with more it is killed, unless their end is all that is kept
 * @param keepsEnd whether it may write what it likes, and the last part of it is kept
 * @param showsErrors whether its standard error is that of this process
 * @param grace where given, it is not killed but told to end (SIGTERM) when its time is over, has so much more, and is
 *     then left alone
 */
public record Program(
        List<String> words,
        Duration deadline,
        Map<String, String> environment,
        boolean apart,
        int limit,
        boolean keepsEnd,
        boolean showsErrors,
        Optional<Duration> grace) {

    private static final int USUAL_LIMIT = 128 * 1024;
    private static final Map<String, String> IN_ENGLISH = Map.of("LC_ALL", "C");

    /** rpm ends its transaction first, scriptlets that build kernel modules included. */
    private static final Duration GRACE = Duration.ofMinutes(5);

    public Program {
        words = List.copyOf(words);
        environment = Map.copyOf(environment);
    }

    /** A program that reads the state of the host, with messages in English; of a long output the end is kept. */
    public static Program asking(List<String> words, Duration deadline) {
        return new Program(words, deadline, IN_ENGLISH, false, USUAL_LIMIT, true, false, Optional.empty());
    }

    /**
     * A program that changes the host. It is never killed: a package manager killed in a transaction leaves half a
     * package behind.
     */
    public static Program changing(List<String> words, Duration deadline) {
        return new Program(words, deadline, IN_ENGLISH, false, USUAL_LIMIT, true, false, Optional.of(GRACE));
    }

    /** A program with neither the environment nor the session of this process. */
    public static Program apart(List<String> words, Duration deadline, Map<String, String> environment, int limit) {
        return new Program(words, deadline, environment, true, limit, false, false, Optional.empty());
    }

    /** A program that shows its errors to the user itself, so that the caller adds no message. */
    public static Program showingErrors(
            List<String> words, Duration deadline, Map<String, String> environment, int limit) {
        return new Program(words, deadline, environment, false, limit, false, true, Optional.empty());
    }
}
