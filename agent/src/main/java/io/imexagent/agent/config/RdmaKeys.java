package io.imexagent.agent.config;

import io.imexagent.agent.config.ConfigKey.Standard;
import io.imexagent.agent.config.ValueType.AbsolutePath;
import io.imexagent.agent.config.ValueType.Listing;
import io.imexagent.agent.config.ValueType.Text;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.PciId;
import io.imexagent.rdma.inventory.RdmaDeviceName;
import io.imexagent.rdma.selection.SelectionPolicy;
import io.imexagent.rdma.watch.NameList;
import io.imexagent.rdma.watch.RailSettings;
import io.imexagent.rdma.watch.RdmaSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The keys of the section {@code rdma}. */
final class RdmaKeys {

    private static final String SECTION = "rdma.";

    /** As {@link SelectionPolicy#STORAGE}, which a start of the agent need not load. */
    private static final NameList BLUE_FIELD = new NameList(List.of("15b3:a2d2", "15b3:a2d6", "15b3:a2dc"));

    static final ConfigKey<Boolean> ENABLED = toggle(
            "enabled",
            "Whether RDMA NICs are looked after at all. The commands under `imex-agent rdma` work all the same.");

    static final ConfigKey<String> EXCLUDE = ConfigKey.of(
                    SECTION + "exclude",
                    Text.regularExpression(),
                    new Standard.Fixed<>(SelectionPolicy.EXCLUDE),
                    "NICs whose interface has such a name stay on the host, each with a warning; empty switches it"
                            + " off.")
            .withReload();

    static final ConfigKey<NameList> INCLUDE = names(
                    "include",
                    "all NICs that qualify are offered",
                    "rdma0,rdma1",
                    "The only NICs to offer, by interface or RDMA device. Beats `rdma.exclude`, `rdma.storageDevices`"
                            + " and the rule on virtual functions, not the protection of uplinks.")
            .withReload();

    static final ConfigKey<Boolean> INCLUDE_UPLINKS = toggle(
                    "includeUplinks",
                    "Whether `rdma.include` beats the protection of uplinks too; each NIC for which it does is a"
                            + " finding.")
            .withReload();

    static final ConfigKey<NameList> PEER = names(
                    "peer",
                    "the peer's NICs do not matter",
                    "rdma0,rdma1",
                    "The NICs that the other nodes have, by interface or RDMA device: only those are offered.")
            .withReload();

    static final ConfigKey<NameList> UPLINKS = ConfigKey.of(
                    SECTION + "uplinks",
                    new Listing(
                            "interfaces",
                            "eth0,eth1",
                            name -> InterfaceName.parse(name).isPresent()),
                    unset("uplinks are found by routes and addresses", "eth0,eth1"),
                    "Further interfaces that carry the host's own traffic, such as the second next hop of an ECMP"
                            + " default route, which /proc/net/route does not show.")
            .withReload();

    static final ConfigKey<NameList> NODE_ADDRESSES = ConfigKey.of(
                    SECTION + "nodeAddresses",
                    new Listing("IP addresses", "192.0.2.7,2001:db8::7", Text::isAddress),
                    unset("those of the Node object", "192.0.2.7"),
                    "Addresses of this node beside those of its Node object; the interface that owns one is an uplink.")
            .withReload();

    static final ConfigKey<NameList> STORAGE_DEVICES = ConfigKey.of(
                    SECTION + "storageDevices",
                    new Listing(
                            "PCI devices as vendor:device",
                            "15b3:a2dc",
                            id -> PciId.parse(id).isPresent()),
                    new Standard.Fixed<>(BLUE_FIELD),
                    "NICs of these PCI devices are for storage and the front-end network, never rails; by default"
                            + " BlueField.")
            .withReload();

    static final ConfigKey<Boolean> STRICT = toggle(
                    "strict",
                    "Whether a NIC that would be a rail and has no IPv4 address is an error, so that no NIC is offered;"
                            + " otherwise it is left out.")
            .withReload();

    static final ConfigKey<Boolean> TAINT = toggle(
                    "taint",
                    "Whether a NIC whose link is down stays published with the taint `rdma.imexagent.io/down`"
                            + " (NoSchedule); otherwise it is withdrawn unless a claim holds it.")
            .withReload();

    static final ConfigKey<Duration> SETTLE_AFTER = ConfigKey.span(
                    SECTION + "settleAfter",
                    Duration.ZERO,
                    Duration.ofHours(1),
                    RailSettings.STANDARD.settleAfter(),
                    "How long a published NIC must be down, or well again, before devices, taints and device health"
                            + " tell it.")
            .withReload();

    static final ConfigKey<Path> TOPOLOGY_FILE = ConfigKey.of(
                    SECTION + "topologyFile",
                    new AbsolutePath("/etc/nccl-topo.xml"),
                    new Standard.Unset<>("NCCL discovers by itself", Path.of("/etc/nccl-topo.xml")),
                    "A topology file of the host for NCCL. Where it is there, claims for NICs mount it and set"
                            + " `NCCL_TOPO_FILE`.")
            .withReload();

    static final ConfigKey<Path> RUNTIME = ConfigKey.of(
                    SECTION + "runtime",
                    new AbsolutePath("/usr/sbin/runc"),
                    new Standard.Unset<>("no interface is moved into containers", Path.of("/usr/sbin/runc")),
                    "The program of the OCI runtime that makes containers on this node. It is asked, by `features`,"
                            + " whether it can move network interfaces, for claims with mode `Netdev`.")
            .withReload();

    /** All keys of the section, in the order of the file. */
    static final List<ConfigKey<?>> ALL = List.of(
            ENABLED,
            EXCLUDE,
            INCLUDE,
            INCLUDE_UPLINKS,
            PEER,
            UPLINKS,
            NODE_ADDRESSES,
            STORAGE_DEVICES,
            STRICT,
            TAINT,
            SETTLE_AFTER,
            TOPOLOGY_FILE,
            RUNTIME);

    private RdmaKeys() {}

    /** The section of a configuration. */
    static RdmaSettings section(AgentConfig config) {
        return new RdmaSettings(
                config.get(ENABLED),
                config.get(EXCLUDE),
                config.find(INCLUDE),
                config.get(INCLUDE_UPLINKS),
                config.find(PEER),
                config.find(UPLINKS),
                config.find(NODE_ADDRESSES),
                config.get(STORAGE_DEVICES),
                config.get(STRICT),
                new RailSettings(
                        config.get(TAINT), config.get(SETTLE_AFTER), config.find(TOPOLOGY_FILE), config.find(RUNTIME)));
    }

    private static ConfigKey<Boolean> toggle(String name, String meaning) {
        return ConfigKey.toggle(SECTION + name, false, meaning);
    }

    private static ConfigKey<NameList> names(String name, String standard, String example, String meaning) {
        return ConfigKey.of(
                SECTION + name,
                new Listing("interfaces or RDMA devices", example, RdmaKeys::isNicName),
                unset(standard, example),
                meaning);
    }

    private static Standard.Unset<NameList> unset(String meaning, String example) {
        return new Standard.Unset<>(meaning, new NameList(List.of(example.split(",", -1))));
    }

    private static boolean isNicName(String text) {
        return InterfaceName.parse(text).isPresent()
                || RdmaDeviceName.parse(text).isPresent();
    }
}
