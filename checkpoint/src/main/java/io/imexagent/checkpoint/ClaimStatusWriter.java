package io.imexagent.checkpoint;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.AllocatedDeviceStatus;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.NodeSelector;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * Writes a ResourceClaimStatus in the field order of the Kubernetes types ({@code k8s.io/api/resource/v1}), leaving out
 * what they leave out.
 */
final class ClaimStatusWriter {

    private final GoJson json;

    private ClaimStatusWriter(GoJson json) {
        this.json = json;
    }

    static void write(GoJson json, ClaimStatus status) {
        new ClaimStatusWriter(json).status(status);
    }

    /** A time as {@code meta/v1 Time} writes it: RFC 3339 in UTC, whole seconds. */
    static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private void status(ClaimStatus status) {
        json.beginObject();
        status.allocation().ifPresent(this::allocation);
        if (!status.reservedFor().isEmpty()) {
            json.name("reservedFor").beginArray();
            status.reservedFor().forEach(this::consumer);
            json.endArray();
        }
        if (!status.devices().isEmpty()) {
            json.name("devices").beginArray();
            status.devices().forEach(this::device);
            json.endArray();
        }
        json.endObject();
    }

    private void allocation(Allocation allocation) {
        json.name("allocation").beginObject().name("devices").beginObject();
        if (!allocation.results().isEmpty()) {
            json.name("results").beginArray();
            allocation.results().forEach(this::result);
            json.endArray();
        }
        if (!allocation.config().isEmpty()) {
            json.name("config").beginArray();
            allocation.config().forEach(this::config);
            json.endArray();
        }
        json.endObject();
        allocation.nodeSelector().ifPresent(this::nodeSelector);
        allocation.timestamp().ifPresent(time -> json.field("allocationTimestamp", time(time)));
        json.endObject();
    }

    private void result(AllocatedDevice result) {
        json.beginObject()
                .field("request", result.request())
                .field("driver", result.driver())
                .field("pool", result.pool())
                .field("device", result.device());
        result.adminAccess().ifPresent(admin -> json.name("adminAccess").literal(Boolean.toString(admin)));
        if (!result.tolerations().isEmpty()) {
            json.name("tolerations").beginArray();
            result.tolerations().forEach(this::toleration);
            json.endArray();
        }
        json.fieldUnlessEmpty("bindingConditions", result.bindingConditions())
                .fieldUnlessEmpty("bindingFailureConditions", result.bindingFailureConditions());
        result.shareId().ifPresent(share -> json.field("shareID", share));
        if (!result.consumedCapacity().isEmpty()) {
            json.name("consumedCapacity").beginObject();
            result.consumedCapacity().forEach(json::field);
            json.endObject();
        }
        json.endObject();
    }

    private void toleration(AllocatedDevice.Toleration toleration) {
        json.beginObject()
                .fieldUnlessEmpty("key", toleration.key())
                .fieldUnlessEmpty("operator", toleration.operator())
                .fieldUnlessEmpty("value", toleration.value())
                .fieldUnlessEmpty("effect", toleration.effect());
        toleration.tolerationSeconds().ifPresent(seconds -> json.field("tolerationSeconds", seconds));
        json.endObject();
    }

    private void config(DeviceConfig config) {
        json.beginObject().field("source", config.source().wire()).fieldUnlessEmpty("requests", config.requests());
        config.opaque()
                .ifPresent(opaque -> json.name("opaque")
                        .beginObject()
                        .field("driver", opaque.driver())
                        .name("parameters")
                        .verbatim(opaque.parameters().text())
                        .endObject());
        json.endObject();
    }

    private void nodeSelector(NodeSelector selector) {
        json.name("nodeSelector").beginObject().name("nodeSelectorTerms").beginArray();
        for (NodeSelector.Term term : selector.terms()) {
            json.beginObject();
            requirements("matchExpressions", term.matchExpressions());
            requirements("matchFields", term.matchFields());
            json.endObject();
        }
        json.endArray().endObject();
    }

    private void requirements(String name, List<NodeSelector.Requirement> requirements) {
        if (requirements.isEmpty()) {
            return;
        }
        json.name(name).beginArray();
        for (NodeSelector.Requirement requirement : requirements) {
            json.beginObject()
                    .field("key", requirement.key())
                    .field("operator", requirement.operator())
                    .fieldUnlessEmpty("values", requirement.values())
                    .endObject();
        }
        json.endArray();
    }

    private void consumer(ClaimStatus.ConsumerReference consumer) {
        json.beginObject()
                .fieldUnlessEmpty("apiGroup", consumer.apiGroup())
                .field("resource", consumer.resource())
                .field("name", consumer.name())
                .field("uid", consumer.uid())
                .endObject();
    }

    private void device(AllocatedDeviceStatus device) {
        json.beginObject()
                .field("driver", device.driver())
                .field("pool", device.pool())
                .field("device", device.device());
        device.shareId().ifPresent(share -> json.field("shareID", share));
        if (!device.conditions().isEmpty()) {
            json.name("conditions").beginArray();
            device.conditions().forEach(this::condition);
            json.endArray();
        }
        device.data().ifPresent(data -> json.name("data").verbatim(data.text()));
        device.networkData()
                .ifPresent(network -> json.name("networkData")
                        .beginObject()
                        .fieldUnlessEmpty("interfaceName", network.interfaceName())
                        .fieldUnlessEmpty("ips", network.ips())
                        .fieldUnlessEmpty("hardwareAddress", network.hardwareAddress())
                        .endObject());
        json.endObject();
    }

    private void condition(AllocatedDeviceStatus.Condition condition) {
        json.beginObject().field("type", condition.type()).field("status", condition.status());
        if (condition.observedGeneration().orElse(0) != 0) {
            json.field("observedGeneration", condition.observedGeneration().getAsLong());
        }
        json.name("lastTransitionTime");
        condition.lastTransitionTime().ifPresentOrElse(time -> json.text(time(time)), () -> json.literal("null"));
        json.field("reason", condition.reason())
                .field("message", condition.message())
                .endObject();
    }
}
