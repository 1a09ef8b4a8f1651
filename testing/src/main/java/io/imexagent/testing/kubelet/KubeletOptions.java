package io.imexagent.testing.kubelet;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** How the double behaves: at first as the kubelet of 1.37. Every method sets one thing and returns the same options. */
public final class KubeletOptions {
    final Path root;
    List<String> knownServices = List.of(Plugin.V1, Plugin.V1BETA1);
    List<String> knownHealth = List.of(Plugin.HEALTH_V1, Plugin.HEALTH_V1ALPHA1);
    Duration callTimeout = Duration.ofSeconds(45);
    Duration registrationRetry = Duration.ofSeconds(1);
    Duration healthRetry = Duration.ofSeconds(5);
    Duration deregistration = Duration.ZERO;

    private KubeletOptions(Path root) {
        this.root = root;
    }

    public static KubeletOptions in(Path root) {
        return new KubeletOptions(root);
    }

    /** Knows only these node services; an old kubelet knows only {@code v1beta1.DRAPlugin}. */
    public KubeletOptions knowing(String... services) {
        this.knownServices = List.of(services);
        return this;
    }

    /** Knows only these services of device health, the best first; a kubelet before 1.37 {@link Plugin#HEALTH_V1ALPHA1} alone. */
    public KubeletOptions followingHealthBy(String... services) {
        this.knownHealth = List.of(services);
        return this;
    }

    /** Tries failed registrations (default 1 s) and ended streams of health (default 5 s) again after so long. */
    public KubeletOptions retryingAfter(Duration pause) {
        this.registrationRetry = pause;
        this.healthRetry = pause;
        return this;
    }

    /** The deadline of a prepare or unprepare; default 45 s. */
    public KubeletOptions callingFor(Duration timeout) {
        this.callTimeout = timeout;
        return this;
    }

    /**
     * How long after its registration socket went a plugin is given up, and the connection closed with the calls on it;
     * default at once. The real kubelet looks once a second.
     */
    public KubeletOptions deregisteringAfter(Duration delay) {
        this.deregistration = delay;
        return this;
    }

    Path registryDirectory() {
        return root.resolve("plugins_registry");
    }
}
