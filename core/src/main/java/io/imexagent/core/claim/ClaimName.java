package io.imexagent.core.claim;

import java.util.Optional;

/** Namespace (a DNS-1123 label) and name (a DNS-1123 subdomain) of a ResourceClaim. */
public record ClaimName(String namespace, String name) {

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
        return DnsName.isLabel(namespace) && DnsName.isSubdomain(name);
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
