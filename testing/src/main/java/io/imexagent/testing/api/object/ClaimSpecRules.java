package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** ResourceClaims and the specs of their templates: what their schema cannot say. */
final class ClaimSpecRules {
    private static final int PARAMETERS_LIMIT = 10 << 10;

    private ClaimSpecRules() {}

    static void setDefaults(JsonNode spec) {
        for (JsonNode request : spec.path("devices").path("requests")) {
            if (request.get("exactly") instanceof ObjectNode exactly
                    && exactly.path("allocationMode").asText().equals("ExactCount")
                    && !exactly.has("count")) {
                exactly.put("count", 1);
            }
        }
    }

    static void check(JsonNode spec, String path, List<Cause> causes) {
        Set<String> names = spec.path("devices")
                .path("requests")
                .valueStream()
                .map(request -> request.path("name").asText())
                .collect(Collectors.toSet());
        JsonNode configs = spec.path("devices").path("config");
        for (int i = 0; i < configs.size(); i++) {
            checkConfig(configs.get(i), path + ".devices.config[" + i + "]", names, causes);
        }
    }

    private static void checkConfig(JsonNode config, String path, Set<String> names, List<Cause> causes) {
        JsonNode requests = config.path("requests");
        for (int i = 0; i < requests.size(); i++) {
            String asked = requests.get(i).asText();
            int slash = asked.indexOf('/');
            if (!names.contains(slash < 0 ? asked : asked.substring(0, slash))) {
                causes.add(Cause.text(
                        path + ".requests[" + i + "]",
                        asked,
                        "must be the name of a request in the claim or the name of a request and a subrequest"
                                + " separated by '/'"));
            }
        }
        JsonNode parameters = config.path("opaque").path("parameters");
        if (config.has("opaque") && !parameters.isObject()) {
            causes.add(Cause.required(path + ".opaque.parameters", ""));
        } else if (Json.bytes(parameters).length > PARAMETERS_LIMIT) {
            causes.add(Cause.tooLong(path + ".opaque.parameters", PARAMETERS_LIMIT));
        }
    }

    /** An allocation comes and goes, and never changes; without one nothing is reserved. */
    static void checkStatus(JsonNode status, JsonNode old, List<Cause> causes) {
        JsonNode allocation = status.path("allocation");
        JsonNode before = old.path("allocation");
        if (!allocation.isMissingNode() && !before.isMissingNode() && !allocation.equals(before)) {
            causes.add(Cause.invalid("status.allocation", allocation.toString(), "field is immutable"));
        }
        if (allocation.isMissingNode() && !status.path("reservedFor").isEmpty()) {
            causes.add(Cause.forbidden("status.reservedFor", "may not be specified when `allocated` is not set"));
        }
    }
}
