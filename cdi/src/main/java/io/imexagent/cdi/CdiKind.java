package io.imexagent.cdi;

import java.util.Optional;

/** The kind of the devices in a spec, {@code vendor/class}: {@code k8s.compute-domain.nvidia.com/claim}. */
public record CdiKind(String vendor, String className) {

    /** Takes names that fit the grammar, and throws {@link IllegalArgumentException} for all others. */
    public CdiKind {
        CdiGrammar.kindFault(vendor, className).ifPresent(fault -> {
            throw new IllegalArgumentException(fault);
        });
    }

    /** The kind in a text, {@code vendor/class}, or empty where the text is none. */
    public static Optional<CdiKind> parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            return Optional.empty();
        }
        String vendor = text.substring(0, slash);
        String className = text.substring(slash + 1);
        return CdiGrammar.kindFault(vendor, className).isPresent()
                ? Optional.empty()
                : Optional.of(new CdiKind(vendor, className));
    }

    @Override
    public String toString() {
        return vendor + "/" + className;
    }
}
