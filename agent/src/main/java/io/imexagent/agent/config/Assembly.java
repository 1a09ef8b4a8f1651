package io.imexagent.agent.config;

import io.imexagent.agent.config.ConfigKey.Standard;
import io.imexagent.imex.watch.ImexWatchSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Makes the configuration out of values that are free of faults. */
final class Assembly {

    private Assembly() {}

    /** Gives every key that no source set its default. The host's name is asked for apart, since it can fail. */
    static void fillIn(TypedValues values) {
        for (ConfigKey<?> key : ConfigKeys.ALL) {
            fillIn(key, values);
        }
    }

    private static <T> void fillIn(ConfigKey<T> key, TypedValues values) {
        if (!values.isUnset(key)) {
            return;
        }
        switch (key.standard()) {
            case Standard.Fixed<T> fixed -> values.putStandard(key, fixed.value());
            case Standard.Unset<T> unset -> {}
            case Standard.HostName<T> host -> {}
        }
    }

    static EffectiveConfig effective(TypedValues values, Optional<Path> file, List<String> notes) {
        AgentConfig config = config(values);
        List<EffectiveValue> effective = ConfigKeys.ALL.stream()
                .map(key -> new EffectiveValue(key, key.textIn(config), values.origin(key)))
                .toList();
        return new EffectiveConfig(config, file, effective, notes);
    }

    /** The part that is about the host alone. */
    static HostSide hostSide(TypedValues values) {
        return new HostSide(host(values), nvml(values), ImexServiceKeys.section(values));
    }

    private static AgentConfig config(TypedValues values) {
        return new AgentConfig(
                new AgentConfig.Node(values.get(ConfigKeys.NODE_NAME)),
                host(values),
                nvml(values),
                new AgentConfig.Kubelet(
                        values.get(ConfigKeys.KUBELET_ROOT), unboxed(values.find(ConfigKeys.KUBELET_UID))),
                new AgentConfig.Kubernetes(values.get(ConfigKeys.KUBECONFIG)),
                new AgentConfig.Cdi(values.get(ConfigKeys.CDI_DIRECTORY)),
                new AgentConfig.State(values.get(ConfigKeys.STATE_DIRECTORY)),
                new AgentConfig.FeatureGates(
                        values.get(ConfigKeys.HOST_MANAGED_IMEX),
                        values.get(ConfigKeys.DNS_NAMES),
                        values.get(ConfigKeys.CLIQUES)),
                new AgentConfig.Imex(
                        values.find(ConfigKeys.ISOLATION),
                        values.get(ConfigKeys.CHANNELS),
                        values.find(ConfigKeys.SHARING),
                        imexHealth(values),
                        ImexServiceKeys.section(values)),
                new AgentConfig.Publication(values.get(ConfigKeys.WITHOUT_CLIQUE), values.get(ConfigKeys.CLIQUE_LABEL)),
                new AgentConfig.Inventory(values.get(ConfigKeys.INVENTORY_INTERVAL)),
                new AgentConfig.Prepare(values.get(ConfigKeys.ANSWER_WITHIN)),
                new AgentConfig.DeviceHealth(
                        values.get(ConfigKeys.HEALTH_TIMEOUT), values.get(ConfigKeys.HEALTH_DEGRADED)),
                http(values),
                new AgentConfig.Controller(
                        values.get(ConfigKeys.CONTROLLER_KUBECONFIG),
                        values.get(ConfigKeys.CONTROLLER_NAMESPACE),
                        values.get(ConfigKeys.QUARANTINE),
                        values.get(ConfigKeys.CALLS_PER_SECOND),
                        values.get(ConfigKeys.CONTROLLER_PORT)),
                new AgentConfig.Log(values.get(ConfigKeys.LOG_LEVEL)),
                RdmaKeys.config(values));
    }

    private static AgentConfig.Host host(TypedValues values) {
        return new AgentConfig.Host(values.get(ConfigKeys.HOST_ROOT), values.get(ConfigKeys.DRIVER_ROOT));
    }

    private static AgentConfig.Nvml nvml(TypedValues values) {
        return new AgentConfig.Nvml(
                values.find(ConfigKeys.NVML_SIMULATE),
                values.get(ConfigKeys.NVML_DEADLINE),
                values.get(ConfigKeys.NVML_EVENTS),
                values.get(ConfigKeys.NVML_EVENTS_WHILE_OBSERVING));
    }

    private static ImexWatchSettings imexHealth(TypedValues values) {
        return new ImexWatchSettings(
                values.get(ImexHealthKeys.WATCH),
                values.get(ImexHealthKeys.INTERVAL),
                values.get(ImexHealthKeys.TIMEOUT),
                values.get(ImexHealthKeys.TOOL),
                values.get(ImexHealthKeys.SYSTEMCTL),
                values.get(ImexHealthKeys.CONFIGURATION),
                values.get(ImexHealthKeys.GATE),
                values.get(ImexHealthKeys.TAINT),
                values.get(ImexHealthKeys.TAINT_AFTER),
                values.get(ImexHealthKeys.EVENTS));
    }

    private static AgentConfig.Http http(TypedValues values) {
        Optional<AgentConfig.Tls> tls = values.find(ConfigKeys.TLS_CERTIFICATE)
                .map(certificate -> new AgentConfig.Tls(certificate, values.get(ConfigKeys.TLS_KEY)));
        return new AgentConfig.Http(values.get(ConfigKeys.HTTP_ADDRESS), values.get(ConfigKeys.HTTP_PORT), tls);
    }

    private static OptionalInt unboxed(Optional<Integer> number) {
        return number.map(OptionalInt::of).orElseGet(OptionalInt::empty);
    }
}
