package io.imexagent.agent.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the known word that a mistyped one most likely stands for. */
final class Nearest {

    private Nearest() {}

    /**
     * The nearest of the known words, by letters added, left out, replaced or swapped, in whatever case; empty where even
     * the nearest differs in more than about a third of its letters.
     */
    static Optional<String> among(Collection<String> known, String given) {
        return known.stream()
                .filter(word -> distance(word, given) <= tolerance(word))
                .min(Comparator.comparingInt(word -> distance(word, given)));
    }

    private static int tolerance(String word) {
        return word.length() <= 4 ? 1 : Math.max(2, word.length() / 3);
    }

    /** The number of edits between the words, a swap of neighbours counted as one (optimal string alignment). */
    static int distance(String one, String other) {
        String a = one.toLowerCase(Locale.ROOT);
        String b = other.toLowerCase(Locale.ROOT);
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                cost[i][j] = i == 0 || j == 0 ? i + j : cheapest(cost, a, b, i, j);
            }
        }
        return cost[a.length()][b.length()];
    }

    private static int cheapest(int[][] cost, String a, String b, int i, int j) {
        int replaced = cost[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int edited = Math.min(replaced, 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(edited, cost[i - 2][j - 2] + 1) : edited;
    }
}
