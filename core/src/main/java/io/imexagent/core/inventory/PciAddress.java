package io.imexagent.core.inventory;

import java.util.Comparator;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A PCI address, {@code domain:bus:device.function} in lower-case hexadecimal. Domains have 32 bits, often only 16. */
public record PciAddress(long domain, int bus, int device, int function) implements Comparable<PciAddress> {

    private static final Pattern GRAMMAR =
            Pattern.compile("([0-9a-fA-F]{4,8}):([0-9a-fA-F]{2}):([01][0-9a-fA-F])\\.([0-7])");

    private static final Comparator<PciAddress> BY_NUMBER = Comparator.comparingLong(PciAddress::domain)
            .thenComparingInt(PciAddress::bus)
            .thenComparingInt(PciAddress::device)
            .thenComparingInt(PciAddress::function);

    public PciAddress {
        if (domain >>> 32 != 0 || bus >>> 8 != 0 || device >>> 5 != 0 || function >>> 3 != 0) {
            throw new IllegalArgumentException(
                    "no PCI address: domain " + domain + " bus " + bus + " device " + device + " function " + function);
        }
    }

    /** The address in this text, as sysfs or NVML write it, or empty. */
    public static Optional<PciAddress> parse(String text) {
        Matcher matcher = GRAMMAR.matcher(text);
        return matcher.matches()
                ? Optional.of(new PciAddress(
                        Long.parseLong(matcher.group(1), 16),
                        Integer.parseInt(matcher.group(2), 16),
                        Integer.parseInt(matcher.group(3), 16),
                        Integer.parseInt(matcher.group(4), 16)))
                : Optional.empty();
    }

    @Override
    public int compareTo(PciAddress other) {
        return BY_NUMBER.compare(this, other);
    }

    /** Formats by hand: a scan prints thousands of addresses, and a format string is parsed each time. */
    @Override
    public String toString() {
        HexFormat hex = HexFormat.of();
        String first = domain > 0xffff ? Long.toHexString(domain) : hex.toHexDigits(domain, 4);
        return String.join(":", first, hex.toHexDigits(bus, 2), hex.toHexDigits(device, 2)) + "." + function;
    }
}
