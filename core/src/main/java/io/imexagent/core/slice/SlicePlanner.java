package io.imexagent.core.slice;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.policy.ServingPolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Plans the publication of the node's devices: (inventory, policy, observed slices) → calls. Pure. */
public final class SlicePlanner {

    private SlicePlanner() {}

    /** What the node wants to publish under this policy. */
    public static DesiredPool desired(NodeInventory inventory, ServingPolicy policy) {
        return switch (inventory.channelMajor()) {
            case ChannelMajor.NotRegistered none ->
                new DesiredPool.Withdraw(new Finding(
                        "nothing-published-no-major",
                        Finding.Severity.ERROR,
                        "no device is published: the kernel has no device major for IMEX channels",
                        "load the NVIDIA driver with NVreg_ImexChannelCount above 0; publication follows without a"
                                + " restart"));
            case ChannelMajor.Unknown unknown ->
                new DesiredPool.Keep(new Finding(
                        "publication-unknown-major",
                        Finding.Severity.WARNING,
                        "publication stays as it is: the device major of IMEX channels is unknown (" + unknown.detail()
                                + ")",
                        "see the finding on /proc/devices"));
            case ChannelMajor.Registered registered -> withMajor(inventory, policy);
        };
    }

    /**
     * The same with taints.
     *
     * @param taints the taints of all devices; empty where there are never any, so that nothing makes room for them
     */
    public static DesiredPool desired(
            NodeInventory inventory, ServingPolicy policy, Optional<List<Device.Taint>> taints) {
        DesiredPool untainted = desired(inventory, policy);
        return taints.<DesiredPool>map(present -> switch (untainted) {
                    case DesiredPool.Publish publish -> publish.tainted(present);
                    case DesiredPool.Withdraw withdraw -> withdraw;
                    case DesiredPool.Keep keep -> keep;
                })
                .orElse(untainted);
    }

    /** The channels that the node hands out under the policy, in the order of their numbers. */
    public static List<Device> channels(NodeInventory inventory, ServingPolicy policy) {
        boolean shared = switch (policy.sharing()) {
            case NONE -> false;
            case DOMAIN -> true;
        };
        return policy.channels(inventory.channelCount()).stream()
                .map(channel -> Device.channel(channel).shared(shared))
                .toList();
    }

    private static DesiredPool withMajor(NodeInventory inventory, ServingPolicy policy) {
        List<Device> channels = channels(inventory, policy);
        if (channels.isEmpty()) {
            return new DesiredPool.Withdraw(new Finding(
                    "nothing-published-no-channels",
                    Finding.Severity.ERROR,
                    "no device is published: the driver offers no IMEX channel above 0, which isolation "
                            + policy.isolation().text() + " hands out",
                    "load the NVIDIA driver with a larger NVreg_ImexChannelCount, 2048 by default; publication follows"
                            + " without a restart"));
        }
        var publish = new DesiredPool.Publish(policy.poolName(), channels);
        if (!policy.withholdWithoutClique()) {
            return publish;
        }
        return switch (inventory.clique()) {
            case CliqueState.Present present -> publish;
            case CliqueState.Unknown unknown ->
                new DesiredPool.Keep(new Finding(
                        "publication-unknown-clique",
                        Finding.Severity.WARNING,
                        "publication stays as it is: the NVLink clique is unknown (" + unknown.detail() + ")",
                        "see the finding on NVML"));
            case CliqueState.None none ->
                withheld("the node has no NVLink clique (" + none.reason() + ")", "mend the fabric");
            case CliqueState.Registering registering ->
                withheld(
                        "a GPU has not finished its registration with the NVLink fabric (" + registering.detail() + ")",
                        "wait; where it takes more than minutes, look at the fabric manager of the rack");
            case CliqueState.Failed failed ->
                withheld(
                        "a GPU could not register with the NVLink fabric (" + failed.detail() + ")",
                        "look at the fabric manager of the rack and at the GPU");
            case CliqueState.Conflicting conflicting ->
                withheld(
                        "the node's GPUs report different NVLink cliques ("
                                + conflicting.ids().stream().map(CliqueId::text).collect(Collectors.joining(", "))
                                + ")",
                        "mend the fabric");
        };
    }

    private static DesiredPool withheld(String why, String remedy) {
        return new DesiredPool.Withdraw(new Finding(
                "nothing-published-no-clique",
                Finding.Severity.WARNING,
                "no device is published: " + why + ", and the configuration withholds devices without a clique",
                remedy + ", or set publication.withoutClique to true; publication follows without a restart"));
    }

