package io.imexagent.testing.kubelet;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * How the double behaves.
 *
 * @param root the kubelet's root directory
 * @param knownServices the node services that it knows; an old kubelet knows only {@code v1beta1.DRAPlugin}
 * @param callTimeout the deadline of a prepare or unprepare
 * @param registrationRetry when a registration that failed is tried again
 * @param healthRetry when a stream of health that ended is opened again
 * @param deregistration how long after a registration socket went its plugin is given up, and the connection closed with
 *     the calls on it: the real kubelet looks once a second
 */
public record KubeletOptions(
        Path root,
        List<String> knownServices,
        Duration callTimeout,
        Duration registrationRetry,
        Duration healthRetry,
        Duration deregistration) {

    /** Copies the list in. */
    public KubeletOptions {
        knownServices = List.copyOf(knownServices);
    }

    /** The kubelet of 1.36; its look for lost plugins always comes at once. */
    public static KubeletOptions in(Path root) {
        return new KubeletOptions(
                root,
                List.of(Plugin.V1, Plugin.V1BETA1),
                Duration.ofSeconds(45),
                Duration.ofSeconds(1),
                Duration.ofSeconds(5),
                Duration.ZERO);
    }

    /** The same, but it knows only these node services. */
    public KubeletOptions knowing(String... services) {
        return new KubeletOptions(root, List.of(services), callTimeout, registrationRetry, healthRetry, deregistration);
    }

    /** The same, but it tries again after so long, whatever it was. */
    public KubeletOptions retryingAfter(Duration pause) {
        return new KubeletOptions(root, knownServices, callTimeout, pause, pause, deregistration);
    }

    /** The same, but a prepare or unprepare has this deadline. */
    public KubeletOptions callingFor(Duration timeout) {
        return new KubeletOptions(root, knownServices, timeout, registrationRetry, healthRetry, deregistration);
    }

    /** The same, but it gives a plugin up so long after its registration socket went. */
    public KubeletOptions deregisteringAfter(Duration delay) {
        return new KubeletOptions(root, knownServices, callTimeout, registrationRetry, healthRetry, delay);
    }

    /** The directory that is watched for plugins. */
    public Path registryDirectory() {
        return root.resolve("plugins_registry");
    }
}
