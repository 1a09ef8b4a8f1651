package io.imexagent.kubernetes.control;

import java.util.Collection;

/**
 * Hears what a watch tells. Called on the watch's thread, one call at a time: it must not block.
 *
 * @param <T> what is told of an object
 */
public interface WatchSink<T> {

    /**
     * All objects as of a version; what is not among them, and not younger than the version, is gone.
     *
     * @param objects all of them
     * @param version the collection's {@code resourceVersion}
     */
    void all(Collection<T> objects, String version);

    /** An object is there, new or changed. */
    void present(T object);

    /** An object is gone. */
    void gone(String uid);
}
