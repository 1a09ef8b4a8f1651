package io.imexagent.kubernetes.control;

import java.util.List;

/**
 * News of a watch. Listeners are called on the watch's thread, one at a time, and must not block.
 *
 * @param <T> what is told of an object
 */
public sealed interface WatchNews<T> {

    /**
     * All objects as of a version; what is not among them, and not younger than the version, is gone.
     *
     * @param version the collection's {@code resourceVersion}
     */
    record All<T>(List<T> objects, String version) implements WatchNews<T> {}

    /** An object is there, new or changed. */
    record Present<T>(T object) implements WatchNews<T> {}

    /**
     * An object is gone.
     *
     * <p>Of objects that are watched by a label one may be told again later, in a newer state: it has the label back.
     *
     * @param version the last version of it that concerned who watches; empty where the server did not tell
     */
    record Gone<T>(String uid, String version) implements WatchNews<T> {}
}
