package io.imexagent.core.slice;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/** Plans the publication of a node's devices: (desired pool, observed slices) → calls. Pure. */
public final class SlicePlanner {

    private SlicePlanner() {}

    /** The calls that turn the observed slices into the desired ones; none where they are equal. */
    public static List<SliceAction> plan(DesiredPool desired, List<ObservedSlice> observed) {
        return switch (desired) {
            case DesiredPool.Keep keep -> List.of();
            case DesiredPool.Withdraw withdraw ->
                sorted(observed).stream()
                        .<SliceAction>map(SliceAction.DeleteSlice::new)
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
        boolean published = surplus.stream().anyMatch(slice -> isAt(desired.pool(), newest, slice));
        if (!missing.isEmpty() && (!poolStands || published)) {
            return renew(desired.pool(), chunks, observed, newest + 1);
        }
        // The content is unchanged, so the generation stays: missing slices are created, surplus ones deleted.
        var actions = new ArrayList<SliceAction>();
        missing.forEach((index, devices) -> actions.add(
                new SliceAction.CreateSlice(index, new PoolSlice(desired.pool(), newest, chunks.size(), devices))));
        surplus.forEach(slice -> actions.add(new SliceAction.DeleteSlice(slice)));
        return List.copyOf(actions);
    }

    /** The newest generation of this pool, 0 if it has none. Other pools' generations do not count. */
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

    /**
     * Gives the pool a new generation, since its content changed. A slice keeps its name, its pool and its position in
     * the pool.
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
                actions.add(new SliceAction.DeleteSlice(slice));
            }
        }
        var puts = new ArrayList<SliceAction>();
        for (int index = 0; index < chunks.size(); index++) {
            var content = new PoolSlice(pool, generation, chunks.size(), chunks.get(index));
            ObservedSlice slice = placed.containsKey(index) ? placed.get(index) : free.poll();
            puts.add(
                    slice == null
                            ? new SliceAction.CreateSlice(index, content)
                            : new SliceAction.ReplaceSlice(slice, content));
        }
        free.forEach(slice -> actions.add(new SliceAction.DeleteSlice(slice)));
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

    /** One call towards the desired pool. */
    public sealed interface SliceAction {

        /** Creates a slice with this content. Its position in the pool, from 0, is the first part of its name. */
        record CreateSlice(int index, PoolSlice content) implements SliceAction {}

        record ReplaceSlice(ObservedSlice observed, PoolSlice content) implements SliceAction {}

        record DeleteSlice(ObservedSlice observed) implements SliceAction {}
    }
}
