package io.imexagent.dra.driver;

import io.imexagent.core.slice.Device;
import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.core.slice.PoolSlice;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Slices;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.function.Consumer;

/** ResourceSlices in memory, with an API server's manners: resource versions, owners, a watch, dropped fields. */
public final class FakeSlices implements Slices {

    private record Stored(long version, String ownerUid, PoolSlice content) {}

    private final Map<String, Stored> stored = new TreeMap<>();
    private final Map<Object, Watcher> watchers = new TreeMap<>();
    private final Queue<Object> failures = new ArrayDeque<>();
    private final List<String> calls = new ArrayList<>();
    private final List<PoolSlice> asked = new ArrayList<>();
    private Optional<String> dropped = Optional.empty();
    private boolean silent;
    private boolean lagging;
    private long version;

    private record Watcher(NodeRef owner, Consumer<List<ObservedSlice>> listener) {}

    /** Puts a slice there, as somebody else would. */
    public synchronized void put(String name, String ownerUid, PoolSlice content) {
        stored.put(name, new Stored(++version, ownerUid, content));
        tell();
    }

    /** Deletes all slices, as a kubelet does that starts. */
    public synchronized void wipe() {
        stored.clear();
        tell();
    }

    /** Lets the watch tell nothing any more. */
    public synchronized void silence() {
        silent = true;
    }

    /** Lets the watch tell again, from what there is now: it was opened anew. */
    public synchronized void speak() {
        silent = false;
        tell();
    }

    /** Lets the watch tell what there is when it begins, and nothing afterwards. */
    public synchronized void lag() {
        lagging = true;
    }

    /** Drops an attribute, the {@code taints} or the {@code sharing} of devices that are stored from now on. */
    public synchronized void drop(String attribute) {
        dropped = Optional.of(attribute);
    }

    /** Lets the next calls fail, with an {@link ApiFailure} or a {@link RuntimeException}. */
    public synchronized void fail(Object failure, int times) {
        for (int i = 0; i < times; i++) {
            failures.add(failure);
        }
    }

    public synchronized List<PoolSlice> contents() {
        return stored.values().stream().map(Stored::content).toList();
    }

    public synchronized List<String> names() {
        return List.copyOf(stored.keySet());
    }

    public synchronized List<String> owners() {
        return stored.values().stream().map(Stored::ownerUid).toList();
    }

    public synchronized List<NodeRef> watchedFor() {
        return watchers.values().stream().map(Watcher::owner).toList();
    }

    /** What was asked to be stored, in order. */
    public synchronized List<PoolSlice> asked() {
        return List.copyOf(asked);
    }

    /** The calls that succeeded, by name. */
    public synchronized List<String> calls() {
        return List.copyOf(calls);
    }

    public synchronized long count(String call) {
        return calls.stream().filter(call::equals).count();
    }

    @Override
    public synchronized List<ObservedSlice> list(NodeRef owner) throws ApiException {
        called("list");
        return observed(owner);
    }

    @Override
    public synchronized ObservedSlice create(NodeRef owner, int index, PoolSlice content) throws ApiException {
        called("create");
        return store("%05x-slice-%d".formatted(index, version + 1), owner, content);
    }

    @Override
    public synchronized ObservedSlice replace(NodeRef owner, ObservedSlice observed, PoolSlice content)
            throws ApiException {
        called("replace");
        Stored present = stored.get(observed.name());
        if (present == null) {
            throw new ApiException(failure(ApiFailure.FailureKind.NOT_FOUND));
        }
        if (!Long.toString(present.version()).equals(observed.resourceVersion())) {
            throw new ApiException(failure(ApiFailure.FailureKind.CONFLICT));
        }
        return store(observed.name(), owner, content);
    }

    @Override
    public synchronized void delete(ObservedSlice observed) throws ApiException {
        called("delete");
        stored.remove(observed.name());
        tell();
    }

    @Override
    public synchronized SliceWatch watch(NodeRef owner, Consumer<List<ObservedSlice>> listener) {
        Integer key = (int) ++version;
        watchers.put(key, new Watcher(owner, listener));
        if (!silent) {
            listener.accept(observed(owner));
        }
        return () -> unwatch(key);
    }

    public static ApiFailure failure(ApiFailure.FailureKind kind) {
        return new ApiFailure(kind, kind.label() + " as the test wants", Optional.empty());
    }

    private synchronized void unwatch(Object key) {
        watchers.remove(key);
    }

    private void called(String call) throws ApiException {
        Object failure = failures.poll();
        if (failure instanceof ApiFailure ofApi) {
            throw new ApiException(ofApi);
        }
        if (failure instanceof RuntimeException defect) {
            throw defect;
        }
        calls.add(call);
    }

    private ObservedSlice store(String name, NodeRef owner, PoolSlice content) {
        asked.add(content);
        stored.put(name, new Stored(++version, owner.uid(), withoutDropped(content)));
        tell();
        return observed(owner).stream()
                .filter(slice -> slice.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private PoolSlice withoutDropped(PoolSlice content) {
        return new PoolSlice(
                content.pool(),
                content.generation(),
                content.sliceCount(),
                content.devices().stream().map(this::withoutDropped).toList());
    }

    private Device withoutDropped(Device device) {
        var attributes = new TreeMap<>(device.attributes());
        dropped.ifPresent(attributes::remove);
        return new Device(
                device.name(),
                attributes,
                dropped.equals(Optional.of("taints")) ? List.of() : device.taints(),
                device.shared() && !dropped.equals(Optional.of("sharing")));
    }

    private List<ObservedSlice> observed(NodeRef owner) {
        var observed = new ArrayList<ObservedSlice>();
        stored.forEach((name, slice) -> observed.add(new ObservedSlice(
                name, Long.toString(slice.version()), slice.ownerUid().equals(owner.uid()), slice.content())));
        return observed;
    }

    private void tell() {
        if (!silent && !lagging) {
            watchers.values().forEach(watcher -> watcher.listener().accept(observed(watcher.owner())));
        }
    }
}
