package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimStatus.AllocatedDeviceStatus;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.claim.Quoted;
import io.imexagent.host.json.MalformedJsonException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The status of a ResourceClaim as JSON ({@code resource.k8s.io/v1 ResourceClaimStatus}): as the API server returns it,
 * and as the checkpoint holds it. Unknown fields are skipped. Opaque parameters, and the data that drivers report, keep
 * key order, number forms and escapes; white space between tokens goes, and {@code <}, {@code >}, {@code &}, U+2028 and
 * U+2029 are escaped. Writing is byte for byte that of Go's {@code encoding/json} with the Kubernetes types.
 */
public final class ClaimStatusJson {

    private ClaimStatusJson() {}

    /**
     * Reads the status from a text of one JSON object. An exception for malformed JSON, a wrong type or an unknown
     * source of configuration names the field, {@code status.allocation.devices.config[0].source: …}.
     */
    public static ClaimStatus read(String json) throws MalformedJsonException {
        return status(JsonValue.read(json.getBytes(UTF_8), "status"));
    }

    /** Reads the status from a value. Absent texts are empty, as in Go. */
    static ClaimStatus status(JsonValue json) throws MalformedJsonException {
        return new ClaimStatus(
                json.field("allocation", ClaimStatusJson::allocation),
                json.list("reservedFor", ClaimStatusJson::consumer),
                json.list("devices", ClaimStatusJson::device));
    }

    static void write(GoJson json, ClaimStatus status) {
        json.fieldIfPresent("allocation", status.allocation(), ClaimStatusJson::write)
                .listUnlessEmpty("reservedFor", status.reservedFor(), ClaimStatusJson::write)
                .listUnlessEmpty(
                        "devices",
                        status.devices().stream()
                                .map(AllocatedDeviceStatus::json)
                                .toList());
    }

    private static Allocation allocation(JsonValue json) throws MalformedJsonException {
        Optional<JsonValue> devices = json.field("devices", value -> value);
        return new Allocation(
                devices.isPresent() ? devices.get().list("results", ClaimStatusJson::result) : List.of(),
                devices.isPresent() ? devices.get().list("config", ClaimStatusJson::config) : List.of(),
                json.field("nodeSelector", ClaimStatusJson::nodeSelector),
                json.field("allocationTimestamp", JsonValue::time));
    }

    private static void write(GoJson json, Allocation allocation) {
        json.name("devices")
                .beginObject()
                .listUnlessEmpty("results", allocation.results(), ClaimStatusJson::write)
                .listUnlessEmpty("config", allocation.config(), ClaimStatusJson::write)
                .endObject()
                .fieldIfPresent("nodeSelector", allocation.nodeSelector());
        allocation.timestamp().ifPresent(time -> json.field("allocationTimestamp", time));
    }

    private static AllocatedDevice result(JsonValue json) throws MalformedJsonException {
        return new AllocatedDevice(
                json.text("request"),
                json.text("driver"),
                json.text("pool"),
                json.text("device"),
                json.field("adminAccess", JsonValue::flag),
                json.list("tolerations", ClaimStatusJson::toleration),
                json.texts("bindingConditions"),
                json.texts("bindingFailureConditions"),
                json.field("shareID", JsonValue::text),
                json.field("consumedCapacity", ClaimStatusJson::quantities).orElseGet(TreeMap::new));
    }

    private static void write(GoJson json, AllocatedDevice result) {
        json.field("request", result.request())
                .field("driver", result.driver())
                .field("pool", result.pool())
                .field("device", result.device());
        result.adminAccess().ifPresent(admin -> json.name("adminAccess").literal(Boolean.toString(admin)));
        json.listUnlessEmpty("tolerations", result.tolerations())
                .fieldUnlessEmpty("bindingConditions", result.bindingConditions())
                .fieldUnlessEmpty("bindingFailureConditions", result.bindingFailureConditions());
        result.shareId().ifPresent(share -> json.field("shareID", share));
        if (!result.consumedCapacity().isEmpty()) {
            json.field(
                    "consumedCapacity",
                    result.consumedCapacity(),
                    (fields, quantities) -> quantities.forEach(fields::field));
        }
    }

    private static JsonText toleration(JsonValue json) throws MalformedJsonException {
        var toleration = new GoJson()
                .beginObject()
                .fieldUnlessEmpty("key", json.text("key"))
                .fieldUnlessEmpty("operator", json.text("operator"))
                .fieldUnlessEmpty("value", json.text("value"))
                .fieldUnlessEmpty("effect", json.text("effect"));
        json.integer("tolerationSeconds").ifPresent(seconds -> toleration.field("tolerationSeconds", seconds));
        return toleration.endObject().json();
    }

