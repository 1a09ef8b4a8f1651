package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.Allocation.NodeSelector;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimStatus.AllocatedDeviceStatus;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.claim.Quoted;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The status of a ResourceClaim as JSON ({@code resource.k8s.io/v1 ResourceClaimStatus}): as the API server answers it,
 * and as the checkpoint holds it.
 *
 * <p>Reading skips fields that it does not know, since the API grows. Opaque parameters, and the data that drivers
 * report, stay as their author wrote them: key order, number forms and escapes; white space between tokens goes, and
 * {@code <}, {@code >}, {@code &}, U+2028 and U+2029 are escaped. Writing is byte for byte that of Go's
 * {@code encoding/json} with the Kubernetes types: in their order of fields, leaving out what they leave out.
 */
public final class ClaimStatusJson {

    private ClaimStatusJson() {}

    /**
     * The status in a text of one JSON object.
     *
     * @throws MalformedJsonException where it is broken, has a wrong type, or an unknown source of configuration; the
     *     message names the field, {@code status.allocation.devices.config[0].source: …}
     */
    public static ClaimStatus read(String json) throws MalformedJsonException {
        return status(JsonValue.read(json.getBytes(UTF_8), "status"));
    }

    /** The status in a value. A text that is absent is empty, as in Go. */
    static ClaimStatus status(JsonValue json) throws MalformedJsonException {
        return new ClaimStatus(
                json.field("allocation", ClaimStatusJson::allocation),
                json.list("reservedFor", ClaimStatusJson::consumer),
                json.list("devices", ClaimStatusJson::device));
    }

    static void write(GoJson json, ClaimStatus status) {
        json.fieldIfPresent("allocation", status.allocation(), ClaimStatusJson::write)
                .listUnlessEmpty("reservedFor", status.reservedFor(), ClaimStatusJson::write)
                .listUnlessEmpty("devices", status.devices(), ClaimStatusJson::write);
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
                .fieldIfPresent("nodeSelector", allocation.nodeSelector(), ClaimStatusJson::write);
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
        json.listUnlessEmpty("tolerations", result.tolerations(), ClaimStatusJson::write)
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

    private static AllocatedDevice.Toleration toleration(JsonValue json) throws MalformedJsonException {
        return new AllocatedDevice.Toleration(
                json.text("key"),
                json.text("operator"),
                json.text("value"),
                json.text("effect"),
                json.integer("tolerationSeconds"));
    }

    private static void write(GoJson json, AllocatedDevice.Toleration toleration) {
        json.fieldUnlessEmpty("key", toleration.key())
                .fieldUnlessEmpty("operator", toleration.operator())
                .fieldUnlessEmpty("value", toleration.value())
                .fieldUnlessEmpty("effect", toleration.effect());
        toleration.tolerationSeconds().ifPresent(seconds -> json.field("tolerationSeconds", seconds));
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

    private static NodeSelector nodeSelector(JsonValue json) throws MalformedJsonException {
        return new NodeSelector(json.list("nodeSelectorTerms", ClaimStatusJson::term));
    }

    private static NodeSelector.Term term(JsonValue json) throws MalformedJsonException {
        return new NodeSelector.Term(
                json.list("matchExpressions", ClaimStatusJson::requirement),
                json.list("matchFields", ClaimStatusJson::requirement));
    }

    private static NodeSelector.Requirement requirement(JsonValue json) throws MalformedJsonException {
        return new NodeSelector.Requirement(json.text("key"), json.text("operator"), json.texts("values"));
    }

    private static void write(GoJson json, NodeSelector selector) {
        json.list(
                "nodeSelectorTerms",
                selector.terms(),
                (fields, term) -> fields.listUnlessEmpty(
                                "matchExpressions", term.matchExpressions(), ClaimStatusJson::write)
                        .listUnlessEmpty("matchFields", term.matchFields(), ClaimStatusJson::write));
    }

    private static void write(GoJson json, NodeSelector.Requirement requirement) {
        json.field("key", requirement.key())
                .field("operator", requirement.operator())
                .fieldUnlessEmpty("values", requirement.values());
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
        return new AllocatedDeviceStatus(
                json.text("driver"),
                json.text("pool"),
                json.text("device"),
                json.field("shareID", JsonValue::text),
                json.list("conditions", ClaimStatusJson::condition),
                json.field("data", JsonValue::verbatim),
                json.field("networkData", ClaimStatusJson::networkData));
    }

    private static void write(GoJson json, AllocatedDeviceStatus device) {
        json.field("driver", device.driver()).field("pool", device.pool()).field("device", device.device());
        device.shareId().ifPresent(share -> json.field("shareID", share));
        json.listUnlessEmpty("conditions", device.conditions(), ClaimStatusJson::write);
        device.data().ifPresent(data -> json.name("data").verbatim(data.text()));
        json.fieldIfPresent(
                "networkData",
                device.networkData(),
                (fields, network) -> fields.fieldUnlessEmpty("interfaceName", network.interfaceName())
                        .fieldUnlessEmpty("ips", network.ips())
                        .fieldUnlessEmpty("hardwareAddress", network.hardwareAddress()));
    }

    private static AllocatedDeviceStatus.Condition condition(JsonValue json) throws MalformedJsonException {
        OptionalLong generation = json.integer("observedGeneration");
        return new AllocatedDeviceStatus.Condition(
                json.text("type"),
                json.text("status"),
                // Zero is not written, so it is not read either: equal statuses must stay equal.
                generation.orElse(0) == 0 ? OptionalLong.empty() : generation,
                json.field("lastTransitionTime", JsonValue::time),
                json.text("reason"),
                json.text("message"));
    }

    private static void write(GoJson json, AllocatedDeviceStatus.Condition condition) {
        json.field("type", condition.type()).field("status", condition.status());
        if (condition.observedGeneration().orElse(0) != 0) {
            json.field("observedGeneration", condition.observedGeneration().getAsLong());
        }
        condition
                .lastTransitionTime()
                .ifPresentOrElse(
                        time -> json.field("lastTransitionTime", time),
                        () -> json.name("lastTransitionTime").literal("null"));
        json.field("reason", condition.reason()).field("message", condition.message());
    }

    private static AllocatedDeviceStatus.NetworkData networkData(JsonValue json) throws MalformedJsonException {
        return new AllocatedDeviceStatus.NetworkData(
                json.text("interfaceName"), json.texts("ips"), json.text("hardwareAddress"));
    }
}
