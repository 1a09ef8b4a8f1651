package io.imexagent.imex.watch;

/** How a device is. Several sources may each have their say: {@link #and} joins them. */
public sealed interface Health {

    /** It works, as far as is known. */
    record Healthy() implements Health {}

    /** It works, with less than it could; the message is one line for the status of a pod. */
    record Degraded(String message) implements Health {}

    /** It does not work; the message likewise. */
    record Unhealthy(String message) implements Health {}

    /** Nobody can tell; the message says why. */
    record Unknown(String message) implements Health {}

    /** The worse of both, this one where they are equally bad: what is wrong counts more than what is not known. */
    default Health and(Health other) {
        return badness(other) > badness(this) ? other : this;
    }

    private static int badness(Health health) {
        return switch (health) {
            case Healthy healthy -> 0;
            case Degraded degraded -> 1;
            case Unknown unknown -> 2;
            case Unhealthy unhealthy -> 3;
        };
    }
}