    private static SortedMap<String, String> quantities(JsonValue json) throws MalformedJsonException {
        var quantities = new TreeMap<String, String>();
        for (JsonValue quantity : json.fields()) {
            quantities.put(quantity.name(), quantity.text());
        }
        return quantities;
    }

    private static DeviceConfig config(JsonValue json) throws MalformedJsonException {
        return new DeviceConfig(
                json.required("source", ClaimStatusJson::source),
                json.texts("requests"),
                json.field("opaque", ClaimStatusJson::opaque));
    }

    private static DeviceConfig.Source source(JsonValue json) throws MalformedJsonException {
        String wire = json.text();
        return Arrays.stream(DeviceConfig.Source.values())
                .filter(source -> source.wire().equals(wire))
                .findFirst()
                .orElseThrow(() -> json.malformed(Quoted.of(wire) + " must be FromClass or FromClaim"));
    }

    private static DeviceConfig.Opaque opaque(JsonValue json) throws MalformedJsonException {
        return new DeviceConfig.Opaque(
                json.text("driver"),
                json.field("parameters", JsonValue::verbatim).orElse(new JsonText("null")));
    }

    private static void write(GoJson json, DeviceConfig config) {
        json.field("source", config.source().wire())
                .fieldUnlessEmpty("requests", config.requests())
                .fieldIfPresent(
                        "opaque",
                        config.opaque(),
                        (fields, opaque) -> fields.field("driver", opaque.driver())
                                .name("parameters")
                                .verbatim(opaque.parameters().text()));
    }

    /**
     * Copies the nodes on which an allocation can be used ({@code core/v1 NodeSelector}); the agent does not interpret
     * it.
     */
    private static JsonText nodeSelector(JsonValue json) throws MalformedJsonException {
        return new GoJson()
                .beginObject()
                .list("nodeSelectorTerms", json.list("nodeSelectorTerms", ClaimStatusJson::term))
                .endObject()
                .json();
    }

    private static JsonText term(JsonValue json) throws MalformedJsonException {
        return new GoJson()
                .beginObject()
                .listUnlessEmpty("matchExpressions", json.list("matchExpressions", ClaimStatusJson::requirement))
                .listUnlessEmpty("matchFields", json.list("matchFields", ClaimStatusJson::requirement))
                .endObject()
                .json();
    }

    private static JsonText requirement(JsonValue json) throws MalformedJsonException {
        return new GoJson()
                .beginObject()
                .field("key", json.text("key"))
                .field("operator", json.text("operator"))
                .fieldUnlessEmpty("values", json.texts("values"))
                .endObject()
                .json();
    }

    private static ClaimStatus.ConsumerReference consumer(JsonValue json) throws MalformedJsonException {
        return new ClaimStatus.ConsumerReference(
                json.text("apiGroup"), json.text("resource"), json.text("name"), json.text("uid"));
    }

    private static void write(GoJson json, ClaimStatus.ConsumerReference consumer) {
        json.fieldUnlessEmpty("apiGroup", consumer.apiGroup())
                .field("resource", consumer.resource())
                .field("name", consumer.name())
                .field("uid", consumer.uid());
    }

    private static AllocatedDeviceStatus device(JsonValue json) throws MalformedJsonException {
        String driver = json.text("driver");
        var device = new GoJson()
                .beginObject()
                .field("driver", driver)
                .field("pool", json.text("pool"))
                .field("device", json.text("device"));
        json.field("shareID", JsonValue::text).ifPresent(share -> device.field("shareID", share));
        device.listUnlessEmpty("conditions", json.list("conditions", ClaimStatusJson::condition))
                .fieldIfPresent("data", json.field("data", JsonValue::verbatim))
                .fieldIfPresent("networkData", json.field("networkData", ClaimStatusJson::networkData));
        return new AllocatedDeviceStatus(driver, device.endObject().json());
    }

    private static JsonText condition(JsonValue json) throws MalformedJsonException {
        var condition =
                new GoJson().beginObject().field("type", json.text("type")).field("status", json.text("status"));
        long generation = json.integer("observedGeneration").orElse(0);
        if (generation != 0) {
            condition.field("observedGeneration", generation);
        }
        json.field("lastTransitionTime", JsonValue::time)
                .ifPresentOrElse(
                        time -> condition.field("lastTransitionTime", time),
                        () -> condition.name("lastTransitionTime").literal("null"));
        return condition
                .field("reason", json.text("reason"))
                .field("message", json.text("message"))
                .endObject()
                .json();
    }

    private static JsonText networkData(JsonValue json) throws MalformedJsonException {
        return new GoJson()
                .beginObject()
                .fieldUnlessEmpty("interfaceName", json.text("interfaceName"))
                .fieldUnlessEmpty("ips", json.texts("ips"))
                .fieldUnlessEmpty("hardwareAddress", json.text("hardwareAddress"))
                .endObject()
                .json();
    }
}
