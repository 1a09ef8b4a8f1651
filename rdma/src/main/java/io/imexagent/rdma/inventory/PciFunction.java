package io.imexagent.rdma.inventory;

import io.imexagent.core.claim.Quoted;
import io.imexagent.core.inventory.PciAddress;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A PCI function that is a NIC, and whose virtual function it is; empty is what is not told or not there. It has the links
 * on its way to the PCI root whose device tells how they run, its own first.
 */
public record PciFunction(
        PciPath path,
        Optional<Integer> numaNode,
        Optional<PciId> id,
        Optional<String> driver,
        Optional<PciAddress> physicalFunction,
        Vpd vpd,
        List<PcieLink> links) {

    public PciFunction {
        links = List.copyOf(links);
    }

    public PciAddress address() {
        return path.function();
    }

    /** Whether both are functions of one card; a virtual function is of the card of its physical one. */
    public boolean isOnCardOf(PciFunction other) {
        PciAddress own = physicalFunction.orElse(address());
        PciAddress others = other.physicalFunction.orElse(other.address());
        return own.domain() == others.domain() && own.bus() == others.bus() && own.device() == others.device();
    }

    /**
     * The link from a port down to a device: how it runs, the most that the device can do, and the most that the port can,
     * empty where that is not told.
     *
     * @param end names the link: the port, or the device's first function where no port is shown, as in a virtual machine
     */
    public record PcieLink(PciAddress end, PciAddress device, Rate current, Rate card, Optional<Rate> slot) {

        /** The most that both its ends can do, as far as they tell. */
        public Rate most() {
            return slot.map(card::common).orElse(card);
        }

        /** Whether it was trained to less than that. */
        public boolean isDowntrained() {
            return current.gigatransfers < most().gigatransfers || current.lanes < most().lanes;
        }

        /** Gigatransfers a second on each lane, and the number of lanes. */
        public record Rate(double gigatransfers, int lanes) {

            /** The rate that both can do. */
            public Rate common(Rate other) {
                return new Rate(Math.min(gigatransfers, other.gigatransfers), Math.min(lanes, other.lanes));
            }

            @Override
            public String toString() {
                return BigDecimal.valueOf(gigatransfers).stripTrailingZeros().toPlainString() + " GT/s x" + lanes;
            }
        }
    }

    /** What a function's vital product data say of its purpose. */
    public sealed interface Vpd {

        /** It is the way to the NVSwitches of this machine, for Fabric Manager and the subnet manager of NVLink. */
        record SwitchManagementVpd() implements Vpd {}

        /** Nothing of that, or it has none. */
        record OrdinaryVpd() implements Vpd {}

        /** It has some, and they could not be read, for this reason (a clause). */
        record UnreadVpd(String reason) implements Vpd {}
    }

    /** Vendor and device of a PCI function, {@code 15b3:1021}: four hexadecimal digits each, in lower case. */
    public record PciId(String text) {

        private static final Pattern GRAMMAR = Pattern.compile("[0-9a-f]{4}:[0-9a-f]{4}");

        public PciId {
            if (!GRAMMAR.matcher(text).matches()) {
                throw new IllegalArgumentException("no PCI vendor:device: " + Quoted.of(text));
            }
        }

        /** The ID in this text in either case, or empty. */
        public static Optional<PciId> parse(String text) {
            String lower = text.toLowerCase(Locale.ROOT);
            return GRAMMAR.matcher(lower).matches() ? Optional.of(new PciId(lower)) : Optional.empty();
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * The way from a PCI root to a function: the root ({@code pci0000:00}, the value of {@code
     * resource.kubernetes.io/pcieRoot}), the bridges in between, and the function itself. On a bare machine the root is the
     * kernel's own ({@code sys/devices/pci0000:00}); in a guest of Hyper-V it sits below a device of the VMBus ({@code
     * …/VMBUS:01/<guid>/pci0001:00}), which may sit below another PCI root. The folder {@code above} is empty for the
     * kernel's own.
     */
    public record PciPath(String above, String root, List<PciAddress> functions) {

        private static final String TREE = "sys/devices/";
        private static final Pattern GRAMMAR =
                Pattern.compile(TREE + "(?:(.*)/)?(pci[0-9a-f]{4,8}:[0-9a-f]{2})/([^/]+(?:/[^/]+)*)");

        public PciPath {
            functions = List.copyOf(functions);
            if (functions.isEmpty()) {
                throw new IllegalArgumentException("a PCI path ends in a function");
            }
        }

        /** The path in a resolved sysfs path; empty where below its last PCI root is more than functions. */
        public static Optional<PciPath> parse(String resolved) {
            Matcher path = GRAMMAR.matcher(resolved);
            if (!path.matches()) {
                return Optional.empty();
            }
            List<String> below = List.of(path.group(3).split("/", -1));
            List<PciAddress> functions = below.stream()
                    .flatMap(part -> PciAddress.parse(part).stream())
                    .toList();
            return functions.size() < below.size()
                    ? Optional.empty()
                    : Optional.of(new PciPath(Objects.toString(path.group(1), ""), path.group(2), functions));
        }

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
            String top = TREE + (above.isEmpty() ? "" : above + "/") + root + "/";
            return functions.stream().map(PciAddress::toString).collect(Collectors.joining("/", top, ""));
        }
    }
}
