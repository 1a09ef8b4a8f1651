package io.imexagent.agent.config;

import io.imexagent.core.policy.Isolation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What values must be together. */
final class CrossChecks {

    private final TypedValues values;
    private final AgentConfig config;
    private final List<ConfigFault> faults = new ArrayList<>();

    private CrossChecks(TypedValues values) {
        this.values = values;
        this.config = values.config();
    }

    /** Everything in the values that does not go together. */
    static List<ConfigFault> of(TypedValues values) {
        var checks = new CrossChecks(values);
        if (checks.config.find(ConfigKeys.HOST_MANAGED_IMEX).equals(Optional.of(true))) {
            checks.isolation();
        }
        checks.tls();
        checks.rdma();
        return checks.faults;
    }

    private void isolation() {
        if (values.isUnset(ConfigKeys.ISOLATION)) {
            faults.add(ConfigFault.of(
                    ConfigKeys.ISOLATION.path(),
                    "is not set, and HostManagedIMEX wants a conscious choice: " + meanings()));
        }
        config.find(ConfigKeys.ISOLATION).flatMap(CrossChecks::unserved).ifPresent(why -> {
            faults.add(ConfigFault.at(config.origin(ConfigKeys.ISOLATION), ConfigKeys.ISOLATION.path(), why));
        });
    }

    private static String meanings() {
        return Arrays.stream(Isolation.values())
                .map(isolation -> isolation.text() + " (" + isolation.meaning()
                        + unserved(isolation)
                                .map(why -> "; not in this version")
                                .orElse("")
                        + ")")
                .collect(Collectors.joining(", "));
    }

    private static Optional<String> unserved(Isolation isolation) {
        return switch (isolation) {
            case NONE, IMEX_CHANNEL -> Optional.empty();
            case IMEX_DOMAIN ->
                Optional.of("IMEXDomain means " + isolation.meaning()
                        + "; under HostManagedIMEX it cannot be served. None means " + Isolation.NONE.meaning());
        };
    }

    private void tls() {
        needs(ConfigKeys.TLS_CERTIFICATE, ConfigKeys.TLS_KEY);
        needs(ConfigKeys.TLS_KEY, ConfigKeys.TLS_CERTIFICATE);
        needs(ConfigKeys.TLS_CLIENT_CA, ConfigKeys.TLS_CERTIFICATE);
    }

    private void needs(ConfigKey<?> given, ConfigKey<?> needed) {
        if (config.find(given).isPresent() && values.isUnset(needed)) {
            faults.add(ConfigFault.at(
                    config.origin(given),
                    given.path(),
                    "is set without " + needed.path()
                            + "; TLS needs certificate and key, plain HTTP none of the files"));
        }
    }

    /** The switch that overrides the protection of uplinks does nothing alone, and whoever set it expects something. */
    private void rdma() {
        if (config.find(RdmaKeys.INCLUDE_UPLINKS).equals(Optional.of(true)) && values.isUnset(RdmaKeys.INCLUDE)) {
            faults.add(ConfigFault.at(
                    config.origin(RdmaKeys.INCLUDE_UPLINKS),
                    RdmaKeys.INCLUDE_UPLINKS.path(),
                    "is set without " + RdmaKeys.INCLUDE.path() + "; name there the uplinks that are to be offered"));
        }
    }
}
