package io.imexagent.rdma.rails;

import io.imexagent.core.slice.Device;
import io.imexagent.core.slice.Device.DeviceAttribute;
import io.imexagent.rdma.inventory.Gid;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.RdmaInventory.GpuDirect;
import io.imexagent.rdma.selection.Rail;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The published device of a NIC, with the known attributes on which classes and claims select. */
final class RailDevices {

    /** The longest text of an attribute ({@code resource.k8s.io/v1 DeviceAttributeMaxValueLength}). */
    private static final int LONGEST = 64;

    private RailDevices() {}

    static Device of(Rail rail, GpuDirect gpuDirect) {
        var attributes = attributes(rail.nic(), Optional.of(rail.port()), gpuDirect);
        rail.gid()
                .map(Gid.GidEntry::index)
                .ifPresent(index -> attributes.put("gidIndex", new DeviceAttribute.IntAttribute(index)));
        put(attributes, "gpuDistance", rail.distance().text());
        put(attributes, "nearestGpus", rail.gpuIndices());
        return new Device(rail.deviceName(), attributes);
    }

    /** The device of a NIC that is not a rail at present. */
    static Device of(Nic nic, GpuDirect gpuDirect) {
        return new Device(
                Rail.deviceName(nic.pci().address()),
                attributes(nic, nic.ports().stream().findFirst(), gpuDirect));
    }

    /**
     * The device of a NIC that is gone: its last known attributes, without an active port. CEL expressions over a
     * missing role or state would fail.
     */
    static Device vanished(String name, Optional<Device> known) {
        var attributes = new TreeMap<String, DeviceAttribute>();
        put(attributes, "role", "rail");
        Rail.address(name).ifPresent(address -> put(attributes, "resource.kubernetes.io/pciBusID", address.toString()));
        known.ifPresent(before -> attributes.putAll(before.attributes()));
        put(attributes, "portState", Port.PortState.UNTOLD.name());
        return new Device(name, attributes);
    }

    private static SortedMap<String, DeviceAttribute> attributes(Nic nic, Optional<Port> used, GpuDirect gpuDirect) {
        var attributes = new TreeMap<String, DeviceAttribute>();
        put(attributes, "resource.kubernetes.io/pciBusID", nic.pci().address().toString());
        put(attributes, "resource.kubernetes.io/pcieRoot", nic.pci().path().root());
        put(attributes, "role", "rail");
        put(attributes, "rdmaDevice", nic.name().text());
        Port.PortState state = used.map(Port::state).orElse(Port.PortState.UNTOLD);
        put(attributes, "portState", state.name());
        used.ifPresent(port -> {
            if (port.linkLayer() != Port.LinkLayer.UNTOLD) {
                put(attributes, "linkLayer", port.linkLayer().text());
            }
            port.gbps()
                    .ifPresent(gbps -> attributes.put("rateGbps", new DeviceAttribute.IntAttribute(Math.round(gbps))));
            put(attributes, "gpuDirect", gpuDirect.text());
        });
        nic.netdev().ifPresent(netdev -> {
            put(attributes, "ifName", netdev.name().text());
            netdev.mtu().ifPresent(mtu -> attributes.put("mtu", new DeviceAttribute.IntAttribute(mtu)));
        });
        nic.ipv4().stream().findFirst().ifPresent(address -> put(attributes, "ipv4", address.toString()));
        nic.pci().numaNode().ifPresent(node -> {
            attributes.put("resource.kubernetes.io/numaNode", new DeviceAttribute.IntAttribute(node));
            // The name of 0.2.0, for claims that were written for it; 0.4.0 publishes the standard one alone.
            attributes.put("numaNode", new DeviceAttribute.IntAttribute(node));
        });
        return attributes;
    }

    private static void put(Map<String, DeviceAttribute> attributes, String name, String text) {
        if (!text.isEmpty() && text.length() <= LONGEST) {
            attributes.put(name, new DeviceAttribute.StringAttribute(text));
        }
    }
}
