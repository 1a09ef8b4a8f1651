package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The spec that claims and claim templates share. */
final class ClaimSpecRules {
    private static final int CONFIGS_LIMIT = 32;
    private static final int PARAMETERS_LIMIT = 10 << 10;

    private ClaimSpecRules() {}

    static void setDefaults(JsonNode spec) {
        for (JsonNode request : spec.path("devices").path("requests")) {
            if (request.get("exactly") instanceof ObjectNode exactly) {
                if (!exactly.has("allocationMode")) {
                    exactly.put("allocationMode", "ExactCount");
                }
                if (exactly.path("allocationMode").asText().equals("ExactCount") && !exactly.has("count")) {
                    exactly.put("count", 1);
                }
            }
        }
    }

    static List<Cause> check(JsonNode spec, String path) {
        List<Cause> causes = new ArrayList<>();
        Set<String> names = new HashSet<>();
        JsonNode requests = spec.path("devices").path("requests");
        for (int i = 0; i < requests.size(); i++) {
            checkRequest(requests.get(i), path + ".devices.requests[" + i + "]", names, causes);
        }
        JsonNode configs = spec.path("devices").path("config");
        if (configs.size() > CONFIGS_LIMIT) {
            causes.add(Cause.tooMany(path + ".devices.config", configs.size(), CONFIGS_LIMIT));
        }
        for (int i = 0; i < configs.size(); i++) {
            checkConfig(configs.get(i), path + ".devices.config[" + i + "]", names, causes);
        }
        return causes;
    }

    private static void checkRequest(JsonNode request, String path, Set<String> names, List<Cause> causes) {
        String name = request.path("name").asText();
        if (!Grammar.dnsLabel(name)) {
            causes.add(Cause.invalid(path + ".name", "\"" + name + "\"", "must be a DNS label"));
        } else if (!names.add(name)) {
            causes.add(Cause.duplicate(path + ".name", name));
        }
        if (request.has("exactly") == request.has("firstAvailable")) {
            causes.add(Cause.required(path, "exactly one of `exactly` or `firstAvailable` is required"));
        } else if (request.has("exactly")
                && request.path("exactly").path("deviceClassName").asText("").isEmpty()) {
            causes.add(Cause.required(path + ".exactly.deviceClassName", ""));
        }
    }

    private static void checkConfig(JsonNode config, String path, Set<String> names, List<Cause> causes) {
        JsonNode requests = config.path("requests");
        for (int i = 0; i < requests.size(); i++) {
            String asked = requests.get(i).asText();
            int slash = asked.indexOf('/');
            if (!names.contains(slash < 0 ? asked : asked.substring(0, slash))) {
                causes.add(Cause.invalid(
                        path + ".requests[" + i + "]",
                        "\"" + asked + "\"",
                        "must be the name of a request in the claim or the name of a request and a subrequest"
                                + " separated by '/'"));
            }
        }
        if (!config.has("opaque")) {
            causes.add(Cause.required(path + ".opaque", ""));
        } else if (!config.path("opaque").path("parameters").isObject()) {
            causes.add(Cause.required(path + ".opaque.parameters", ""));
        } else if (Json.bytes(config.at("/opaque/parameters")).length > PARAMETERS_LIMIT) {
            causes.add(Cause.tooLong(path + ".opaque.parameters", PARAMETERS_LIMIT));
        }
    }
}
