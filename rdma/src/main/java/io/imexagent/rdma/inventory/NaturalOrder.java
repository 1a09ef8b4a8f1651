package io.imexagent.rdma.inventory;

import java.util.Comparator;

/** The order of names in which runs of digits count as numbers: {@code mlx5_2} comes before {@code mlx5_10}. */
final class NaturalOrder implements Comparator<String> {

    static final NaturalOrder OF_NAMES = new NaturalOrder();

    private NaturalOrder() {}

    @Override
    public int compare(String left, String right) {
        int l = 0;
        int r = 0;
        while (l < left.length() && r < right.length()) {
            int leftEnd = digits(left, l);
            int rightEnd = digits(right, r);
            int order;
            if (leftEnd > l && rightEnd > r) {
                order = numbers(left.substring(l, leftEnd), right.substring(r, rightEnd));
                l = leftEnd;
                r = rightEnd;
            } else {
                order = Character.compare(left.charAt(l++), right.charAt(r++));
            }
            if (order != 0) {
                return order;
            }
        }
        int byLength = Integer.compare(left.length() - l, right.length() - r);
        return byLength != 0 ? byLength : left.compareTo(right);
    }

    /** Where the run of digits that begins here ends; here, where there is none. */
    private static int digits(String text, int start) {
        int end = start;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        return end;
    }

    private static int numbers(String left, String right) {
        int l = zeros(left);
        int r = zeros(right);
        int byLength = Integer.compare(left.length() - l, right.length() - r);
        return byLength != 0 ? byLength : left.substring(l).compareTo(right.substring(r));
    }

    /** How many zeros lead; the last digit counts as none. */
    private static int zeros(String digits) {
        int at = 0;
        while (at < digits.length() - 1 && digits.charAt(at) == '0') {
            at++;
        }
        return at;
    }
}
