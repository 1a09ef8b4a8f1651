package io.imexagent.rdma.setting;

import io.imexagent.core.setting.Setting;
import io.imexagent.core.setting.Value;
import io.imexagent.core.setting.Value.IpAddress;
import io.imexagent.core.setting.Value.RegularExpression;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.PciFunction.PciId;
import io.imexagent.rdma.inventory.RdmaDeviceName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Which RDMA NICs containers may get, and how (section {@code rdma}). Names are as the operator wrote them. */
public record RdmaSettings(
        @Setting("Whether the agent reads and serves RDMA NICs. The commands under `imex-agent rdma` work without it.")
        @Value(preset = "false")
        boolean enabled,

        @Setting("NICs whose interface has such a name stay on the host, each with a warning; empty switches it off.")
        @Value(preset = "^eth[0-9]+$", noun = RegularExpression.NOUN, form = RegularExpression.class, reloadable = true)
        String exclude,

        @Setting("The only NICs to offer, by interface or RDMA device. Beats `rdma.exclude`, `rdma.storageDevices`"
                + " and the rule on virtual functions, not the protection of uplinks.")
        @Value(
                unset = "all NICs that qualify are offered",
                example = "rdma0,rdma1",
                noun = "interfaces or RDMA devices",
                form = NicName.class,
                reloadable = true)
        List<String> include,

        @Setting("Whether `rdma.include` beats the protection of uplinks too; each NIC for which it does is a finding.")
        @Value(preset = "false", reloadable = true)
        boolean includeUplinks,

        @Setting("The NICs that the other nodes have, by interface or RDMA device: only those are offered.")
        @Value(
                unset = "the peer's NICs do not matter",
                example = "rdma0,rdma1",
                noun = "interfaces or RDMA devices",
                form = NicName.class,
                reloadable = true)
        List<String> peer,

        @Setting("Further interfaces that carry the host's own traffic, such as the second next hop of an ECMP"
                + " default route, which /proc/net/route does not show.")
        @Value(
                unset = "uplinks are found by routes and addresses",
                example = "eth0,eth1",
                noun = "interfaces",
                form = AnInterface.class,
                reloadable = true)
        List<String> uplinks,

        @Setting("Addresses of this node beside those of its Node object; the interface that owns one is an uplink.")
        @Value(
                unset = "those of the Node object",
                example = {"192.0.2.7", "2001:db8::7"},
                noun = "IP addresses",
                form = IpAddress.class,
                reloadable = true)
        List<String> nodeAddresses,

        @Setting("NICs of these PCI devices are for storage and the front-end network, never rails. A BlueField-3 has"
                + " one ID, whether it is a rail or not.")
        @Value(
                unset = "no device is for storage",
                example = "15b3:a2dc",
                noun = "PCI devices as vendor:device",
                form = PciDevice.class,
                reloadable = true)
        List<String> storageDevices,

        @Setting("Whether a rail without an IPv4 address keeps the node from offering any NIC; otherwise only"
                + " that rail is left out.")
        @Value(preset = "false", reloadable = true)
        boolean strict,

        @Setting("Whether a NIC whose link is down stays published with the taint `rdma.imexagent.io/down`"
                + " (NoSchedule); otherwise it is withdrawn unless a claim holds it.")
        @Value(preset = "false", reloadable = true)
        boolean taint,

        @Setting("How long a published NIC must be down, or well again, before devices, taints and device health"
                + " change.")
        @Value(preset = "30s", range = "0s..1h", reloadable = true)
        Duration settleAfter,

        @Setting("A topology file of the host for NCCL. Where it is there, claims for NICs mount it and set"
                + " `NCCL_TOPO_FILE`.")
        @Value(unset = "NCCL discovers by itself", example = "/etc/nccl-topo.xml", reloadable = true)
        Optional<Path> topologyFile,

        @Setting("Whether claims for NICs set `NCCL_IB_GID_INDEX`, where it is the same on all their NICs. CDI specs"
                + " follow when addresses change, processes that run do not; without it NCCL (2.21) finds the index.")
        @Value(preset = "false", reloadable = true)
        boolean ncclGidIndex,

        @Setting("The OCI runtime that creates the containers of this node. The agent runs it with `features` to learn"
                + " whether it can move network interfaces, which claims with mode `Netdev` need.")
        @Value(unset = "no interface is moved into containers", example = "/usr/sbin/runc", reloadable = true)
        Optional<Path> runtime) {

    public RdmaSettings {
        include = List.copyOf(include);
        peer = List.copyOf(peer);
        uplinks = List.copyOf(uplinks);
        nodeAddresses = List.copyOf(nodeAddresses);
        storageDevices = List.copyOf(storageDevices);
    }

    static final class AnInterface implements Predicate<String> {
        @Override
        public boolean test(String text) {
            return InterfaceName.parse(text).isPresent();
        }
    }

    static final class NicName implements Predicate<String> {
        @Override
        public boolean test(String text) {
            return InterfaceName.parse(text).isPresent()
                    || RdmaDeviceName.parse(text).isPresent();
        }
    }

    static final class PciDevice implements Predicate<String> {
        @Override
        public boolean test(String text) {
            return PciId.parse(text).isPresent();
        }
    }
}
