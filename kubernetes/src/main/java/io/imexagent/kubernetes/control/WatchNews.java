package io.imexagent.kubernetes.control;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a watch tells. It is told on the watch's thread, one at a time: who hears of it must not block.
 *
 * @param <T> what is told of an object
 */
public sealed interface WatchNews<T> {

    /**
     * All objects as of a version; what is not among them, and not younger than the version, is gone.
     *
     * @param objects all of them
     * @param version the collection's {@code resourceVersion}
     */
    record All<T>(List<T> objects, String version) implements WatchNews<T> {}

    /**
     * An object is there, new or changed.
     *
     * @param object the object
     */
    record Present<T>(T object) implements WatchNews<T> {}

    /**
     * An object is gone.
     *
     * @param uid its UID
     */
    record Gone<T>(String uid) implements WatchNews<T> {}

    /** The same, of what the function makes of objects; empty where that is nothing of the one object that is told. */
    default <U> Optional<WatchNews<U>> map(Function<T, Optional<U>> making) {
        return switch (this) {
            case All<T>(List<T> objects, String version) ->
                Optional.of(new All<>(
                        objects.stream()
                                .flatMap(object -> making.apply(object).stream())
                                .toList(),
                        version));
            case Present<T>(T object) -> making.apply(object).map(Present::new);
            case Gone<T>(String uid) -> Optional.of(new Gone<>(uid));
        };
    }
}
