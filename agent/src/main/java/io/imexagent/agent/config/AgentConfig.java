package io.imexagent.agent.config;

import io.imexagent.imex.gate.ImexServiceSettings;
import io.imexagent.imex.prepare.ServingPolicy;
import io.imexagent.imex.prepare.Sharing;
import io.imexagent.imex.watch.ImexWatchSettings;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.rdma.watch.RdmaSettings;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The agent's effective configuration, valid as a whole: the value of each of {@link ConfigKeys#ALL}, whose
 * {@link ConfigKey#meaning} tells what it does, and the settings of each driver made of them.
 */
public final class AgentConfig {

    private final Map<ConfigKey<?>, Setting> settings;

    AgentConfig(Map<ConfigKey<?>, Setting> settings) {
        this.settings = Map.copyOf(settings);
    }

    /**
     * What a key is set to.
     *
     * @param value the value, as its key's type has parsed it
     * @param origin where it came from
     */
    record Setting(Object value, Origin origin) {}

    /** The value of a key that always has one. */
    public <T> T get(ConfigKey<T> key) {
        return find(key).orElseThrow(() -> new IllegalStateException(key + " has no value"));
    }

    /** The value of a key that may have none. */
    @SuppressWarnings("unchecked") // what a key is set to was parsed by its own type, or is of that type
    public <T> Optional<T> find(ConfigKey<T> key) {
        return setting(key).map(setting -> (T) setting.value());
    }

    /** Where the key's value came from; the default where it has none. */
    public Origin origin(ConfigKey<?> key) {
        return setting(key).map(Setting::origin).orElseGet(Origin.Standard::new);
    }

    /** What the key is set to; empty where it has no value. */
    Optional<Setting> setting(ConfigKey<?> key) {
        return Optional.ofNullable(settings.get(key));
    }

    /** Whether the host runs nvidia-imex and this agent serves its channels; it only observes otherwise. */
    public boolean hostManaged() {
        return get(ConfigKeys.HOST_MANAGED_IMEX);
    }

    /** The feature gates, as resolved. */
    public FeatureGates featureGates() {
        return new FeatureGates(hostManaged(), get(ConfigKeys.DNS_NAMES), get(ConfigKeys.CLIQUES));
    }

    /**
     * How this node serves channels.
     *
     * @throws IllegalStateException where no isolation is set, which a valid configuration has under HostManagedIMEX
     */
    public ServingPolicy servingPolicy() {
        return new ServingPolicy(
                get(ConfigKeys.NODE_NAME),
                get(ConfigKeys.ISOLATION),
                new ChannelTable.Limits(
                        get(ConfigKeys.CHANNELS),
                        find(ConfigKeys.CHANNELS_PER_NAMESPACE).orElse(get(ConfigKeys.CHANNELS))),
                sharingInForce(),
                get(ConfigKeys.PLACES),
                !get(ConfigKeys.WITHOUT_CLIQUE));
    }

    /** The sharing that holds: what the operator chose, or else what goes with the isolation. */
    public Sharing sharingInForce() {
        return find(ConfigKeys.SHARING)
                .orElseGet(
                        () -> find(ConfigKeys.ISOLATION).map(Sharing::standard).orElse(Sharing.NONE));
    }

    /** Whether events of the GPUs are listened for by an agent that serves IMEX channels, or that does not. */
    public boolean listensToGpus() {
        return get(ConfigKeys.NVML_EVENTS) && (hostManaged() || get(ConfigKeys.NVML_EVENTS_WHILE_OBSERVING));
    }

    /** A user who may connect to the agent's sockets beside root. */
    public OptionalInt kubeletUid() {
        return find(ConfigKeys.KUBELET_UID).map(OptionalInt::of).orElseGet(OptionalInt::empty);
    }

    /** How the host's nvidia-imex is watched. */
    public ImexWatchSettings imexHealth() {
        return ImexHealthKeys.section(this);
    }

    /** On which hosts nvidia-imex is installed and may start. */
    public ImexServiceSettings imexService() {
        return ImexServiceKeys.section(this);
    }

    /** Which RDMA NICs may be handed to containers. */
    public RdmaSettings rdma() {
        return RdmaKeys.section(this);
    }

    /** Metrics and health of the agent over HTTP. */
    public Http http() {
        return http(ConfigKeys.HTTP_PORT);
    }

    /** The same on the port of this key. */
    public Http http(ConfigKey<Integer> port) {
        return new Http(
                get(ConfigKeys.HTTP_ADDRESS),
                get(port),
                find(ConfigKeys.TLS_CERTIFICATE)
                        .map(certificate ->
                                new Tls(certificate, get(ConfigKeys.TLS_KEY), find(ConfigKeys.TLS_CLIENT_CA))),
                port.path());
    }

    /**
     * Which features are on, as resolved.
     *
     * @param hostManagedImex {@code HostManagedIMEX}
     * @param imexDaemonsWithDnsNames {@code IMEXDaemonsWithDNSNames}, forced off under HostManagedIMEX
     * @param computeDomainCliques {@code ComputeDomainCliques}, likewise
     */
    public record FeatureGates(
            boolean hostManagedImex, boolean imexDaemonsWithDnsNames, boolean computeDomainCliques) {}

    /**
     * Metrics and health over HTTP.
     *
     * @param address the address to listen on
     * @param port the port; 0 takes a free one
     * @param tls certificate and key; empty for plain HTTP
     * @param portKey the configuration key of the port, for who has to choose another
     */
    public record Http(String address, int port, Optional<Tls> tls, String portKey) {}

    /**
     * TLS of the HTTP server: PEM files that are read again when they change.
     *
     * @param certificate the certificate chain
     * @param key the private key
     * @param clientCa the authorities that sign client certificates; empty where clients have none
     */
    public record Tls(Path certificate, Path key, Optional<Path> clientCa) {}

    /** How much is logged, the quietest first. */
    public enum LogLevel {
        /** Only what is broken. */
        ERROR,
        /** And what needs a look. */
        WARN,
        /** And what happened. */
        INFO,
        /** And why. */
        DEBUG
    }
}
