package io.imexagent.dra.kubelet;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Set;

/**
 * How the kubelet's services are set up; how long the kubelet may believe a report of device health, in whole seconds;
 * and how often the socket files are looked for.
 */
public record DraSettings(
        Path kubeletRoot, String driver, PeerPolicy peers, Duration healthTimeout, Duration socketCheck) {

    /** How often the socket files are looked for, usually. */
    public static final Duration SOCKET_CHECK = Duration.ofSeconds(2);

    /** Makes the root absolute, as the kubelet wants it; a timeout is at least a second, as its API counts them. */
    public DraSettings {
        kubeletRoot = kubeletRoot.toAbsolutePath().normalize();
        if (healthTimeout.toSeconds() < 1) {
            throw new IllegalArgumentException("the timeout of device health is at least 1 s, not " + healthTimeout);
        }
    }

    /** The directory of the plugin's own, by the kubelet's convention. */
    Path pluginDirectory() {
        return kubeletRoot.resolve("plugins").resolve(driver);
    }

    Path registryDirectory() {
        return kubeletRoot.resolve("plugins_registry");
    }

    /** The socket of the node service and of device health. */
    Path draSocket() {
        return pluginDirectory().resolve("dra.sock");
    }

    /** The socket that makes the kubelet register the plugin. */
    Path registrationSocket() {
        return registryDirectory().resolve(driver + "-reg.sock");
    }

    /** Who may connect to the agent's sockets: user IDs, as the kernel gives them for the peer of a Unix socket. */
    public record PeerPolicy(Set<Integer> uids) {

        private static final int ROOT = 0;

        public PeerPolicy {
            uids = Set.copyOf(uids);
        }

        /** Root, as whom the kubelet runs, and another user if there is one. */
        public static PeerPolicy rootAnd(OptionalInt other) {
            var uids = new HashSet<Integer>();
            uids.add(ROOT);
            other.ifPresent(uids::add);
            return new PeerPolicy(uids);
        }

        boolean admits(int uid) {
            return uids.contains(uid);
        }
    }
}
