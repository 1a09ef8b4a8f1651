package io.imexagent.rdma.inventory;

import io.imexagent.core.claim.Quoted;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The name of an RDMA device, {@code mlx5_0}: at most 63 characters ({@code IB_DEVICE_NAME_MAX}), and none that has a
 * meaning in NCCL_IB_HCA. Ordered as people count.
 */
public record RdmaDeviceName(String text) implements Comparable<RdmaDeviceName> {

    private static final Pattern GRAMMAR = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}");

    public RdmaDeviceName {
        if (!GRAMMAR.matcher(text).matches()) {
            throw new IllegalArgumentException("no name of an RDMA device: " + Quoted.of(text));
        }
    }

    /** The name in this text, or empty. */
    public static Optional<RdmaDeviceName> parse(String text) {
        return GRAMMAR.matcher(text).matches() ? Optional.of(new RdmaDeviceName(text)) : Optional.empty();
    }

    @Override
    public int compareTo(RdmaDeviceName other) {
        return NaturalOrder.OF_NAMES.compare(text, other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
