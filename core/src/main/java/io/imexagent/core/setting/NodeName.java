package io.imexagent.core.setting;

import java.util.function.Predicate;
import java.util.regex.Pattern;

/** Whether a text is the name of a Node: a DNS subdomain, RFC 1123, as the API server demands it. */
public final class NodeName implements Predicate<String> {

    /** What such a text is. */
    public static final String NOUN =
            "a node name: lower-case letters, digits, hyphens and dots, at most 253, such as node-1.example.com";

    private static final int LONGEST = 253;

    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    @Override
    public boolean test(String text) {
        return text.length() <= LONGEST && SUBDOMAIN.matcher(text).matches();
    }
}
