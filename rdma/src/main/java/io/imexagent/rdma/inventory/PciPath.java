package io.imexagent.rdma.inventory;

import io.imexagent.core.inventory.PciAddress;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The way from a PCI root to a function: the root's name, the bridges in between, the function.
 *
 * @param root the root complex, {@code pci0000:00}: the value of {@code resource.kubernetes.io/pcieRoot}
 * @param functions the bridges and the function itself, from the top; never empty
 */
public record PciPath(String root, List<PciAddress> functions) {

    private static final String TREE = "sys/devices/";
    private static final Pattern ROOT = Pattern.compile("pci[0-9a-f]{4,8}:[0-9a-f]{2}");

    public PciPath {
        functions = List.copyOf(functions);
        if (functions.isEmpty()) {
            throw new IllegalArgumentException("a PCI path ends in a function");
        }
    }

    /** The path in a resolved sysfs path below the host's root, {@code sys/devices/pci…}, or empty. */
    public static Optional<PciPath> parse(String resolved) {
        if (!resolved.startsWith(TREE)) {
            return Optional.empty();
        }
        String[] parts = resolved.substring(TREE.length()).split("/", -1);
        List<PciAddress> functions = Stream.of(parts)
                .skip(1)
                .flatMap(part -> PciAddress.parse(part).stream())
                .toList();
        boolean complete = !functions.isEmpty() && functions.size() == parts.length - 1;
        return complete && ROOT.matcher(parts[0]).matches()
                ? Optional.of(new PciPath(parts[0], functions))
                : Optional.empty();
    }

    /** The function at its end. */
    public PciAddress function() {
        return functions.getLast();
    }

    /** How many bridges are above both this function and the other; 0 where the roots differ. */
    public int sharedBridges(PciPath other) {
        int most = root.equals(other.root) ? Math.min(functions.size(), other.functions.size()) - 1 : 0;
        int shared = 0;
        while (shared < most && functions.get(shared).equals(other.functions.get(shared))) {
            shared++;
        }
        return shared;
    }

    /** Where it stands in sysfs, below the host's root. */
    public String sysfs() {
        var text = new StringBuilder(TREE).append(root);
        functions.forEach(function -> text.append('/').append(function));
        return text.toString();
    }
}
