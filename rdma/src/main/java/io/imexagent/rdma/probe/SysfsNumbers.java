package io.imexagent.rdma.probe;

import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers as sysfs and procfs write them. None of these throws; what is no such number is empty. */
final class SysfsNumbers {

    private static final int MOST_DIGITS = 9;
    private static final Pattern RATE = Pattern.compile("([0-9]{1,7}(?:\\.[0-9]{1,3})?) Gb/sec(?: .*)?");

    private SysfsNumbers() {}

    /** A plain decimal number; a negative one means that there is none, as in {@code numa_node}. */
    static OptionalInt decimal(String text) {
        boolean plain =
                !text.isEmpty() && text.length() <= MOST_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
        return plain ? OptionalInt.of(Integer.parseInt(text)) : OptionalInt.empty();
    }

    /** A LID, {@code 0x1a}; 0 is none. */
    static OptionalInt lid(String text) {
        if (!isHex(text, 1)) {
            return OptionalInt.empty();
        }
        int lid = Integer.parseInt(text.substring(2), 16);
        return lid == 0 ? OptionalInt.empty() : OptionalInt.of(lid);
    }

    /** A port's rate, {@code 400 Gb/sec (4X NDR)}, in Gb/s. */
    static OptionalDouble gbps(String text) {
        Matcher matcher = RATE.matcher(text);
        return matcher.matches() ? OptionalDouble.of(Double.parseDouble(matcher.group(1))) : OptionalDouble.empty();
    }

    /** Four hexadecimal digits behind {@code 0x}, as in {@code vendor} and {@code device}. */
    static Optional<String> hex4(String text) {
        return isHex(text, 4) ? Optional.of(text.substring(2)) : Optional.empty();
    }

    /** The bits of a hexadecimal column, in exactly that many digits. */
    static Optional<Integer> bits(String text, int digits) {
        return text.length() == digits && text.chars().allMatch(HexFormat::isHexDigit)
                ? Optional.of(HexFormat.fromHexDigits(text))
                : Optional.empty();
    }

    /** Whether it is a number of at least so many digits, and of four at most, behind {@code 0x}. */
    private static boolean isHex(String text, int leastDigits) {
        int digits = text.length() - 2;
        return digits >= leastDigits
                && digits <= 4
                && text.startsWith("0x")
                && text.chars().skip(2).allMatch(HexFormat::isHexDigit);
    }
}
