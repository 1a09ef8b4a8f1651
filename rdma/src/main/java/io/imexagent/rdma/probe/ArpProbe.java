package io.imexagent.rdma.probe;

import io.imexagent.rdma.inventory.ArpSettings;
import io.imexagent.rdma.inventory.InterfaceName;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads the ARP settings of interfaces. */
final class ArpProbe {

    private static final String CONF = "proc/sys/net/ipv4/conf/";

    private final HostFiles files;
    private final Optional<ArpSettings> all;

    ArpProbe(HostFiles files) {
        this.files = files;
        this.all = own("all");
    }

    /** The effective settings; empty where the kernel does not tell them. */
    Optional<ArpSettings> effective(InterfaceName netdev) {
        return own(netdev.text())
                .flatMap(own -> all.map(common -> new ArpSettings(
                        Math.max(own.announce(), common.announce()),
                        Math.max(own.ignore(), common.ignore()),
                        own.filter() | common.filter(),
                        Math.max(own.reversePath(), common.reversePath()))));
    }

    private Optional<ArpSettings> own(String folder) {
        OptionalInt announce = value(folder, "arp_announce");
        OptionalInt ignore = value(folder, "arp_ignore");
        OptionalInt filter = value(folder, "arp_filter");
        OptionalInt reversePath = value(folder, "rp_filter");
        return announce.isPresent() && ignore.isPresent() && filter.isPresent() && reversePath.isPresent()
                ? Optional.of(new ArpSettings(
                        announce.getAsInt(), ignore.getAsInt(), filter.getAsInt(), reversePath.getAsInt()))
                : Optional.empty();
    }

    private OptionalInt value(String folder, String name) {
        return SysfsNumbers.decimal(files.optional(CONF + folder + "/" + name));
    }
}
