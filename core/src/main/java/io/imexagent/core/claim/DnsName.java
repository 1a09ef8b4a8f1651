package io.imexagent.core.claim;

import java.util.regex.Pattern;

/** The names that the API server takes for objects, RFC 1123: most are DNS subdomains, those of namespaces DNS labels. */
public final class DnsName {

    /** What matches a label as a whole. */
    public static final String LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";

    private static final int LONGEST = 253;
    private static final Pattern LABELS = Pattern.compile(LABEL);
    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private DnsName() {}

    /** Whether a namespace can be called so. */
    public static boolean isLabel(String text) {
        return LABELS.matcher(text).matches();
    }

    /** Whether most objects, Nodes among them, can be called so. */
    public static boolean isSubdomain(String text) {
        return text.length() <= LONGEST && SUBDOMAIN.matcher(text).matches();
    }
}
