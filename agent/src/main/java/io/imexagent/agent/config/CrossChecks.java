package io.imexagent.agent.config;

import io.imexagent.core.policy.Isolation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What values must be together. They are looked up by key: where one is faulty, there are no records yet. */
final class CrossChecks {

    private final ConfigDraft draft;
    private final ConfigValues values;
    private final List<ConfigFault> faults = new ArrayList<>();

    private CrossChecks(ConfigDraft draft) {
        this.draft = draft;
        this.values = draft.values();
    }

    static List<ConfigFault> of(ConfigDraft draft) {
        var checks = new CrossChecks(draft);
        if (checks.values.are("featureGates.HostManagedIMEX", true)) {
            checks.isolation(ConfigKeys.at("imex.isolation"));
        }
        String both = "; TLS needs certificate and key, plain HTTP none of the files";
        checks.needs("http.tls.certificate", "http.tls.key", both);
        checks.needs("http.tls.key", "http.tls.certificate", both);
        checks.needs("http.tls.clientCa", "http.tls.certificate", both);
        // The switch does nothing alone, and whoever set it expects something.
        if (checks.values.are("rdma.includeUplinks", true)) {
            checks.needs("rdma.includeUplinks", "rdma.include", "; name there the uplinks that are to be offered");
        }
        return checks.faults;
    }

    private void isolation(ConfigKey key) {
        if (draft.isUnset(key)) {
            faults.add(ConfigFault.of(
                    key.path(), "is not set, and HostManagedIMEX needs an explicit choice: " + meanings()));
        }
        values.find(key)
                .flatMap(isolation -> unserved((Isolation) isolation))
                .ifPresent(why -> faults.add(ConfigFault.at(values.origin(key), key.path(), why)));
    }

    private static String meanings() {
        return Arrays.stream(Isolation.values())
                .map(isolation -> isolation.text() + " (" + isolation.meaning()
                        + (unserved(isolation).isPresent() ? "; not in this version)" : ")"))
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

    private void needs(String given, String needed, String rule) {
        ConfigKey key = ConfigKeys.at(given);
        if (values.find(key).isPresent() && draft.isUnset(ConfigKeys.at(needed))) {
            faults.add(ConfigFault.at(values.origin(key), given, "is set without " + needed + rule));
        }
    }
}
