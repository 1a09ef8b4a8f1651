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
 * What the value of a {@link Setting} can be, beside what its component's type says: a {@code boolean}, an {@code int}, a
 * {@code Duration}, an absolute {@code Path}, a {@code String}, an enum, a {@code List} of texts; or an {@code Optional}
 * or {@code OptionalInt} of these, for what may stay unset. All texts are in the grammar that users write.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Value {

    /** The key's name, where the component cannot have it; with its section, where that has no record. */
    String name() default "";

    /** What holds where nothing is set; empty where {@link #unset} says what that means. */
    String preset() default "";

    /** What it means that nothing is set, as a clause. A list is empty then. */
    String unset() default "";

    /** What the value could be, where the default does not show it; of a list some entries. */
    String[] example() default {};

    /** What the value is, as a noun phrase: of a number what it counts, of a list what its entries are. */
    String noun() default "";

    /** The least and the most of a number or a duration, {@code 1s..1h}. */
    String range() default "";

    /** Whether fractions of a second have no meaning in a duration. */
    boolean wholeSeconds() default false;

    /** The regular expression that a text, or each entry of a list, matches as a whole. */
    String matches() default "";

    /** What else tells whether a text, or an entry of a list, is one; made by its constructor without parameters. */
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

        /** What such a text is. It is found anywhere in a name unless it is anchored. */
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
