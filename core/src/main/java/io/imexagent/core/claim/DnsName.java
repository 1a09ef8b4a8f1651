package io.imexagent.core.claim;

import java.util.regex.Pattern;

/** The names that the API server takes for objects, RFC 1123: most are DNS subdomains, those of namespaces DNS labels. */
public final class DnsName {

    /** The regular expression that matches a whole label. */
    public static final String LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";

    private static final int LONGEST = 253;
    private static final Pattern LABELS = Pattern.compile(LABEL);
    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private DnsName() {}

    /** Whether this is a valid name of a namespace. */
    public static boolean isLabel(String text) {
        return LABELS.matcher(text).matches();
    }

    /** Whether this is a valid name for most objects, Nodes included. */
    public static boolean isSubdomain(String text) {
        return text.length() <= LONGEST && SUBDOMAIN.matcher(text).matches();
    }
}
