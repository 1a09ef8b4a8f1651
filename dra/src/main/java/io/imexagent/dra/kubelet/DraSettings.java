package io.imexagent.dra.kubelet;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The settings of the kubelet's services; how long a report of device health is valid, in whole seconds; and how often
 * the socket files are checked.
 */
public record DraSettings(
        Path kubeletRoot, String driver, PeerPolicy peers, Duration healthTimeout, Duration socketCheck) {

    /** The usual interval of the checks of the socket files. */
    public static final Duration SOCKET_CHECK = Duration.ofSeconds(2);

    /**
     * Makes the root absolute, as the kubelet requires; a timeout is at least one second, the unit of the kubelet's
     * API.
     */
    public DraSettings {
        kubeletRoot = kubeletRoot.toAbsolutePath().normalize();
        if (healthTimeout.toSeconds() < 1) {
            throw new IllegalArgumentException("the timeout of device health is at least 1 s, not " + healthTimeout);
        }
    }

    /** The plugin's own directory, by the kubelet's convention. */
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

    /**
     * The users that may connect to the agent's sockets, by the user IDs that the kernel reports for peers of a Unix
     * socket.
     */
    public record PeerPolicy(Set<Integer> uids) {

        private static final int ROOT = 0;

        public PeerPolicy {
            uids = Set.copyOf(uids);
        }

        /** Admits root, the user of the kubelet, and one further user if given. */
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
