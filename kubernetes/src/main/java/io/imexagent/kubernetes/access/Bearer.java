package io.imexagent.kubernetes.access;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
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

    /** No token. */
    final class None implements Bearer {

        @Override
        public Optional<String> token() {
            return Optional.empty();
        }

        @Override
        public boolean refused(Optional<String> refused) {
            return false;
        }
    }

    /** A token that does not change. */
    final class Fixed implements Bearer {

        private final String token;

        Fixed(String where, String token) throws AccessException {
            this.token = Token.checked(where, token);
        }

        @Override
        public Optional<String> token() {
            return Optional.of(token);
        }

        @Override
        public boolean refused(Optional<String> refused) {
            return false;
        }
    }

    /** A token in a file that rotates: read anew when a minute has passed, and after a refusal. */
    final class Rotating implements Bearer {

        private static final Logger LOG = LoggerFactory.getLogger(Rotating.class);
        private static final Duration FRESH = Duration.ofMinutes(1);

        private final Path file;
        private final InstantSource clock;
        private volatile @Nullable Read last;

        Rotating(Path file, InstantSource clock) {
            this.file = file;
            this.clock = clock;
        }

        @Override
        public Optional<String> token() throws AccessException {
            Read known = last;
            return Optional.of(known != null && isFresh(known) ? known.token : read().token);
        }

        /** A clock that was set back must not keep a token for as long as it was set back. */
        private boolean isFresh(Read known) {
            return Duration.between(known.at, clock.instant()).abs().compareTo(FRESH) < 0;
        }

        @Override
        public boolean refused(Optional<String> refused) throws AccessException {
            return !Optional.of(read().token).equals(refused);
        }

        private Read read() throws AccessException {
            Read known = last;
            try {
                var read = new Read(
                        Token.checked(file.toString(), Files.readString(file, StandardCharsets.UTF_8)),
                        clock.instant());
                last = read;
                return read;
            } catch (IOException | AccessException e) {
                if (known == null) {
                    throw e instanceof AccessException fault
                            ? fault
                            : new AccessException("cannot read token file " + file + ": " + e, e);
                }
                LOG.warn(
                        "token file cannot be read, the last token stays in use file={} error=\"{}\"",
                        file,
                        e.toString());
                var kept = new Read(known.token, clock.instant());
                last = kept;
                return kept;
            }
        }

        private static final class Read {
            private final String token;
            private final Instant at;

            Read(String token, Instant at) {
                this.token = token;
                this.at = at;
            }
        }
    }

    /** The grammar of tokens. */
    final class Token {

        /** What fits into an HTTP header (RFC 6750 is narrower). */
        private static final Pattern VISIBLE = Pattern.compile("[\\x21-\\x7e]+");

        private Token() {}

        /** The token without white space around it. A client would quote a bad one in its exception. */
        static String checked(String where, String token) throws AccessException {
            String trimmed = token.strip();
            if (!VISIBLE.matcher(trimmed).matches()) {
                throw new AccessException(where + " holds no token: it is empty, or has characters that no token has");
            }
            return trimmed;
        }
    }
}
