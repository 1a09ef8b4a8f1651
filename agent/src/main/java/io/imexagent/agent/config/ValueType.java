package io.imexagent.agent.config;

import java.net.InetAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * What a configuration value can be. Its text has one grammar, wherever it stands: file, environment or command line.
 *
 * @param <T> the value's Java type
 */
sealed interface ValueType<T>
        permits Listing,
                Matching,
                RegularExpression,
                ValueType.Switch,
                ValueType.WholeNumber,
                ValueType.Span,
                ValueType.AbsolutePath,
                ValueType.Choice,
                ValueType.NodeName,
                ValueType.Address,
                ValueType.NamespaceName {

    /** The value in the text, or empty where the text is none. */
    Optional<T> parse(String text);

    /** The value as text, in the form that {@link #parse} takes. */
    String print(T value);

    /** What the text must be, as a noun phrase with its range, its unit and an example. */
    String expected();

    /** The value's Java type. */
    Class<T> javaType();

    /** The texts to choose from; empty where there are too many to list. */
    default List<String> choices() {
        return List.of();
    }

    /** What separates the entries of a value that has several; a file may have a list in its place. */
    default Optional<String> separator() {
        return Optional.empty();
    }

    /** On or off. Only these two words, so that a quoted {@code "false"} is false and {@code yes} is a fault. */
    record Switch() implements ValueType<Boolean> {

        @Override
        public Optional<Boolean> parse(String text) {
            return switch (text) {
                case "true" -> Optional.of(true);
                case "false" -> Optional.of(false);
                default -> Optional.empty();
            };
        }

        @Override
        public String print(Boolean value) {
            return value.toString();
        }

        @Override
        public String expected() {
            return "true or false";
        }

        @Override
        public Class<Boolean> javaType() {
            return Boolean.class;
        }

        @Override
        public List<String> choices() {
            return List.of("true", "false");
        }
    }

    /**
     * A whole number in plain decimal.
     *
     * @param noun what it counts, with its article
     * @param least the smallest
     * @param most the largest
     */
    record WholeNumber(String noun, int least, int most) implements ValueType<Integer> {

        private static final int MOST_DIGITS = 10;

        @Override
        public Optional<Integer> parse(String text) {
            boolean canonical = !text.isEmpty()
                    && text.length() <= MOST_DIGITS
                    && text.chars().allMatch(c -> c >= '0' && c <= '9')
                    && (text.length() == 1 || text.charAt(0) != '0');
            if (!canonical) {
                return Optional.empty();
            }
            long number = Long.parseLong(text);
            return number < least || number > most ? Optional.empty() : Optional.of((int) number);
        }

        @Override
        public String print(Integer value) {
            return value.toString();
        }

        @Override
        public String expected() {
            return noun + " from " + least + " to " + most;
        }

        @Override
        public Class<Integer> javaType() {
            return Integer.class;
        }
    }

    /**
     * A duration.
     *
     * @param least the shortest
     * @param most the longest
     * @param wholeSeconds whether fractions of a second have no meaning
     */
    record Span(Duration least, Duration most, boolean wholeSeconds) implements ValueType<Duration> {

        @Override
        public Optional<Duration> parse(String text) {
            return DurationText.parse(text)
                    .filter(span -> span.compareTo(least) >= 0
                            && span.compareTo(most) <= 0
                            && (!wholeSeconds || span.toMillisPart() == 0));
        }

        @Override
        public String print(Duration value) {
            return DurationText.print(value);
        }

        @Override
        public String expected() {
            return "a duration " + (wholeSeconds ? "in whole seconds " : "") + "from " + DurationText.print(least)
                    + " to " + DurationText.print(most) + ", such as 5s";
        }

        @Override
        public Class<Duration> javaType() {
            return Duration.class;
        }
    }

    /**
     * An absolute path.
     *
     * @param example one
     */
    record AbsolutePath(String example) implements ValueType<Path> {

        @Override
        public Optional<Path> parse(String text) {
            try {
                return text.startsWith("/") ? Optional.of(Path.of(text)) : Optional.empty();
            } catch (InvalidPathException noPath) {
                return Optional.empty();
            }
        }

        @Override
        public String print(Path value) {
            return value.toString();
        }

        @Override
        public String expected() {
            return "an absolute path, such as " + example;
        }

        @Override
        public Class<Path> javaType() {
            return Path.class;
        }
    }

    /**
     * One of a few words.
     *
     * @param javaType the Java type
     * @param values all values; asked only when one is needed
     * @param text a value's word
     */
    record Choice<T>(Class<T> javaType, Supplier<List<T>> values, Function<T, String> text) implements ValueType<T> {

        @Override
        public Optional<T> parse(String word) {
            return values.get().stream()
                    .filter(value -> text.apply(value).equals(word))
                    .findFirst();
        }

        @Override
        public String print(T value) {
            return text.apply(value);
        }

        @Override
        public String expected() {
            return "one of " + choices().stream().collect(Collectors.joining(", "));
        }

        @Override
        public List<String> choices() {
            return values.get().stream().map(text).toList();
        }
    }

    /** The name of a namespace: a DNS label, RFC 1123. */
    record NamespaceName() implements ValueType<String> {

        @Override
        public Optional<String> parse(String text) {
            return text.matches("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?") ? Optional.of(text) : Optional.empty();
        }

        @Override
        public String print(String value) {
            return value;
        }

        @Override
        public String expected() {
            return "the name of a namespace, at most 63 characters of a-z, 0-9 and -";
        }

        @Override
        public Class<String> javaType() {
            return String.class;
        }
    }

    /** The name of a Node: a DNS subdomain, RFC 1123, as the API server demands it. */
    record NodeName() implements ValueType<String> {

        private static final int LONGEST = 253;

        @Override
        public Optional<String> parse(String text) {
            return isSubdomain(text) ? Optional.of(text) : Optional.empty();
        }

        private static boolean isSubdomain(String text) {
            boolean insideLabel = false;
            char previous = '.';
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                boolean alphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
                if (!alphanumeric && !(insideLabel && (c == '-' || (c == '.' && previous != '-')))) {
                    return false;
                }
                insideLabel = c != '.';
                previous = c;
            }
            return insideLabel && previous != '-' && text.length() <= LONGEST;
        }

        @Override
        public String print(String value) {
            return value;
        }

        @Override
        public String expected() {
            return "a node name: lower-case letters, digits, hyphens and dots, at most 253, such as node-1.example.com";
        }

        @Override
        public Class<String> javaType() {
            return String.class;
        }
    }

    /** An address to listen on. Names other than {@code localhost} would need a look-up and could mean several. */
    record Address() implements ValueType<String> {

        @Override
        public Optional<String> parse(String text) {
            return text.equals("localhost") || isLiteral(text) ? Optional.of(text) : Optional.empty();
        }

        private static boolean isLiteral(String text) {
            try {
                return !text.isEmpty() && InetAddress.ofLiteral(text) != null;
            } catch (IllegalArgumentException noAddress) {
                return false;
            }
        }

        @Override
        public String print(String value) {
            return value;
        }

        @Override
        public String expected() {
            return "an IPv4 or IPv6 address or localhost, such as 0.0.0.0 or ::";
        }

        @Override
        public Class<String> javaType() {
            return String.class;
        }
    }
}
