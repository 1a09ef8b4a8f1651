package io.imexagent.rdma.rails;

import io.imexagent.core.slice.Device;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.RdmaInventory.GpuDirect;
import io.imexagent.rdma.rails.PublishedRails.PublishedRail.RailState;
import io.imexagent.rdma.selection.Choice;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.selection.Selection.NicVerdict;
import io.imexagent.rdma.setting.RdmaSettings;
import io.imexagent.rdma.watch.RdmaView;
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
 * The rails that a node publishes. Immutable; each reading of the node makes a new object.
 *
 * <p>A NIC comes with the look that finds it to be a rail. One that can carry no traffic stays until that has lasted;
 * then it goes, unless a claim holds it or down rails are kept with a taint. One that a rule takes away goes at once,
 * unless a claim holds it: Kubernetes loses track of a device that is allocated and not published.
 *
 * @param rails the published rails, by the name of the device
 */
public record PublishedRails(SortedMap<String, PublishedRail> rails) {

    public static final PublishedRails EMPTY = new PublishedRails(Collections.emptySortedMap());

    public PublishedRails {
        rails = Collections.unmodifiableSortedMap(new TreeMap<>((Map<String, PublishedRail>) rails));
    }

    /** The published rails after this view, while claims hold the devices {@code held}. */
    public PublishedRails updated(RdmaView view, Set<String> held, RdmaSettings settings, Instant now) {
        Map<String, PublishedRail> seen = seen(view, held);
        var names = new TreeSet<>(seen.keySet());
        names.addAll(rails.keySet());
        names.addAll(held);
        var next = new TreeMap<String, PublishedRail>();
        for (String name : names) {
            Optional<PublishedRail> before = Optional.ofNullable(rails.get(name));
            PublishedRail current = Optional.ofNullable(seen.get(name))
                    .orElseGet(() -> vanished(name, before, view.inventory().nics()));
            PublishedRail rail = before.map(known -> known.updated(current, now, settings.settleAfter()))
                    .orElse(current);
            if (held.contains(name) || stays(rail, before.isPresent(), settings)) {
                next.put(name, rail);
            }
        }
        return new PublishedRails(next);
    }

    private static boolean stays(PublishedRail rail, boolean known, RdmaSettings settings) {
        return switch (rail.seen()) {
            case RailState.RailUp _ -> true;
            case RailState.RailDown _ -> known && (settings.taint() || rail.settled() instanceof RailState.RailUp);
            case RailState.RailWithdrawn _ -> false;
        };
    }

    public List<Device> devices(RdmaSettings settings) {
        return rails.values().stream()
                .map(rail -> settings.taint() ? rail.tainted() : rail.device())
                .toList();
    }

    /** The time at which the next pending change takes effect. */
    public Optional<Instant> due(RdmaSettings settings) {
        return rails.values().stream()
                .flatMap(rail -> rail.since().stream())
                .map(from -> from.plus(settings.settleAfter()))
                .min(Instant::compareTo);
    }

    private static Map<String, PublishedRail> seen(RdmaView view, Collection<String> held) {
        GpuDirect gpuDirect = view.inventory().gpuDirect();
        Map<String, PublishedRail> seen = new HashMap<>();
        for (Rail rail : view.selection().rails()) {
            seen.put(rail.deviceName(), PublishedRail.first(RailDevices.of(rail, gpuDirect), new RailState.RailUp()));
        }
        for (NicVerdict verdict : view.selection().verdicts()) {
            verdict.reading().asNic().ifPresent(nic -> {
                String name = Rail.deviceName(nic.pci().address());
                seen.computeIfAbsent(
                        name,
                        _ -> PublishedRail.first(
                                RailDevices.of(nic, gpuDirect), state(verdict, nic, held.contains(name))));
            });
        }
        return seen;
    }

    private static RailState state(NicVerdict verdict, Nic nic, boolean held) {
        Optional<Choice.DropCause> passing =
                verdict.dropped().flatMap(Choice.DroppedNic::cause).filter(Choice.DropCause::isPassing);
        if (passing.isPresent()) {
            boolean inItsContainer = held
                    && passing.get() == Choice.DropCause.NO_NETDEV
                    && nic.ports().stream().anyMatch(Port::isActive);
            return inItsContainer
                    ? new RailState.RailUp()
                    : new RailState.RailDown(passing.get().text(), verdict.reason());
        }
        return new RailState.RailWithdrawn(verdict.dropped()
                .map(Choice.DroppedNic::reason)
                .orElse("rdma.strict is on, and another NIC of the node has no address"));
    }

    /** A NIC that was not read, or is missing: its last known state stays. */
    private static PublishedRail vanished(String name, Optional<PublishedRail> before, List<NicReading> nics) {
        Optional<Device> known = before.map(PublishedRail::device);
        Optional<Device.DeviceAttribute> named =
                known.map(device -> device.attributes().get("rdmaDevice"));
        boolean unread = nics.stream()
                .anyMatch(reading -> reading instanceof NicReading.FailedNic failed
                        && named.equals(Optional.of(new Device.DeviceAttribute.StringAttribute(failed.device()))));
        return PublishedRail.first(
                RailDevices.vanished(name, known),
                unread
                        ? new RailState.RailDown(Choice.DropCause.UNREADABLE.text(), "the device could not be read")
                        : new RailState.RailDown("gone", "the node has no such RDMA device any more"));
    }

    /**
     * A published rail. A change of its state must last before it takes effect, so that a flapping link does not
     * rewrite the slices each time. The device is without taints, as it was in the effective state; the time is present
     * while the observed state differs from the effective one.
     */
    public record PublishedRail(Device device, RailState settled, RailState seen, Optional<Instant> since) {

        /** A rail that is observed for the first time: the observed state takes effect at once. */
        static PublishedRail first(Device device, RailState seen) {
            return new PublishedRail(device, seen, seen, Optional.empty());
        }

        PublishedRail updated(PublishedRail current, Instant at, Duration after) {
            Instant from = since.orElse(at);
            return current.seen.getClass().equals(settled.getClass())
                            || Duration.between(from, at).compareTo(after) >= 0
                    ? current
                    : new PublishedRail(device, settled, current.seen, Optional.of(from));
        }

        /** The device with the taint of its state, if any. */
        Device tainted() {
            return switch (settled) {
                case RailState.RailUp _ -> device;
                case RailState.RailDown down -> withTaint(down.cause());
                case RailState.RailWithdrawn _ -> withTaint("withdrawn");
            };
        }

        private Device withTaint(String value) {
            var taint = new Device.DeviceTaint(RailDriver.TAINT, value, Device.DeviceTaint.TaintEffect.NO_SCHEDULE);
            return device.tainted(List.of(taint));
        }

        /** Whether a published rail can carry traffic, by the last reading. */
        public sealed interface RailState {

            /** All values of {@link #text}. */
            List<String> TEXTS = List.of("up", "down", "withdrawn");

            /** The state in a word, fit for a label. */
            default String text() {
                return switch (this) {
                    case RailUp _ -> "up";
                    case RailDown _ -> "down";
                    case RailWithdrawn _ -> "withdrawn";
                };
            }

            record RailUp() implements RailState {}

            /**
             * The rail carries no traffic now, and may again: the cause in lower-case words joined by hyphens, the
             * reason as a clause.
             */
            record RailDown(String cause, String reason) implements RailState {}

            /** The rail is kept only for the claims that hold it; the reason is a clause. */
            record RailWithdrawn(String reason) implements RailState {}
        }
    }
}
