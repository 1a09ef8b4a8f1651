package io.imexagent.rdma.inventory;

import io.imexagent.core.claim.Quoted;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Vendor and device of a PCI function, {@code 15b3:1021}: four hexadecimal digits each, in lower case. */
public record PciId(String text) {

    private static final Pattern GRAMMAR = Pattern.compile("[0-9a-f]{4}:[0-9a-f]{4}");

    public PciId {
        if (!GRAMMAR.matcher(text).matches()) {
            throw new IllegalArgumentException("no PCI vendor:device: " + Quoted.of(text));
        }
    }

    /** The ID in this text in either case, or empty. */
    public static Optional<PciId> parse(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        return GRAMMAR.matcher(lower).matches() ? Optional.of(new PciId(lower)) : Optional.empty();
    }

    @Override
    public String toString() {
        return text;
    }
}
