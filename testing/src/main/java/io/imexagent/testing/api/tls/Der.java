package io.imexagent.testing.api.tls;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;

/** DER encoding of the few ASN.1 forms that an X.509 certificate and an EC key need (ITU-T X.690). */
final class Der {
    private static final DateTimeFormatter UTC_TIME =
            DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private Der() {}

    static byte[] sequence(byte[]... parts) {
        return tagged(0x30, concat(parts));
    }

    static byte[] sequence(List<byte[]> parts) {
        return sequence(parts.toArray(byte[][]::new));
    }

    static byte[] set(byte[]... parts) {
        return tagged(0x31, concat(parts));
    }

    static byte[] integer(BigInteger value) {
        return tagged(0x02, value.toByteArray());
    }

    static byte[] trueFlag() {
        return new byte[] {0x01, 0x01, (byte) 0xff};
    }

    static byte[] bitString(byte[] content) {
        return bitString(0, content);
    }

    /** A bit string whose last byte leaves {@code unusedBits} (0 to 7) bits unused. */
    static byte[] bitString(int unusedBits, byte[] content) {
        return tagged(0x03, concat(new byte[] {(byte) unusedBits}, content));
    }

    static byte[] octetString(byte[] content) {
        return tagged(0x04, content);
    }

    static byte[] text(String value) {
        return tagged(0x0c, value.getBytes(StandardCharsets.UTF_8));
    }

    /** UTCTime, which X.509 prescribes for years before 2050. */
    static byte[] time(Instant at) {
        return tagged(0x17, UTC_TIME.format(at).getBytes(StandardCharsets.US_ASCII));
    }

    static byte[] explicit(int number, byte[] content) {
        return tagged(0xa0 | number, content);
    }

    static byte[] implicit(int number, byte[] content) {
        return tagged(0x80 | number, content);
    }

    static byte[] oid(String dotted) {
        List<Integer> arcs = new ArrayList<>();
        StringTokenizer tokens = new StringTokenizer(dotted, ".");
        while (tokens.hasMoreTokens()) {
            arcs.add(Integer.parseInt(tokens.nextToken()));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(arcs.get(0) * 40 + arcs.get(1));
        for (int arc : arcs.subList(2, arcs.size())) {
            writeBase128(out, arc);
        }
        return tagged(0x06, out.toByteArray());
    }

    private static void writeBase128(ByteArrayOutputStream out, int arc) {
        for (int shift = 28; shift > 0; shift -= 7) {
            if (arc >>> shift != 0) {
                out.write(0x80 | ((arc >>> shift) & 0x7f));
            }
        }
        out.write(arc & 0x7f);
    }

    private static byte[] tagged(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(content.length + 4);
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else if (content.length < 0x100) {
            out.write(0x81);
            out.write(content.length);
        } else {
            out.write(0x82);
            out.write(content.length >>> 8);
            out.write(content.length);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
