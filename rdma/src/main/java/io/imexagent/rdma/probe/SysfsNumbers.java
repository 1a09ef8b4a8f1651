package io.imexagent.rdma.probe;

import io.imexagent.core.claim.ClaimEdits.Node;
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

    private static final Pattern NODE_NAME = Pattern.compile("[a-z_]{1,16}[0-9]{0,9}");
    private static final Pattern NODE = Pattern.compile("([0-9]{1,4}):([0-9]{1,7})");
    private static final int LARGEST_MAJOR = 0xfff;
    private static final int LARGEST_MINOR = 0xfffff;

    private SysfsNumbers() {}

    /** The node of this name with the number in the text of a {@code dev} file, {@code 231:192}. */
    static Optional<Node> node(String name, String number) {
        Matcher numbers = NODE.matcher(number);
        return numbers.matches() && NODE_NAME.matcher(name).matches()
                ? Optional.of(new Node(
                                "/dev/infiniband/" + name,
                                Integer.parseInt(numbers.group(1)),
                                Integer.parseInt(numbers.group(2))))
                        .filter(node -> node.major() <= LARGEST_MAJOR && node.minor() <= LARGEST_MINOR)
                : Optional.empty();
    }

    /** A plain decimal number; a negative one means that there is none, as in {@code numa_node}. */
    static OptionalInt decimal(String text) {
        boolean plain =
                !text.isEmpty() && text.length() <= MOST_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
        return plain ? OptionalInt.of(Integer.parseInt(text)) : OptionalInt.empty();
    }

    /** A LID, {@code 0x1a}, of 16 bits; 0 is none. */
    static OptionalInt lid(String text) {
        String digits = text.startsWith("0x") && text.length() <= 6 ? text.substring(2) : "0";
        int lid = digits.chars().allMatch(HexFormat::isHexDigit) ? HexFormat.fromHexDigits("0" + digits) : 0;
        return lid == 0 ? OptionalInt.empty() : OptionalInt.of(lid);
    }

    /** A port's rate, {@code 400 Gb/sec (4X NDR)}, in Gb/s. */
    static OptionalDouble gbps(String text) {
        Matcher matcher = RATE.matcher(text);
        return matcher.matches() ? OptionalDouble.of(Double.parseDouble(matcher.group(1))) : OptionalDouble.empty();
    }

    /** The bits of a hexadecimal column, in exactly that many digits. */
    static Optional<Integer> bits(String text, int digits) {
        return text.length() == digits && text.chars().allMatch(HexFormat::isHexDigit)
                ? Optional.of(HexFormat.fromHexDigits(text))
                : Optional.empty();
    }
}
