package io.imexagent.kubernetes.http;

import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.UnreadObjects;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleSupplier;
import java.util.stream.Stream;

/** The reflectors of one client, which are closed with it. */
final class Reflectors implements AutoCloseable {

    private final Transport transport;
    private final DoubleSupplier random;
    private final List<Reflector<?>> running = new CopyOnWriteArrayList<>();
    private final List<Reflector<?>> optional = new CopyOnWriteArrayList<>();

    Reflectors(Transport transport, DoubleSupplier random) {
        this.transport = transport;
        this.random = random;
    }

    /** Creates a reflector, which runs from its start until it or this object is closed. */
    <T> Reflector<T> of(Collection<T> collection) {
        var reflector = new Reflector<>(transport, collection, random, running::remove);
        running.add(reflector);
        return reflector;
    }

    /**
     * Creates a reflector of a collection that a cluster may lack: only the reflector reports its failure, {@link
     * #failure} does not.
     */
    <T> Reflector<T> optional(Collection<T> collection) {
        var reflector = new Reflector<>(transport, collection, random, optional::remove);
        optional.add(reflector);
        return reflector;
    }

    /** Why a watch is down, except those of optional collections; empty while all are up or starting. */
    Optional<ApiFailure> failure() {
        return running.stream().flatMap(one -> one.failure().stream()).findFirst();
    }

    /** The unreadable objects by resource; resources without any are left out. */
    Map<String, UnreadObjects> unread() {
        Map<String, UnreadObjects> unread = new TreeMap<>();
        for (Reflector<?> reflector :
                Stream.concat(running.stream(), optional.stream()).toList()) {
            UnreadObjects objects = reflector.unread();
            if (objects.count() > 0) {
                unread.merge(reflector.resource(), objects, UnreadObjects::and);
            }
        }
        return unread;
    }

    @Override
    public void close() {
        running.forEach(Reflector::close);
        optional.forEach(Reflector::close);
    }
}
