package io.imexagent.checkpoint;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.AllocatedDeviceStatus;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.claim.NodeSelector;
import io.imexagent.core.claim.Quoted;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads a ResourceClaimStatus. A text that is absent is empty, as in Go. */
final class ClaimStatusReader {

    private ClaimStatusReader() {}

    static ClaimStatus status(JsonValue json) throws MalformedJsonException {
        return new ClaimStatus(
                json.field("allocation", ClaimStatusReader::allocation),
                json.list("reservedFor", ClaimStatusReader::consumer),
                json.list("devices", ClaimStatusReader::device));
    }

    private static Allocation allocation(JsonValue json) throws MalformedJsonException {
        Optional<JsonValue> devices = json.field("devices", value -> value);
        return new Allocation(
                devices.isPresent() ? devices.get().list("results", ClaimStatusReader::result) : List.of(),
                devices.isPresent() ? devices.get().list("config", ClaimStatusReader::config) : List.of(),
                json.field("nodeSelector", ClaimStatusReader::nodeSelector),
                json.field("allocationTimestamp", JsonValue::time));
    }

    private static AllocatedDevice result(JsonValue json) throws MalformedJsonException {
        return new AllocatedDevice(
                json.text("request"),
                json.text("driver"),
                json.text("pool"),
                json.text("device"),
                json.field("adminAccess", JsonValue::flag),
                json.list("tolerations", ClaimStatusReader::toleration),
                json.texts("bindingConditions"),
                json.texts("bindingFailureConditions"),
                json.field("shareID", JsonValue::text),
                json.field("consumedCapacity", ClaimStatusReader::quantities).orElseGet(TreeMap::new));
    }

    private static AllocatedDevice.Toleration toleration(JsonValue json) throws MalformedJsonException {
        return new AllocatedDevice.Toleration(
                json.text("key"),
                json.text("operator"),
                json.text("value"),
                json.text("effect"),
                json.integer("tolerationSeconds"));
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
                json.field("source", ClaimStatusReader::source)
                        .orElseThrow(() -> json.malformed("field \"source\" is missing")),
                json.texts("requests"),
                json.field("opaque", ClaimStatusReader::opaque));
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

    private static NodeSelector nodeSelector(JsonValue json) throws MalformedJsonException {
        return new NodeSelector(json.list("nodeSelectorTerms", ClaimStatusReader::term));
    }

    private static NodeSelector.Term term(JsonValue json) throws MalformedJsonException {
        return new NodeSelector.Term(
                json.list("matchExpressions", ClaimStatusReader::requirement),
                json.list("matchFields", ClaimStatusReader::requirement));
    }

    private static NodeSelector.Requirement requirement(JsonValue json) throws MalformedJsonException {
        return new NodeSelector.Requirement(json.text("key"), json.text("operator"), json.texts("values"));
    }

    private static ClaimStatus.ConsumerReference consumer(JsonValue json) throws MalformedJsonException {
        return new ClaimStatus.ConsumerReference(
                json.text("apiGroup"), json.text("resource"), json.text("name"), json.text("uid"));
    }

    private static AllocatedDeviceStatus device(JsonValue json) throws MalformedJsonException {
        return new AllocatedDeviceStatus(
                json.text("driver"),
                json.text("pool"),
                json.text("device"),
                json.field("shareID", JsonValue::text),
                json.list("conditions", ClaimStatusReader::condition),
                json.field("data", JsonValue::verbatim),
                json.field("networkData", ClaimStatusReader::networkData));
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

    private static AllocatedDeviceStatus.NetworkData networkData(JsonValue json) throws MalformedJsonException {
        return new AllocatedDeviceStatus.NetworkData(
                json.text("interfaceName"), json.texts("ips"), json.text("hardwareAddress"));
    }
}
