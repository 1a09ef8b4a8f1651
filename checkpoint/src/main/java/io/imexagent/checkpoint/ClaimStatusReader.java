package io.imexagent.checkpoint;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.AllocatedDeviceStatus;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.claim.NodeSelector;
import io.imexagent.core.claim.Quoted;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads a ResourceClaimStatus where the cursor is. A text that is absent is empty, as in Go. */
final class ClaimStatusReader {

    private final JsonCursor json;

    ClaimStatusReader(JsonCursor json) {
        this.json = json;
    }

    ClaimStatus status() throws MalformedJsonException {
        var allocation = Optional.<Allocation>empty();
        var reservedFor = new ArrayList<ClaimStatus.ConsumerReference>();
        var devices = new ArrayList<AllocatedDeviceStatus>();
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "allocation" -> allocation = Optional.of(allocation());
                case "reservedFor" -> json.each(() -> reservedFor.add(consumer()));
                case "devices" -> json.each(() -> devices.add(new DeviceStatusReader(json).device()));
                default -> json.skip();
            }
        }
        return new ClaimStatus(allocation, reservedFor, devices);
    }

    private Allocation allocation() throws MalformedJsonException {
        var results = new ArrayList<AllocatedDevice>();
        var config = new ArrayList<DeviceConfig>();
        var nodeSelector = Optional.<NodeSelector>empty();
        var timestamp = Optional.<Instant>empty();
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "devices" -> devices(results, config);
                case "nodeSelector" -> nodeSelector = Optional.of(nodeSelector());
                case "allocationTimestamp" -> timestamp = Optional.of(json.time());
                default -> json.skip();
            }
        }
        return new Allocation(results, config, nodeSelector, timestamp);
    }

    private void devices(List<AllocatedDevice> results, List<DeviceConfig> config) throws MalformedJsonException {
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "results" -> json.each(() -> results.add(result()));
                case "config" -> json.each(() -> config.add(config()));
                default -> json.skip();
            }
        }
    }

    private AllocatedDevice result() throws MalformedJsonException {
        String request = "";
        String driver = "";
        String pool = "";
        String device = "";
        var adminAccess = Optional.<Boolean>empty();
        var tolerations = new ArrayList<AllocatedDevice.Toleration>();
        List<String> conditions = List.of();
        List<String> failureConditions = List.of();
        var shareId = Optional.<String>empty();
        SortedMap<String, String> capacity = new TreeMap<>();
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "request" -> request = json.text();
                case "driver" -> driver = json.text();
                case "pool" -> pool = json.text();
                case "device" -> device = json.text();
                case "adminAccess" -> adminAccess = Optional.of(json.flag());
                case "tolerations" -> json.each(() -> tolerations.add(toleration()));
                case "bindingConditions" -> conditions = json.texts();
                case "bindingFailureConditions" -> failureConditions = json.texts();
                case "shareID" -> shareId = Optional.of(json.text());
                case "consumedCapacity" -> capacity = quantities();
                default -> json.skip();
            }
        }
        return new AllocatedDevice(
                request,
                driver,
                pool,
                device,
                adminAccess,
                tolerations,
                conditions,
                failureConditions,
                shareId,
                capacity);
    }

    private AllocatedDevice.Toleration toleration() throws MalformedJsonException {
        String key = "";
        String operator = "";
        String value = "";
        String effect = "";
        var seconds = OptionalLong.empty();
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "key" -> key = json.text();
                case "operator" -> operator = json.text();
                case "value" -> value = json.text();
                case "effect" -> effect = json.text();
                case "tolerationSeconds" -> seconds = OptionalLong.of(json.integer(Long.MIN_VALUE, Long.MAX_VALUE));
                default -> json.skip();
            }
        }
        return new AllocatedDevice.Toleration(key, operator, value, effect, seconds);
    }

    private SortedMap<String, String> quantities() throws MalformedJsonException {
        var quantities = new TreeMap<String, String>();
        json.beginObject();
        while (json.nextField()) {
            quantities.put(json.name(), json.text());
        }
        return quantities;
    }

    private DeviceConfig config() throws MalformedJsonException {
        var source = Optional.<DeviceConfig.Source>empty();
        List<String> requests = List.of();
        var opaque = Optional.<DeviceConfig.Opaque>empty();
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "source" -> source = Optional.of(source());
                case "requests" -> requests = json.texts();
                case "opaque" -> opaque = Optional.of(opaque());
                default -> json.skip();
            }
        }
        if (source.isEmpty()) {
            throw json.malformed("field \"source\" is missing");
        }
        return new DeviceConfig(source.get(), requests, opaque);
    }

    private DeviceConfig.Source source() throws MalformedJsonException {
        String wire = json.text();
        return Arrays.stream(DeviceConfig.Source.values())
                .filter(source -> source.wire().equals(wire))
                .findFirst()
                .orElseThrow(() -> json.malformed(Quoted.of(wire) + " must be FromClass or FromClaim"));
    }

    private DeviceConfig.Opaque opaque() throws MalformedJsonException {
        String driver = "";
        var parameters = new JsonText("null");
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "driver" -> driver = json.text();
                case "parameters" -> parameters = json.verbatim();
                default -> json.skip();
            }
        }
        return new DeviceConfig.Opaque(driver, parameters);
    }

    private NodeSelector nodeSelector() throws MalformedJsonException {
        var terms = new ArrayList<NodeSelector.Term>();
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "nodeSelectorTerms" -> json.each(() -> terms.add(term()));
                default -> json.skip();
            }
        }
        return new NodeSelector(terms);
    }

    private NodeSelector.Term term() throws MalformedJsonException {
        var expressions = new ArrayList<NodeSelector.Requirement>();
        var fields = new ArrayList<NodeSelector.Requirement>();
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "matchExpressions" -> json.each(() -> expressions.add(requirement()));
                case "matchFields" -> json.each(() -> fields.add(requirement()));
                default -> json.skip();
            }
        }
        return new NodeSelector.Term(expressions, fields);
    }

    private NodeSelector.Requirement requirement() throws MalformedJsonException {
        String key = "";
        String operator = "";
        List<String> values = List.of();
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "key" -> key = json.text();
                case "operator" -> operator = json.text();
                case "values" -> values = json.texts();
                default -> json.skip();
            }
        }
        return new NodeSelector.Requirement(key, operator, values);
    }

    private ClaimStatus.ConsumerReference consumer() throws MalformedJsonException {
        String apiGroup = "";
        String resource = "";
        String name = "";
        String uid = "";
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "apiGroup" -> apiGroup = json.text();
                case "resource" -> resource = json.text();
                case "name" -> name = json.text();
                case "uid" -> uid = json.text();
                default -> json.skip();
            }
        }
        return new ClaimStatus.ConsumerReference(apiGroup, resource, name, uid);
    }
}
