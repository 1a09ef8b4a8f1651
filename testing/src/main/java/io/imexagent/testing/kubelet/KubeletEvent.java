package io.imexagent.testing.kubelet;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Something that the double saw or did. A {@code socket} is the registration socket of the plugin that it is about. */
public sealed interface KubeletEvent {

    /**
     * A plugin was registered and told so.
     *
     * @param endpoint the socket of its services
     * @param services what it supports, in its order
     * @param service the node service that is used, {@code v1.DRAPlugin} or {@code v1beta1.DRAPlugin}
     */
    record PluginRegistered(String driver, Path socket, Path endpoint, List<String> services, String service)
            implements KubeletEvent {

        public PluginRegistered {
            services = List.copyOf(services);
        }
    }

    /** A plugin was told, with this error, that it is not registered. It is tried again. */
    record PluginRejected(Path socket, String error) implements KubeletEvent {}

    /** A plugin could not be asked. It is tried again. */
    record PluginUnreachable(Path socket, String reason) implements KubeletEvent {}

    /** The socket of a plugin has disappeared, or the double forgot it. */
    record PluginDeregistered(String driver, Path socket) implements KubeletEvent {}

    /** A plugin reported the health of all its devices. */
    record HealthReported(String driver, List<DeviceStatus> devices) implements KubeletEvent {

        public HealthReported {
            devices = List.copyOf(devices);
        }
    }

    /** A stream of health has ended with this gRPC status. It is opened again. */
    record HealthEnded(String driver, String reason) implements KubeletEvent {}

    /**
     * A plugin's report of one device.
     *
     * @param device its name in the pool
     * @param health {@code HEALTHY}, {@code UNHEALTHY} or {@code UNKNOWN}
     * @param message what is wrong
     * @param updated when the plugin says that it looked
     * @param timeout how long the report may be believed
     */
    record DeviceStatus(String pool, String device, String health, String message, Instant updated, Duration timeout) {}
}
