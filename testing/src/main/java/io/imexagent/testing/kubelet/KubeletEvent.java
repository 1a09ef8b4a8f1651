package io.imexagent.testing.kubelet;

import java.nio.file.Path;
import java.util.List;

/** Something that the double saw or did. */
public sealed interface KubeletEvent {

    /**
     * A plugin was registered and told so.
     *
     * @param driver its driver
     * @param socket its registration socket
     * @param endpoint the socket of its services
     * @param services what it supports, in its order
     * @param service the node service that is used, {@code v1.DRAPlugin} or {@code v1beta1.DRAPlugin}
     */
    record Registered(String driver, Path socket, Path endpoint, List<String> services, String service)
            implements KubeletEvent {

        /** Copies the list in. */
        public Registered {
            services = List.copyOf(services);
        }
    }

    /**
     * A plugin was told that it is not registered. It is tried again.
     *
     * @param socket its registration socket
     * @param error what it was told
     */
    record Rejected(Path socket, String error) implements KubeletEvent {}

    /**
     * A plugin could not be asked. It is tried again.
     *
     * @param socket its registration socket
     * @param reason why
     */
    record Unreachable(Path socket, String reason) implements KubeletEvent {}

    /**
     * The socket of a plugin has disappeared, or the double forgot it.
     *
     * @param driver its driver
     * @param socket its registration socket
     */
    record Deregistered(String driver, Path socket) implements KubeletEvent {}

    /**
     * A plugin reported the health of its devices.
     *
     * @param driver its driver
     * @param devices all of them
     */
    record Health(String driver, List<DeviceStatus> devices) implements KubeletEvent {

        /** Copies the list in. */
        public Health {
            devices = List.copyOf(devices);
        }
    }

    /**
     * A stream of health has ended. It is opened again.
     *
     * @param driver the plugin's driver
     * @param reason the status with which it ended
     */
    record HealthEnded(String driver, String reason) implements KubeletEvent {}
}
