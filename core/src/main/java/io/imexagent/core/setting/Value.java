package io.imexagent.core.setting;

import io.imexagent.core.claim.DnsName;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.net.InetAddress;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The valid values of a {@link Setting}, in addition to its component's type: a {@code boolean}, an {@code int}, a
 * {@code Duration}, an absolute {@code Path}, a {@code String}, an enum, a {@code List} of texts; or an {@code
 * Optional} or {@code OptionalInt} of these, for what may stay unset. All texts are in the grammar that users write.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Value {

    /** The key's name if the component cannot have it; with its section if no record stands for the section. */
    String name() default "";

    /** The default; empty if there is none, and {@link #unset} says what applies. */
    String preset() default "";

    /** What applies if the key is not set and has no default, as a clause; a list is then empty. */
    String unset() default "";

    /** An example, if the default does not serve as one; for a list, some entries. */
    String[] example() default {};

    /** The value as a noun phrase: for a number, what it counts; for a list, its entries. */
    String noun() default "";

    /** The minimum and maximum of a number or a duration, {@code 1s..1h}. */
    String range() default "";

    /** Whether fractions of a second have no meaning in a duration. */
    boolean wholeSeconds() default false;

    /** The regular expression that a text, or each entry of a list, matches as a whole. */
    String matches() default "";

    /** A further test of a text, or of each entry of a list; created by its constructor without parameters. */
    Class<? extends Predicate<String>>[] form() default {};

    String separator() default ",";

    /** The flag of its own on the command line, with its hyphens. */
    String flag() default "";

    /** Whether a change takes effect on SIGHUP; otherwise it waits for a restart. */
    boolean reloadable() default false;

    /** Tells whether a text is an IPv4 or IPv6 address, without a look-up. */
    final class IpAddress implements Predicate<String> {

        @Override
        public boolean test(String text) {
            try {
                return !text.isEmpty() && InetAddress.ofLiteral(text) != null;
            } catch (IllegalArgumentException noAddress) {
                return false;
            }
        }
    }

    /** Whether a text is the name of a Node: a DNS subdomain, RFC 1123, as the API server demands it. */
    final class NodeName implements Predicate<String> {

        public static final String NOUN =
                "a node name: lower-case letters, digits, hyphens and dots, at most 253, such as node-1.example.com";

        @Override
        public boolean test(String text) {
            return DnsName.isSubdomain(text);
        }
    }

    final class RegularExpression implements Predicate<String> {

        /** The noun phrase of such a value. The expression may match any part of a name unless it is anchored. */
        public static final String NOUN =
                "a regular expression of at most 256 characters, such as ^eth[0-9]+$, or empty for none";

        private static final int LONGEST = 256;

        @Override
        public boolean test(String text) {
            try {
                Pattern.compile(text);
                return text.length() <= LONGEST;
            } catch (PatternSyntaxException broken) {
                return false;
            }
        }
    }
}
