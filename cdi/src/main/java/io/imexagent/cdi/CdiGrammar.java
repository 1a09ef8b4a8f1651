package io.imexagent.cdi;

import io.imexagent.core.claim.Quoted;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The grammar of names in CDI specs (SPEC.md, {@code pkg/parser}). Each method returns the rule that a text breaks, as
 * a clause.
 */
final class CdiGrammar {

    private static final Pattern VENDOR_OR_CLASS = Pattern.compile("[A-Za-z]([A-Za-z0-9_.-]*[A-Za-z0-9])?");
    private static final Pattern DEVICE_NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9_.:-]*[A-Za-z0-9])?");

    private CdiGrammar() {}

    /** Checks a vendor, {@code k8s.compute-domain.nvidia.com}, and a device class, {@code claim}. */
    static Optional<String> kindFault(String vendor, String className) {
        String rule =
                "start with a letter and end with a letter or digit, with letters, digits, '_', '-' and '.' between";
        return fault(VENDOR_OR_CLASS, vendor, "vendor", rule)
                .or(() -> fault(VENDOR_OR_CLASS, className, "class", rule));
    }

    static Optional<String> deviceNameFault(String name) {
        return fault(
                DEVICE_NAME,
                name,
                "device name",
                "start and end with a letter or digit, with letters, digits," + " '_', '-', '.' and ':' between");
    }

    /** Checks an environment entry, {@code NAME=value}. */
    static Optional<String> envFault(String entry) {
        return entry.indexOf('=') > 0 && entry.indexOf('\0') < 0
                ? Optional.empty()
                : Optional.of("environment entry " + Quoted.of(entry) + " must be NAME=value");
    }

    static boolean startsWithLetter(String name) {
        char first = name.isEmpty() ? '0' : name.charAt(0);
        return (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z');
    }

    private static Optional<String> fault(Pattern grammar, String text, String what, String rule) {
        return grammar.matcher(text).matches()
                ? Optional.empty()
                : Optional.of(what + " " + Quoted.of(text) + " must " + rule);
    }
}
