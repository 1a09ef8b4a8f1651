package io.imexagent.kubernetes.access;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The bearer token of requests. None of these classes shows a token in its text form. */
public sealed interface Bearer {

    /** The token to send now; empty where requests carry none. */
    Optional<String> token() throws AccessException;

    /**
     * Told after a 401: the token may have been replaced.
     *
     * @param refused the token that the server refused
     * @return whether another one is at hand now
     */
    boolean refused(Optional<String> refused) throws AccessException;

    /** The token without white space around it, fit for an HTTP header. A client would quote a bad one in its exception. */
    private static String checked(String where, String token) throws AccessException {
        String trimmed = token.strip();
        // RFC 6750 is narrower.
        if (!trimmed.matches("[\\x21-\\x7e]+")) {
            throw new AccessException(where + " holds no token: it is empty, or has characters that no token has");
        }
        return trimmed;
    }

    /** A token that does not change, or none. */
    final class Fixed implements Bearer {

        private final Optional<String> token;

        /** No token. */
        Fixed() {
            this.token = Optional.empty();
        }

        Fixed(String where, String token) throws AccessException {
            this.token = Optional.of(checked(where, token));
        }

        @Override
        public Optional<String> token() {
            return token;
        }

        @Override
        public boolean refused(Optional<String> refused) {
            return false;
        }
    }

    /** A token in a file that rotates: read again when a minute has passed, and after a refusal. */
    final class Rotating implements Bearer {

        private static final Logger LOG = LoggerFactory.getLogger(Rotating.class);
        private static final Duration FRESH = Duration.ofMinutes(1);

        private final Path file;
        private final InstantSource clock;
        private Optional<String> last = Optional.empty();
        private Instant readAt = Instant.EPOCH;

        Rotating(Path file, InstantSource clock) {
            this.file = file;
            this.clock = clock;
        }

        @Override
        public synchronized Optional<String> token() throws AccessException {
            // A clock that was set back must not keep a token for as long as it was set back.
            boolean fresh = Duration.between(readAt, clock.instant()).abs().compareTo(FRESH) < 0;
            return fresh && last.isPresent() ? last : read();
        }

        @Override
        public synchronized boolean refused(Optional<String> refused) throws AccessException {
            return !read().equals(refused);
        }

        private Optional<String> read() throws AccessException {
            try {
                last = Optional.of(checked(file.toString(), Files.readString(file)));
            } catch (IOException | AccessException e) {
                if (last.isEmpty()) {
                    throw e instanceof AccessException fault
                            ? fault
                            : new AccessException("cannot read token file " + file + ": " + e, e);
                }
                LOG.warn(
                        "token file cannot be read, the last token stays in use file={} error=\"{}\"",
                        file,
                        e.toString());
            }
            readAt = clock.instant();
            return last;
        }
    }
}
