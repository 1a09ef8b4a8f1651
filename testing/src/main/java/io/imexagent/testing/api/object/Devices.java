package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The limits of the devices in a slice (resource.k8s.io/v1, constants of its types.go). */
final class Devices {
    private static final int LIMIT = 128;
    private static final int LIMIT_WITH_TAINTS_OR_COUNTERS = 64;
    private static final int ATTRIBUTE_AND_CAPACITY_LIMIT = 32;
    private static final int ATTRIBUTE_TEXT_LIMIT = 64;
    private static final int TAINT_LIMIT = 16;
    private static final Set<String> EFFECTS = Set.of("NoSchedule", "NoExecute", "None");

    private Devices() {}

    static List<Cause> check(JsonNode devices, String path) {
        List<Cause> causes = new ArrayList<>();
        boolean heavy = devices.valueStream().anyMatch(d -> d.has("taints") || d.has("consumesCounters"));
        int limit = heavy ? LIMIT_WITH_TAINTS_OR_COUNTERS : LIMIT;
        if (devices.size() > limit) {
            causes.add(Cause.tooMany(path, devices.size(), limit));
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < devices.size(); i++) {
            checkDevice(devices.get(i), path + "[" + i + "]", names, causes);
        }
        return causes;
    }

    private static void checkDevice(JsonNode device, String path, Set<String> names, List<Cause> causes) {
        String name = device.path("name").asText("");
        if (!Grammar.dnsLabel(name)) {
            causes.add(Cause.invalid(path + ".name", "\"" + name + "\"", "must be a DNS label"));
        } else if (!names.add(name)) {
            causes.add(Cause.duplicate(path + ".name", name));
        }
        JsonNode attributes = device.path("attributes");
        int size = attributes.size() + device.path("capacity").size();
        if (size > ATTRIBUTE_AND_CAPACITY_LIMIT) {
            causes.add(Cause.tooMany(path, size, ATTRIBUTE_AND_CAPACITY_LIMIT));
        }
        for (Map.Entry<String, JsonNode> attribute : attributes.properties()) {
            checkAttribute(
                    attribute.getKey(), attribute.getValue(), path + ".attributes[" + attribute.getKey() + "]", causes);
        }
        checkTaints(device.path("taints"), path + ".taints", causes);
    }

    private static void checkAttribute(String name, JsonNode value, String path, List<Cause> causes) {
        if (!Grammar.attributeName(name)) {
            causes.add(Cause.invalid(path, "\"" + name + "\"", "must be a C identifier, with or without a domain"));
        }
        if (value.size() != 1) {
            causes.add(
                    value.isEmpty()
                            ? Cause.required(path, "exactly one value must be specified")
                            : Cause.invalid(path, value.toString(), "exactly one value must be specified"));
        }
        String text = value.path("string").asText("");
        if (text.length() > ATTRIBUTE_TEXT_LIMIT) {
            causes.add(new Cause(
                    "FieldValueTooLong", path + ".string", "Too long: may not be more than 64 bytes: " + text));
        }
        if (value.has("version")
                && !Grammar.semanticVersion(value.path("version").asText())) {
            causes.add(Cause.invalid(
                    path + ".version",
                    "\"" + value.path("version").asText() + "\"",
                    "must be a string compatible with semver.org spec 2.0.0"));
        }
    }

    private static void checkTaints(JsonNode taints, String path, List<Cause> causes) {
        if (taints.size() > TAINT_LIMIT) {
            causes.add(Cause.tooMany(path, taints.size(), TAINT_LIMIT));
        }
        for (int i = 0; i < taints.size(); i++) {
            JsonNode taint = taints.get(i);
            String key = taint.path("key").asText("");
            if (!Grammar.qualifiedName(key)) {
                causes.add(Cause.invalid(path + "[" + i + "].key", "\"" + key + "\"", "must be a qualified name"));
            }
            if (!Grammar.labelValue(taint.path("value").asText(""))) {
                causes.add(Cause.invalid(
                        path + "[" + i + "].value",
                        "\"" + taint.path("value").asText() + "\"",
                        "must be a label value"));
            }
            String effect = taint.path("effect").asText("");
            if (effect.isEmpty()) {
                causes.add(Cause.required(path + "[" + i + "].effect", ""));
            } else if (!EFFECTS.contains(effect)) {
                causes.add(Cause.unsupported(
                        path + "[" + i + "].effect", effect, "\"NoExecute\", \"NoSchedule\", \"None\""));
            }
        }
    }
}
