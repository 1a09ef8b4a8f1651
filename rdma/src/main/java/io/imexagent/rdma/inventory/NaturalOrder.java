package io.imexagent.rdma.inventory;

import java.util.Comparator;
import java.util.regex.Pattern;

/** The order of names in which runs of digits count as numbers: {@code mlx5_2} comes before {@code mlx5_10}. */
final class NaturalOrder {

    static final Comparator<String> OF_NAMES =
            Comparator.comparing(NaturalOrder::padded).thenComparing(Comparator.naturalOrder());

    private static final Pattern NUMBER = Pattern.compile("[0-9]+");
    /** No name is longer, and so no number in it: led by zeros up to this length, numbers compare as texts. */
    private static final int LONGEST = 64;

    private NaturalOrder() {}

    private static String padded(String name) {
        return NUMBER.matcher(name)
                .replaceAll(number ->
                        "0".repeat(Math.max(0, LONGEST - number.group().length())) + number.group());
    }
}
