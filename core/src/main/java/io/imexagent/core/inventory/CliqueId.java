package io.imexagent.core.inventory;

import io.imexagent.core.claim.Quoted;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The NVLink clique of a GPU: {@code <cluster UUID in lower-case RFC 4122 text>.<clique number in decimal>}.
 *
 * @param text the canonical text, which is also the value of the node label {@code nvidia.com/gpu.clique}
 */
public record CliqueId(String text) implements Comparable<CliqueId> {

    private static final Pattern GRAMMAR =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.(0|[1-9][0-9]{0,9})");
    private static final int UUID_BYTES = 16;
    private static final long LARGEST_NUMBER = 0xffff_ffffL;

    /** Takes canonical text only. */
    public CliqueId {
        if (!GRAMMAR.matcher(text).matches()
                || Long.parseLong(text.substring(text.indexOf('.') + 1)) > LARGEST_NUMBER) {
            throw new IllegalArgumentException("clique ID " + Quoted.of(text)
                    + " is not <cluster UUID>.<number>, in lower case and with a number of 32 bits");
        }
    }

    /**
     * The clique that NVML's FabricInfo tells, or empty where the UUID is all zero: the GPU belongs to no cluster.
     *
     * @param clusterUuid 16 bytes in the order of the struct
     * @param clique the clique's number, an unsigned 32-bit value
     */
    public static Optional<CliqueId> of(byte[] clusterUuid, long clique) {
        if (clusterUuid.length != UUID_BYTES) {
            throw new IllegalArgumentException("a cluster UUID has 16 bytes, not " + clusterUuid.length);
        }
        String hex = HexFormat.of().formatHex(clusterUuid);
        if (hex.chars().allMatch(digit -> digit == '0')) {
            return Optional.empty();
        }
        return Optional.of(new CliqueId(String.join(
                        "-",
                        hex.substring(0, 8),
                        hex.substring(8, 12),
                        hex.substring(12, 16),
                        hex.substring(16, 20),
                        hex.substring(20))
                + "." + clique));
    }

    @Override
    public int compareTo(CliqueId other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
