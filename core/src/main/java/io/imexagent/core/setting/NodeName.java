package io.imexagent.core.setting;

import java.util.function.Predicate;

/** Whether a text is the name of a Node: a DNS subdomain, RFC 1123, as the API server demands it. */
public final class NodeName implements Predicate<String> {

    /** What such a text is. */
    public static final String NOUN =
            "a node name: lower-case letters, digits, hyphens and dots, at most 253, such as node-1.example.com";

    private static final int LONGEST = 253;

    @Override
    public boolean test(String text) {
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
}
