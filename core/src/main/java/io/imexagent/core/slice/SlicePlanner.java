package io.imexagent.core.slice;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.policy.ServingPolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Plans the publication of the node's devices: (inventory, policy, observed slices) → calls. Pure. */
public final class SlicePlanner {

    /** The most devices of one slice ({@code resource.k8s.io/v1 ResourceSliceMaxDevices}). */
    public static final int MOST_DEVICES = 128;

    private static final ChannelId CHANNEL_0 = new ChannelId(0);

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

    /** The channels that the policy hands out, in the order of their numbers. */
    public static List<Device> channels(ServingPolicy policy) {
        return policy.serves(CHANNEL_0) ? List.of(Device.channel(CHANNEL_0)) : List.of();
    }

    private static DesiredPool withMajor(NodeInventory inventory, ServingPolicy policy) {
        boolean clique = inventory.clique() instanceof CliqueState.Present;
        if (!clique && policy.withholdWithoutClique()) {
            return inventory.clique() instanceof CliqueState.Unknown unknown
                    ? new DesiredPool.Keep(new Finding(
                            "publication-unknown-clique",
                            Finding.Severity.WARNING,
                            "publication stays as it is: the NVLink clique is unknown (" + unknown.detail() + ")",
                            "see the finding on NVML"))
                    : new DesiredPool.Withdraw(new Finding(
                            "nothing-published-no-clique",
                            Finding.Severity.WARNING,
                            "no device is published: the node has no NVLink clique, and the configuration withholds"
                                    + " devices without one",
                            "mend the fabric, or set publication.withoutClique to true; publication follows without a"
                                    + " restart"));
        }
        return new DesiredPool.Publish(policy.poolName(), channels(policy));
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
        List<List<Device>> chunks = chunks(desired.devices());
        long newest = newest(desired.pool(), observed);
        var missing = new ArrayList<>(chunks);
        var surplus = new ArrayList<ObservedSlice>();
        for (ObservedSlice slice : observed) {
            boolean right = slice.ownedByNode()
                    && isAt(desired.pool(), newest, slice)
                    && slice.content().sliceCount() == chunks.size()
                    && missing.remove(slice.content().devices());
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
            String pool, int count, List<List<Device>> missing, List<ObservedSlice> surplus, long generation) {
        var actions = new ArrayList<SliceAction>();
        missing.forEach(
                devices -> actions.add(new SliceAction.Create(new PoolSlice(pool, generation, count, devices))));
        surplus.forEach(slice -> actions.add(new SliceAction.Delete(slice)));
        return List.copyOf(actions);
    }

    /** The content changed: the whole pool gets a new generation. A slice's pool name is immutable. */
    private static List<SliceAction> renew(
            String pool, List<List<Device>> chunks, List<ObservedSlice> observed, long generation) {
        var actions = new ArrayList<SliceAction>();
        var reusable = new ArrayDeque<ObservedSlice>();
        for (ObservedSlice slice : observed) {
            if (slice.content().pool().equals(pool) && reusable.size() < chunks.size()) {
                reusable.add(slice);
            } else {
                actions.add(new SliceAction.Delete(slice));
            }
        }
        for (List<Device> devices : chunks) {
            var content = new PoolSlice(pool, generation, chunks.size(), devices);
            ObservedSlice slice = reusable.poll();
            actions.add(slice == null ? new SliceAction.Create(content) : new SliceAction.Replace(slice, content));
        }
        return List.copyOf(actions);
    }

    private static List<List<Device>> chunks(List<Device> devices) {
        var chunks = new ArrayList<List<Device>>();
        for (int from = 0; from < devices.size(); from += MOST_DEVICES) {
            chunks.add(List.copyOf(devices.subList(from, Math.min(from + MOST_DEVICES, devices.size()))));
        }
        return chunks;
    }

    private static List<ObservedSlice> sorted(List<ObservedSlice> observed) {
        return observed.stream()
                .sorted(Comparator.comparing(ObservedSlice::name))
                .toList();
    }
}
