package io.imexagent.rdma.probe;

import java.util.HexFormat;
import java.util.Optional;

/** Hexadecimal columns of procfs. */
final class Hex {

    private Hex() {}

    /** The 32 bits in exactly that many digits, or empty. */
    static Optional<Integer> bits(String text, int digits) {
        return text.length() == digits && text.chars().allMatch(HexFormat::isHexDigit)
                ? Optional.of(HexFormat.fromHexDigits(text))
                : Optional.empty();
    }
}
