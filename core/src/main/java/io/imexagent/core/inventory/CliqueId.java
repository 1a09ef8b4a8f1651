package io.imexagent.core.inventory;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.claim.Quoted;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/** A GPU's NVLink clique, {@code <cluster UUID in lower case>.<number>}; the label {@code nvidia.com/gpu.clique}. */
public record CliqueId(String text) implements Comparable<CliqueId> {

    private static final Pattern GRAMMAR = Pattern.compile(ComputeDomainUid.UUID + "\\.(0|[1-9][0-9]{0,9})");
    private static final UUID NO_CLUSTER = new UUID(0, 0);
    private static final long LARGEST_NUMBER = 0xffff_ffffL;

    public CliqueId {
        if (!GRAMMAR.matcher(text).matches()
                || Long.parseLong(text.substring(text.indexOf('.') + 1)) > LARGEST_NUMBER) {
            throw new IllegalArgumentException("clique ID " + Quoted.of(text)
                    + " is not <cluster UUID>.<number>, in lower case and with a number of 32 bits");
        }
    }

    /** The clique of NVML's FabricInfo; empty where the UUID is all zero: the GPU belongs to no cluster. */
    public static Optional<CliqueId> of(UUID clusterUuid, long clique) {
        return clusterUuid.equals(NO_CLUSTER)
                ? Optional.empty()
                : Optional.of(new CliqueId(clusterUuid + "." + clique));
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
