package io.imexagent.rdma.probe;

import io.imexagent.rdma.inventory.DeviceNumber;
import io.imexagent.rdma.inventory.Uverbs;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads which device node belongs to which RDMA device. */
public final class UverbsProbe {

    private static final String CLASS = "sys/class/infiniband_verbs";
    private static final String PREFIX = "uverbs";

    private final HostFiles files;

    /** A probe over these files. */
    public UverbsProbe(HostFiles files) {
        this.files = files;
    }

    /** The nodes by the name of the RDMA device; one that cannot be read is left out. */
    Map<String, Uverbs> all() {
        Map<String, Uverbs> found = new HashMap<>();
        for (String name : files.names(CLASS)) {
            OptionalInt index = name.startsWith(PREFIX)
                    ? SysfsNumbers.decimal(name.substring(PREFIX.length()))
                    : OptionalInt.empty();
            if (index.isPresent()) {
                files.optional(CLASS + "/" + name + "/ibdev")
                        .ifPresent(device -> read(index.getAsInt()).ifPresent(node -> found.put(device, node)));
            }
        }
        return found;
    }

    /** Whether this node still belongs to the device, under the same number: the check to make at the last moment. */
    public boolean isStill(Uverbs node, String device) {
        return files.optional(CLASS + "/" + node.name() + "/ibdev").equals(Optional.of(device))
                && number(node.index()).equals(Optional.of(node.number()));
    }

    private Optional<Uverbs> read(int index) {
        return number(index)
                .map(number -> new Uverbs(
                        index, number, SysfsNumbers.decimal(files.optional(folder(index) + "/abi_version"))));
    }

    private Optional<DeviceNumber> number(int index) {
        return files.optional(folder(index) + "/dev").flatMap(DeviceNumber::parse);
    }

    private static String folder(int index) {
        return CLASS + "/" + PREFIX + index;
    }
}
