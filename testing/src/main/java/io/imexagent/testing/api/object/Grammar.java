package io.imexagent.testing.api.object;

import java.util.regex.Pattern;

/** The grammars of names, labels and versions (RFC 1123, the API conventions, semver.org). */
final class Grammar {
    private static final Pattern DNS_LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern DNS_SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final Pattern QUALIFIED_NAME = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");
    private static final Pattern LABEL_VALUE = Pattern.compile("([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?");
    private static final Pattern C_IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,31}");

    private Grammar() {}

    static boolean dnsLabel(String text) {
        return DNS_LABEL.matcher(text).matches();
    }

    static boolean dnsSubdomain(String text) {
        return text.length() <= 253 && DNS_SUBDOMAIN.matcher(text).matches();
    }

    /** A label key or finalizer: a name, with or without a DNS prefix before a slash. */
    static boolean qualifiedName(String text) {
        int slash = text.indexOf('/');
        return slash < 0
                ? QUALIFIED_NAME.matcher(text).matches()
                : dnsSubdomain(text.substring(0, slash))
                        && QUALIFIED_NAME.matcher(text.substring(slash + 1)).matches();
    }

    static boolean labelValue(String text) {
        return LABEL_VALUE.matcher(text).matches();
    }

    /** A device attribute's name: a C identifier, with or without a domain before a slash. */
    static boolean attributeName(String text) {
        int slash = text.indexOf('/');
        return C_IDENTIFIER.matcher(text.substring(slash + 1)).matches()
                && (slash < 0 || (slash <= 63 && dnsSubdomain(text.substring(0, slash))));
    }
}
