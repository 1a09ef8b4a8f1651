package io.imexagent.rdma.inventory;

import io.imexagent.core.claim.Quoted;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The name of an RDMA device, {@code mlx5_0}, without characters that have a meaning in NCCL_IB_HCA. Numbers in names
 * are ordered by value.
 */
public record RdmaDeviceName(String text) implements Comparable<RdmaDeviceName> {

    private static final Pattern GRAMMAR = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}");
    private static final Pattern NUMBER = Pattern.compile("[0-9]+");
    /** The longest name. Numbers in names are padded with zeros to this length and then compared as texts. */
    private static final int LONGEST = 64;

    /** Orders names with digits compared as numbers: {@code mlx5_2} comes before {@code mlx5_10}. */
    public static final Comparator<String> AS_PEOPLE_COUNT =
            Comparator.comparing(RdmaDeviceName::padded).thenComparing(Comparator.naturalOrder());

    public RdmaDeviceName {
        if (!GRAMMAR.matcher(text).matches()) {
            throw new IllegalArgumentException("no name of an RDMA device: " + Quoted.of(text));
        }
    }

    public static Optional<RdmaDeviceName> parse(String text) {
        return GRAMMAR.matcher(text).matches() ? Optional.of(new RdmaDeviceName(text)) : Optional.empty();
    }

    @Override
    public int compareTo(RdmaDeviceName other) {
        return AS_PEOPLE_COUNT.compare(text, other.text);
    }

    private static String padded(String name) {
        return NUMBER.matcher(name)
                .replaceAll(number ->
                        "0".repeat(Math.max(0, LONGEST - number.group().length())) + number.group());
    }

    @Override
    public String toString() {
        return text;
    }
}
