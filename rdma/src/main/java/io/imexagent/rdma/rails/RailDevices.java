package io.imexagent.rdma.rails;

import io.imexagent.core.slice.Device;
import io.imexagent.core.slice.Device.Attribute;
import io.imexagent.rdma.inventory.Gid;
import io.imexagent.rdma.inventory.Ipv4;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.RdmaInventory.GpuDirect;
import io.imexagent.rdma.selection.Rail;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What is published of a NIC: the attributes on which classes and claims select, without those that are not known. The two
 * of {@code resource.kubernetes.io} align devices of several drivers.
 */
final class RailDevices {

    /** The API server takes no longer text as an attribute ({@code resource.k8s.io/v1 DeviceAttributeMaxValueLength}). */
    private static final int LONGEST = 64;

    private RailDevices() {}

    static Device of(Rail rail, GpuDirect gpuDirect) {
        var attributes = attributes(rail.nic(), rail.port(), gpuDirect);
        rail.gid().map(Gid.Entry::index).ifPresent(index -> attributes.put("gidIndex", new Attribute.Whole(index)));
        put(attributes, "gpuDistance", rail.distance().text());
        put(
                attributes,
                "nearestGpus",
                rail.nearestGpus().stream()
                        .map(gpu -> Integer.toString(gpu.index()))
                        .collect(Collectors.joining(",")));
        return new Device(rail.deviceName(), attributes);
    }

    /** The device of a NIC that is no rail at present. */
    static Device of(Nic nic, GpuDirect gpuDirect) {
        Optional<Port> port = nic.ports().stream().findFirst();
        return new Device(
                Rail.deviceName(nic.pci().address()),
                port.map(first -> attributes(nic, first, gpuDirect)).orElseGet(() -> attributes(nic)));
    }

    /**
     * The device of a NIC that is not there, for the claim that has it: what was known of it, and never that its port is
     * active. Role and state are always there, since an expression over an attribute that is missing fails as a whole.
     */
    static Device vanished(String name, Optional<Device> known) {
        var attributes = new TreeMap<String, Attribute>();
        put(attributes, "role", "rail");
        Rail.address(name).ifPresent(address -> put(attributes, "resource.kubernetes.io/pciBusID", address.toString()));
        known.ifPresent(before -> attributes.putAll(before.attributes()));
        put(attributes, "portState", Port.State.UNTOLD.name());
        return new Device(name, attributes);
    }

    private static SortedMap<String, Attribute> attributes(Nic nic, Port port, GpuDirect gpuDirect) {
        var attributes = attributes(nic);
        put(
                attributes,
                "linkLayer",
                port.linkLayer() == Port.LinkLayer.UNTOLD
                        ? ""
                        : port.linkLayer().text());
        put(attributes, "portState", port.state().name());
        port.gbps().ifPresent(gbps -> attributes.put("rateGbps", new Attribute.Whole(Math.round(gbps))));
        put(attributes, "gpuDirect", gpuDirect.text());
        return attributes;
    }

    private static SortedMap<String, Attribute> attributes(Nic nic) {
        var attributes = new TreeMap<String, Attribute>();
        put(attributes, "resource.kubernetes.io/pciBusID", nic.pci().address().toString());
        put(attributes, "resource.kubernetes.io/pcieRoot", nic.pci().path().root());
        put(attributes, "role", "rail");
        put(attributes, "portState", Port.State.UNTOLD.name());
        put(attributes, "rdmaDevice", nic.name().text());
        nic.netdev().ifPresent(netdev -> {
            put(attributes, "ifName", netdev.name().text());
            netdev.mtu().ifPresent(mtu -> attributes.put("mtu", new Attribute.Whole(mtu)));
        });
        List<Ipv4> addresses = nic.ipv4();
        put(attributes, "ipv4", addresses.isEmpty() ? "" : addresses.getFirst().toString());
        nic.pci().numaNode().ifPresent(node -> attributes.put("numaNode", new Attribute.Whole(node)));
        return attributes;
    }

    private static void put(Map<String, Attribute> attributes, String name, String text) {
        if (!text.isEmpty() && text.length() <= LONGEST) {
            attributes.put(name, new Attribute.Text(text));
        }
    }
}