    /** The calls that turn the observed slices into the desired ones; none where they are equal. */
    public static List<SliceAction> plan(DesiredPool desired, List<ObservedSlice> observed) {
        return switch (desired) {
            case DesiredPool.Keep keep -> List.of();
            case DesiredPool.Withdraw withdraw ->
                sorted(observed).stream()
                        .<SliceAction>map(SliceAction.Delete::new)
                        .toList();
            case DesiredPool.Publish publish -> publish(publish, sorted(observed));
        };
    }

    private static List<SliceAction> publish(DesiredPool.Publish desired, List<ObservedSlice> observed) {
        List<List<Device>> chunks = chunks(desired);
        long newest = newest(desired.pool(), observed);
        SortedMap<Integer, List<Device>> missing = new TreeMap<>();
        chunks.forEach(devices -> missing.put(missing.size(), devices));
        var surplus = new ArrayList<ObservedSlice>();
        for (ObservedSlice slice : observed) {
            boolean right = slice.ownedByNode()
                    && isAt(desired.pool(), newest, slice)
                    && slice.content().sliceCount() == chunks.size()
                    && missing.values().remove(slice.content().devices());
            if (!right) {
                surplus.add(slice);
            }
        }
        boolean poolStands = missing.size() < chunks.size();
        boolean told = surplus.stream().anyMatch(slice -> isAt(desired.pool(), newest, slice));
        return missing.isEmpty() || (poolStands && !told)
                ? restore(desired.pool(), chunks.size(), missing, surplus, newest)
                : renew(desired.pool(), chunks, observed, newest + 1);
    }

    /** The pool's newest generation, 0 where it has none. Generations of other pools are not compared with it. */
    private static long newest(String pool, List<ObservedSlice> observed) {
        return observed.stream()
                .map(ObservedSlice::content)
                .filter(content -> content.pool().equals(pool))
                .mapToLong(PoolSlice::generation)
                .max()
                .orElse(0);
    }

    private static boolean isAt(String pool, long generation, ObservedSlice slice) {
        return slice.content().pool().equals(pool) && slice.content().generation() == generation;
    }

    /** The content is the published one, so its generation stays: what is missing comes back, what is surplus goes. */
    private static List<SliceAction> restore(
            String pool,
            int count,
            SortedMap<Integer, List<Device>> missing,
            List<ObservedSlice> surplus,
            long generation) {
        var actions = new ArrayList<SliceAction>();
        missing.forEach((index, devices) ->
                actions.add(new SliceAction.Create(index, new PoolSlice(pool, generation, count, devices))));
        surplus.forEach(slice -> actions.add(new SliceAction.Delete(slice)));
        return List.copyOf(actions);
    }

    /**
     * The content changed: the whole pool gets a new generation. A slice's pool name is immutable, and so is its own: it
     * stays at the position that its name tells.
     */
    private static List<SliceAction> renew(
            String pool, List<List<Device>> chunks, List<ObservedSlice> observed, long generation) {
        var actions = new ArrayList<SliceAction>();
        var placed = new HashMap<Integer, ObservedSlice>();
        var free = new ArrayDeque<ObservedSlice>();
        for (ObservedSlice slice : observed) {
            OptionalInt index = slice.index();
            if (slice.content().pool().equals(pool) && index.isEmpty()) {
                free.add(slice);
            } else if (!slice.content().pool().equals(pool)
                    || index.getAsInt() >= chunks.size()
                    || placed.putIfAbsent(index.getAsInt(), slice) != null) {
                actions.add(new SliceAction.Delete(slice));
            }
        }
        var puts = new ArrayList<SliceAction>();
        for (int index = 0; index < chunks.size(); index++) {
            var content = new PoolSlice(pool, generation, chunks.size(), chunks.get(index));
            ObservedSlice slice = placed.containsKey(index) ? placed.get(index) : free.poll();
            puts.add(slice == null ? new SliceAction.Create(index, content) : new SliceAction.Replace(slice, content));
        }
        free.forEach(slice -> actions.add(new SliceAction.Delete(slice)));
        actions.addAll(puts);
        return List.copyOf(actions);
    }

    private static List<List<Device>> chunks(DesiredPool.Publish desired) {
        List<Device> devices = desired.devices();
        var chunks = new ArrayList<List<Device>>();
        for (int from = 0; from < devices.size(); from += desired.perSlice()) {
            chunks.add(List.copyOf(devices.subList(from, Math.min(from + desired.perSlice(), devices.size()))));
        }
        return chunks;
    }

    private static List<ObservedSlice> sorted(List<ObservedSlice> observed) {
        return observed.stream()
                .sorted(Comparator.comparing(ObservedSlice::name))
                .toList();
    }
}
