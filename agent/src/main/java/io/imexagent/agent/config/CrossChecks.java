package io.imexagent.agent.config;

import io.imexagent.core.policy.Isolation;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** What values must be together. They are looked up by key: where one is faulty, there are no records yet. */
record CrossChecks(ConfigDraft draft, ConfigValues values) {

    /** Adds to the draft what is wrong with its values as they are now. */
    static void run(ConfigDraft draft) {
        var checks = new CrossChecks(draft, draft.values());
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
    }

    private void isolation(ConfigKey key) {
        if (draft.isUnset(key)) {
            draft.add(ConfigFault.of(
                    key.path(), "is not set, and HostManagedIMEX needs an explicit choice: " + meanings()));
        }
        values.find(key)
                .flatMap(isolation -> unserved((Isolation) isolation))
                .ifPresent(why -> draft.add(ConfigFault.at(values.origin(key), key.path(), why)));
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
            draft.add(ConfigFault.at(values.origin(key), given, "is set without " + needed + rule));
        }
    }
}
