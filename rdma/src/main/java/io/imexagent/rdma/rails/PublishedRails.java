package io.imexagent.rdma.rails;

import io.imexagent.core.slice.Device;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.selection.Choice;
import io.imexagent.rdma.selection.NicVerdict;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.selection.Selection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The rails that a node publishes, look after look. Immutable; a look makes a new one.
 *
 * <p>A NIC comes with the look that finds it to be a rail. One that can carry no traffic stays until that has lasted; then
 * it goes, unless a claim holds it or down rails are kept with a taint. One that a rule takes away goes at once, unless a
 * claim holds it: Kubernetes loses track of a device that is allocated and not published.
 *
 * @param rails the published rails, by the name of the device
 */
public record PublishedRails(SortedMap<String, PublishedRail> rails) {

    /** None. */
    public static final PublishedRails EMPTY = new PublishedRails(Collections.emptySortedMap());

    /** Copies the map in. */
    public PublishedRails {
        rails = Collections.unmodifiableSortedMap(new TreeMap<>((Map<String, PublishedRail>) rails));
    }

    /**
     * What is published, and for how long.
     *
     * @param settleAfter how long a change must last before it counts
     * @param keepDown whether a rail that is down stays, with a taint
     */
    public record Terms(Duration settleAfter, boolean keepDown) {}

    /**
     * The published rails after a look.
     *
     * @param held the names of the devices that claims hold
     */
    public PublishedRails looked(
            RdmaInventory inventory, Selection selection, Set<String> held, Terms terms, Instant now) {
        Map<String, Seen> seen = seen(inventory, selection, held);
        var names = new TreeSet<>(seen.keySet());
        names.addAll(rails.keySet());
        names.addAll(held);
        var next = new TreeMap<String, PublishedRail>();
        for (String name : names) {
            Optional<PublishedRail> before = Optional.ofNullable(rails.get(name));
            Seen look = Optional.ofNullable(seen.get(name)).orElseGet(() -> vanished(name, before, inventory));
            PublishedRail rail = before.map(known -> known.looked(look.device, look.state, now, terms.settleAfter))
                    .orElseGet(() -> PublishedRail.first(look.device, look.state));
            if (stays(rail, before.isPresent(), held.contains(name), terms)) {
                next.put(name, rail);
            }
        }
        return new PublishedRails(next);
    }

    private static boolean stays(PublishedRail rail, boolean known, boolean held, Terms terms) {
        return held
                || switch (rail.seen()) {
                    case PublishedRail.State.Up up -> true;
                    case PublishedRail.State.Down down ->
                        known && (terms.keepDown || rail.settled() instanceof PublishedRail.State.Up);
                    case PublishedRail.State.Withdrawn withdrawn -> false;
                };
    }

    /** The devices to publish. */
    public List<Device> devices(Terms terms) {
        return rails.values().stream()
                .map(rail -> terms.keepDown ? rail.tainted() : rail.device())
                .toList();
    }

    /** When the next change begins to count. */
    public Optional<Instant> due(Terms terms) {
        return rails.values().stream()
                .flatMap(rail -> rail.due(terms.settleAfter).stream())
                .min(Instant::compareTo);
    }

    private static Map<String, Seen> seen(RdmaInventory inventory, Selection selection, Collection<String> held) {
        Map<String, Seen> seen = new HashMap<>();
        for (Rail rail : selection.rails()) {
            seen.put(
                    rail.deviceName(),
                    new Seen(RailDevices.of(rail, inventory.gpuDirect()), new PublishedRail.State.Up()));
        }
        for (NicVerdict verdict : selection.verdicts()) {
            verdict.reading().asNic().ifPresent(nic -> {
                String name = Rail.deviceName(nic.pci().address());
                seen.computeIfAbsent(
                        name,
                        first -> new Seen(
                                RailDevices.of(nic, inventory.gpuDirect()), state(verdict, nic, held.contains(name))));
            });
        }
        return seen;
    }

    private static PublishedRail.State state(NicVerdict verdict, Nic nic, boolean held) {
        Optional<Choice.Cause> passing =
                verdict.dropped().flatMap(Choice.Dropped::cause).filter(Choice.Cause::isPassing);
        if (passing.isPresent()) {
            boolean inItsContainer = held
                    && passing.get() == Choice.Cause.NO_NETDEV
                    && nic.ports().stream().anyMatch(Port::isActive);
            return inItsContainer
                    ? new PublishedRail.State.Up()
                    : new PublishedRail.State.Down(passing.get().text(), verdict.reason());
        }
        return new PublishedRail.State.Withdrawn(verdict.dropped()
                .map(Choice.Dropped::reason)
                .orElse("rdma.strict is on, and another NIC of the node has no address"));
    }

    /** A NIC that was not read, or is not there: what was known of it stands. */
    private static Seen vanished(String name, Optional<PublishedRail> before, RdmaInventory inventory) {
        Device device = RailDevices.vanished(name, before.map(PublishedRail::device));
        boolean unread = before.map(known -> known.device().attributes().get("rdmaDevice"))
                .filter(attribute -> attribute instanceof Device.Attribute.Text(String rdmaDevice)
                        && inventory.nics().stream()
                                .anyMatch(reading -> reading instanceof NicReading.Failed failed
                                        && failed.device().equals(rdmaDevice)))
                .isPresent();
        return new Seen(
                device,
                unread
                        ? new PublishedRail.State.Down(Choice.Cause.UNREADABLE.text(), "the device could not be read")
                        : new PublishedRail.State.Down("gone", "the node has no such RDMA device any more"));
    }

    /** What one look at one NIC found. */
    private record Seen(Device device, PublishedRail.State state) {}
}
