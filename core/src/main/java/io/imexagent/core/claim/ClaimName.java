package io.imexagent.core.claim;

import java.util.Optional;
import java.util.regex.Pattern;

/** Namespace (a DNS-1123 label) and name (a DNS-1123 subdomain) of a ResourceClaim. */
public record ClaimName(String namespace, String name) {

    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    /** Takes names that Kubernetes would take, and throws {@link IllegalArgumentException} for all others. */
    public ClaimName {
        if (!valid(namespace, name)) {
            throw new IllegalArgumentException("claim " + Quoted.of(namespace) + "/" + Quoted.of(name)
                    + ": namespace and name must be lower-case DNS names");
        }
    }

    /** The name of a claim, or empty where Kubernetes could not have given these names. */
    public static Optional<ClaimName> parse(String namespace, String name) {
        return valid(namespace, name) ? Optional.of(new ClaimName(namespace, name)) : Optional.empty();
    }

    private static boolean valid(String namespace, String name) {
        return LABEL.matcher(namespace).matches()
                && name.length() <= 253
                && SUBDOMAIN.matcher(name).matches();
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
