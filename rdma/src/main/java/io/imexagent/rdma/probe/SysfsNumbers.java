package io.imexagent.rdma.probe;

import io.imexagent.core.claim.ClaimEdits.DeviceNodeEdits;
import io.imexagent.rdma.inventory.PciFunction.PcieLink.Rate;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses numbers of sysfs and procfs. The methods never throw; the result is empty for any other text. */
final class SysfsNumbers {

    private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,9}");
    private static final Pattern LID = Pattern.compile("0x[0-9a-fA-F]{1,4}");
    private static final Pattern RATE = Pattern.compile("([0-9]{1,7}(?:\\.[0-9]{1,3})?) Gb/sec(?: .*)?");

    private static final Pattern GIGATRANSFERS = Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,2})?) GT/s(?: PCIe)?");
    /** The most lanes of a PCI Express link; the kernel writes 0 or 63 if it cannot read the number. */
    private static final int MOST_LANES = 32;

    private static final Pattern NODE_NAME = Pattern.compile("[a-z_]{1,16}[0-9]{0,9}");
    private static final Pattern NODE = Pattern.compile("([0-9]{1,4}):([0-9]{1,7})");
    private static final int LARGEST_MAJOR = 0xfff;
    private static final int LARGEST_MINOR = 0xfffff;

    private SysfsNumbers() {}

    /** The node of this name with the number in the text of a {@code dev} file, {@code 231:192}. */
    static Optional<DeviceNodeEdits> node(String name, String number) {
        Matcher numbers = NODE.matcher(number);
        if (!numbers.matches() || !NODE_NAME.matcher(name).matches()) {
            return Optional.empty();
        }
        int major = Integer.parseInt(numbers.group(1));
        int minor = Integer.parseInt(numbers.group(2));
        return major <= LARGEST_MAJOR && minor <= LARGEST_MINOR
                ? Optional.of(new DeviceNodeEdits("/dev/infiniband/" + name, major, minor))
                : Optional.empty();
    }

    /** A decimal number; empty for a negative one, which means none, as in {@code numa_node}. */
    static Optional<Integer> decimal(String text) {
        return DECIMAL.matcher(text).matches() ? Optional.of(Integer.parseInt(text)) : Optional.empty();
    }

    /** A LID of 16 bits, {@code 0x1a}; empty for 0, which means none. */
    static Optional<Integer> lid(String text) {
        int lid = LID.matcher(text).matches() ? Integer.decode(text) : 0;
        return lid == 0 ? Optional.empty() : Optional.of(lid);
    }

    /** A port's rate, {@code 400 Gb/sec (4X NDR)}, in Gb/s. */
    static Optional<Double> gbps(String text) {
        Matcher matcher = RATE.matcher(text);
        return matcher.matches() ? Optional.of(Double.parseDouble(matcher.group(1))) : Optional.empty();
    }

    /** The rate of a PCIe link in the texts of its speed, {@code 32.0 GT/s PCIe}, and its width. */
    static Optional<Rate> link(String speed, String width) {
        Matcher matcher = GIGATRANSFERS.matcher(speed);
        return matcher.matches()
                ? decimal(width)
                        .filter(lanes -> lanes > 0 && lanes <= MOST_LANES)
                        .map(lanes -> new Rate(Double.parseDouble(matcher.group(1)), lanes))
                : Optional.empty();
    }

    /** The bits of a hexadecimal column, in exactly that many digits. */
    static Optional<Integer> bits(String text, int digits) {
        return text.length() == digits && text.chars().allMatch(HexFormat::isHexDigit)
                ? Optional.of(HexFormat.fromHexDigits(text))
                : Optional.empty();
    }
}
