package io.imexagent.rdma.watch;

import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.PciId;
import io.imexagent.rdma.probe.UplinkHints;
import io.imexagent.rdma.selection.SelectionPolicy;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the configuration says of RDMA NICs, in the terms of the module that decides. */
public final class RdmaPolicy {

    private RdmaPolicy() {}

    /** The policy of selection. */
    public static SelectionPolicy selection(RdmaSettings config) {
        return new SelectionPolicy(
                config.exclude().isEmpty() ? Optional.empty() : Optional.of(Pattern.compile(config.exclude())),
                Set.copyOf(names(config.include())),
                config.includeUplinks(),
                config.peer().map(NameList::names).map(Set::copyOf),
                config.storageDevices().names().stream()
                        .flatMap(id -> PciId.parse(id).stream())
                        .collect(Collectors.toUnmodifiableSet()),
                config.strict());
    }

    /**
     * What the operator and the cluster say of the host's own traffic.
     *
     * @param config what the operator says
     * @param nodeAddresses the addresses under which the cluster knows the node
     */
    public static UplinkHints hints(RdmaSettings config, Set<InetAddress> nodeAddresses) {
        return new UplinkHints(
                Stream.concat(
                                names(config.nodeAddresses()).stream().map(InetAddress::ofLiteral),
                                nodeAddresses.stream())
                        .collect(Collectors.toUnmodifiableSet()),
                names(config.uplinks()).stream()
                        .flatMap(name -> InterfaceName.parse(name).stream())
                        .collect(Collectors.toUnmodifiableSet()));
    }

    /** Why uplinks that only the node's addresses tell are not known; empty where they are, or nobody asks. */
    public static Optional<String> withoutAddresses(RdmaSettings config, KnownAddresses told) {
        return told instanceof KnownAddresses.Unknown unknown
                        && names(config.nodeAddresses()).isEmpty()
                ? Optional.of(unknown.reason())
                : Optional.empty();
    }

    private static List<String> names(Optional<NameList> list) {
        return list.map(NameList::names).orElse(List.of());
    }
}
