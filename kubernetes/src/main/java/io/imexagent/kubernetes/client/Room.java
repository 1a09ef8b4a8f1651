package io.imexagent.kubernetes.client;

import java.util.HashMap;
import java.util.Map;

/**
 * The memory that all objects of a collection may cost, in bytes, where their number is up to those who make them: a
 * quarter of the heap for those of namespaces, half of it for the cluster's, which no tenant can make. What is made of an
 * object's fields is smaller than they are, by half and more.
 *
 * <p>The objects of one namespace take no more than they leave free: half at most, those of a second one then a quarter,
 * and so on. So who fills it leaves room for all others.
 */
final class Room {

    private static final long HEAP = Runtime.getRuntime().maxMemory();

    static final long OF_CLUSTER = HEAP / 2;

    static final long OF_NAMESPACES = HEAP / 4;

    private final Map<String, Long> ofNamespaces = new HashMap<>();
    private long taken;

    /**
     * An object takes so much from now on.
     *
     * @param namespace its namespace; empty where it is the cluster's
     * @param before what it took before
     * @throws UnreadableException where there is not so much
     */
    void take(String namespace, long before, long now) throws UnreadableException {
        long more = now - before;
        boolean own = !namespace.isEmpty();
        long all = own ? OF_NAMESPACES : OF_CLUSTER;
        if (more > 0 && all - taken - more < (own ? ofNamespaces.getOrDefault(namespace, 0L) + more : 0)) {
            throw new UnreadableException("no room: those before it take " + (taken >> 10) + " KiB of " + (all >> 10)
                    + (own ? ", and no namespace may take more than it leaves free" : "")
                    + "; give the process a larger heap");
        }
        put(namespace, more);
    }

    /** What was known before stays, whatever it takes. */
    void put(String namespace, long more) {
        taken += more;
        if (ofNamespaces.merge(namespace, more, Long::sum) == 0) {
            ofNamespaces.remove(namespace);
        }
    }

    boolean isSpacious() {
        return taken < OF_NAMESPACES / 4;
    }
}
