package io.imexagent.cdi;

/** The kind of the devices in a spec, {@code vendor/class}: {@code k8s.compute-domain.nvidia.com/claim}. */
public record CdiKind(String vendor, String className) {

    /** Accepts names that match the grammar, and throws {@link IllegalArgumentException} for all others. */
    public CdiKind {
        CdiGrammar.kindFault(vendor, className).ifPresent(fault -> {
            throw new IllegalArgumentException(fault);
        });
    }

    /** The kind of a text {@code vendor/class}; throws as the constructor does. */
    public static CdiKind of(String text) {
        String[] parts = text.split("/", 2);
        return new CdiKind(parts[0], parts[1]);
    }

    @Override
    public String toString() {
        return vendor + "/" + className;
    }
}
