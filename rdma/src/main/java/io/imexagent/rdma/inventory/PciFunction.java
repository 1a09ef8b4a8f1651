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
 * A PCI function that is a NIC. Unknown parts are empty; so is the physical function unless the NIC is a virtual one.
 * {@code links} are the PCIe links towards the root whose state is known, the function's own first.
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

    /** Whether both are functions of one card; a virtual function belongs to the card of its physical function. */
    public boolean isOnCardOf(PciFunction other) {
        PciAddress own = physicalFunction.orElse(address());
        PciAddress others = other.physicalFunction.orElse(other.address());
        return own.domain() == others.domain() && own.bus() == others.bus() && own.device() == others.device();
    }

    /**
     * The link from a port down to a device: its current rate, the maximum of the device, and the maximum of the port,
     * empty if unknown.
     *
     * @param end names the link: the port, or the device's first function where no port is shown, as in a virtual
     *     machine
     */
    public record PcieLink(PciAddress end, PciAddress device, Rate current, Rate card, Optional<Rate> slot) {

        /** The maximum rate that both ends support, as far as they report it. */
        public Rate most() {
            return slot.map(card::common).orElse(card);
        }

        /** Whether the link runs below that maximum. */
        public boolean isDowntrained() {
            return current.gigatransfers < most().gigatransfers || current.lanes < most().lanes;
        }

        /** Gigatransfers per second on each lane, and the number of lanes. */
        public record Rate(double gigatransfers, int lanes) {

            /** The rate that both support. */
            public Rate common(Rate other) {
                return new Rate(Math.min(gigatransfers, other.gigatransfers), Math.min(lanes, other.lanes));
            }

            @Override
            public String toString() {
                return BigDecimal.valueOf(gigatransfers).stripTrailingZeros().toPlainString() + " GT/s x" + lanes;
            }
        }
    }

    /** The purpose of a function by its vital product data (VPD). */
    public sealed interface Vpd {

        /** The function manages the NVSwitches of this machine, for Fabric Manager and the subnet manager of NVLink. */
        record SwitchManagementVpd() implements Vpd {}

        /** The VPD names no such purpose, or the function has no VPD. */
        record OrdinaryVpd() implements Vpd {}

        /** The VPD could not be read; the reason is a clause. */
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

        /** Parses an ID in upper or lower case; empty for any other text. */
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

        /**
         * Extracts the path from a resolved sysfs path; empty if anything but functions stands below the last PCI root.
         */
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

        /** The number of bridges above both functions; 0 if their roots differ. */
        public int sharedBridges(PciPath other) {
            int most = root.equals(other.root) ? Math.min(functions.size(), other.functions.size()) - 1 : 0;
            int shared = 0;
            while (shared < most && functions.get(shared).equals(other.functions.get(shared))) {
                shared++;
            }
            return shared;
        }

        /** The path of the function in sysfs, below the host's root. */
        public String sysfs() {
            String top = TREE + (above.isEmpty() ? "" : above + "/") + root + "/";
            return functions.stream().map(PciAddress::toString).collect(Collectors.joining("/", top, ""));
        }
    }
}
