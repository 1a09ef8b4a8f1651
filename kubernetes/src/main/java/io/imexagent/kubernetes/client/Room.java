package io.imexagent.kubernetes.client;

import java.util.HashMap;
import java.util.Map;

/**
 * The memory that all objects of a collection may cost, in bytes: an eighth of the heap, where their number is up to those
 * who make them. What is made of an object's fields is smaller than they are, by half and more.
 *
 * <p>The objects of one namespace take no more than they leave free: half at most, those of a second one then a quarter,
 * and so on. So who fills it leaves room for everybody else.
 */
final class Room {

    static final long ALL = Runtime.getRuntime().maxMemory() / 8;

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
        long free = ALL - taken - more;
        if (more > 0 && free < (namespace.isEmpty() ? 0 : ofNamespaces.getOrDefault(namespace, 0L) + more)) {
            throw new UnreadableException("no room: those before it take " + (taken >> 10) + " KiB of " + (ALL >> 10)
                    + ", an eighth of the heap, and no namespace may take more than it leaves free");
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

    /** Whether most of it is free. */
    boolean isSpacious() {
        return taken < ALL / 4;
    }
}
