package io.imexagent.rdma.probe;

import io.imexagent.core.claim.ClaimEdits.Interface;
import io.imexagent.core.claim.ClaimEdits.Node;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.rdma.inventory.DeviceNumber;
import io.imexagent.rdma.inventory.RdmaDeviceName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Looks at device nodes once more before they are handed out: the kernel assigns their numbers, and the names of
 * RDMA devices, again at each load of a driver, so that a number of a moment ago can be another NIC's.
 */
public final class NodeCheck {

    private static final String DIRECTORY = "/dev/infiniband/";
    private static final String VERBS = "sys/class/infiniband_verbs/";
    private static final String MANAGEMENT = "sys/class/infiniband_mad";
    private static final String MISC = "sys/class/misc/";
    private static final String DEVICES = "sys/class/infiniband/";

    private final HostFiles files;

    /** A check over these files. */
    public NodeCheck(HostFiles files) {
        this.files = files;
    }

    /**
     * What is otherwise than planned about a node of a device, as a clause; empty where nothing is.
     *
     * @param device the RDMA device to which it must belong
     * @param address the PCI function to which that must belong
     */
    public Optional<String> changed(Node node, String device, PciAddress address) {
        String folder = (name(node).startsWith("uverbs") ? VERBS : MANAGEMENT + "/") + name(node);
        Optional<String> owner = files.optional(folder + "/ibdev");
        if (!owner.equals(Optional.of(device))) {
            return Optional.of(name(node) + " belongs to " + owner.orElse("no device") + ", not to " + device);
        }
        Optional<PciAddress> seat = address(device);
        return seat.equals(Optional.of(address))
                ? number(node, folder)
                : Optional.of(device + " is at " + seat.map(Object::toString).orElse("no PCI address") + ", not at "
                        + address);
    }

    /** What is otherwise than planned about a node that belongs to no device, such as rdma_cm. */
    public Optional<String> changed(Node node) {
        return number(node, MISC + name(node));
    }

    /**
     * What is otherwise than planned about an interface of a device that is to move, as a clause; empty where nothing is.
     * The runtime knows it by its name alone, and names of interfaces change hands.
     */
    public Optional<String> changed(Interface moving, String device) {
        List<String> names = files.names(DEVICES + device + "/device/net");
        return names.contains(moving.onHost())
                ? Optional.empty()
                : Optional.of(device + " has "
                        + (names.isEmpty() ? "no interface" : "the interface " + String.join(",", names))
                        + " where it had " + moving.onHost());
    }

    private Optional<String> number(Node node, String folder) {
        Optional<String> number = files.optional(folder + "/dev");
        String planned = node.major() + ":" + node.minor();
        return number.equals(Optional.of(planned))
                ? Optional.empty()
                : Optional.of(name(node) + " has the number " + number.orElse("of no device") + ", not " + planned);
    }

    /** Of a PCI device the kernel's link to it ends in its address; no walk through the links is needed. */
    private Optional<PciAddress> address(String device) {
        return files.targetName(DEVICES + device + "/device").flatMap(PciAddress::parse);
    }

    /**
     * The nodes for management of the ports of a device.
     *
     * @param umad whether those for datagrams are wanted
     * @param issm whether those of a subnet manager are
     */
    public List<Node> management(RdmaDeviceName device, boolean umad, boolean issm) {
        var nodes = new ArrayList<Node>();
        for (String name : files.names(MANAGEMENT)) {
            boolean wanted = (umad && name.startsWith("umad")) || (issm && name.startsWith("issm"));
            if (wanted && files.optional(MANAGEMENT + "/" + name + "/ibdev").equals(Optional.of(device.text()))) {
                files.optional(MANAGEMENT + "/" + name + "/dev")
                        .flatMap(DeviceNumber::parse)
                        .ifPresent(number -> nodes.add(new Node(DIRECTORY + name, number.major(), number.minor())));
            }
        }
        return List.copyOf(nodes);
    }

    private static String name(Node node) {
        return node.path().substring(DIRECTORY.length());
    }
}
