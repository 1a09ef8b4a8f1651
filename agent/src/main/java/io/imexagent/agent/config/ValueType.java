package io.imexagent.agent.config;

import io.imexagent.rdma.watch.NameList;
import java.net.InetAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * What a configuration value can be. Its text has one grammar, wherever it stands: file, environment or command line.
 *
 * @param <T> the value's Java type
 */
sealed interface ValueType<T> {

    /** The value in the text, or empty where the text is none. */
    Optional<T> parse(String text);

    /** The value as text, in the form that {@link #parse} takes. */
    default String print(T value) {
        return value.toString();
    }

    /** What the text must be, as a noun phrase with its range, its unit and an example. */
    String expected();

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
            return choices().contains(text) ? Optional.of(text.equals("true")) : Optional.empty();
        }

        @Override
        public String expected() {
            return "true or false";
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
        public String expected() {
            return noun + " from " + least + " to " + most;
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
        public String expected() {
            return "an absolute path, such as " + example;
        }
    }

    /**
     * One of a few words.
     *
     * @param values all values; asked only when one is needed
     * @param text a value's word
     */
    record Choice<T>(Supplier<List<T>> values, Function<T, String> text) implements ValueType<T> {

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
            return "one of " + String.join(", ", choices());
        }

        @Override
        public List<String> choices() {
            return values.get().stream().map(text).toList();
        }
    }

    /**
     * Several names with a separator between them.
     *
     * @param nouns what they are
     * @param example an example
     * @param valid whether a text is such a name
     * @param between the separator
     */
    record Listing(String nouns, String example, Predicate<String> valid, Between between)
            implements ValueType<NameList> {

        /** Several names, separated by commas. */
        Listing(String nouns, String example, Predicate<String> valid) {
            this(nouns, example, valid, Between.COMMAS);
        }

        /** What may stand between names. */
        enum Between {
            /** The usual. */
            COMMAS(","),
            /** For names that may hold commas. */
            SEMICOLONS(";");

            private final String sign;

            Between(String sign) {
                this.sign = sign;
            }
        }

        @Override
        public Optional<NameList> parse(String text) {
            List<String> names = Arrays.stream(text.split(between.sign, -1))
                    .map(String::strip)
                    .distinct()
                    .toList();
            return names.stream().allMatch(name -> !name.isEmpty() && valid.test(name))
                    ? Optional.of(new NameList(names))
                    : Optional.empty();
        }

        @Override
        public Optional<String> separator() {
            return Optional.of(between.sign);
        }

        @Override
        public String print(NameList value) {
            return String.join(between.sign, value.names());
        }

        @Override
        public String expected() {
            return nouns + ", separated by " + between.name().toLowerCase(Locale.ROOT) + ", such as " + example;
        }
    }

    /**
     * A text with rules.
     *
     * @param expected what it must be
     * @param valid whether a text is that
     */
    record Text(String expected, Predicate<String> valid) implements ValueType<String> {

        private static final int LONGEST_EXPRESSION = 256;
        private static final int LONGEST_NODE_NAME = 253;

        /** A text that matches a regular expression as a whole. */
        static Text matching(String expected, String grammar) {
            return new Text(expected, text -> text.matches(grammar));
        }

        /** A regular expression of Java, found anywhere in a name unless it is anchored; empty matches nothing. */
        static Text regularExpression() {
            return new Text(
                    "a regular expression of at most 256 characters, such as ^eth[0-9]+$, or empty for none",
                    Text::isExpression);
        }

        /** The name of a namespace: a DNS label, RFC 1123. */
        static Text namespaceName() {
            return matching(
                    "the name of a namespace, at most 63 characters of a-z, 0-9 and -",
                    "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
        }

        /** The name of a Node: a DNS subdomain, RFC 1123, as the API server demands it. */
        static Text nodeName() {
            return new Text(
                    "a node name: lower-case letters, digits, hyphens and dots, at most 253, such as node-1.example.com",
                    Text::isSubdomain);
        }

        /** An address to listen on. Names other than {@code localhost} would need a look-up and could mean several. */
        static Text address() {
            return new Text(
                    "an IPv4 or IPv6 address or localhost, such as 0.0.0.0 or ::",
                    text -> text.equals("localhost") || isAddress(text));
        }

        @Override
        public Optional<String> parse(String text) {
            return Optional.of(text).filter(valid);
        }

        /** Whether the text is an IPv4 or IPv6 address. */
        static boolean isAddress(String text) {
            try {
                return !text.isEmpty() && InetAddress.ofLiteral(text) != null;
            } catch (IllegalArgumentException noAddress) {
                return false;
            }
        }

        private static boolean isExpression(String text) {
            try {
                Pattern.compile(text);
                return text.length() <= LONGEST_EXPRESSION;
            } catch (PatternSyntaxException broken) {
                return false;
            }
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
            return insideLabel && previous != '-' && text.length() <= LONGEST_NODE_NAME;
        }
    }
}
