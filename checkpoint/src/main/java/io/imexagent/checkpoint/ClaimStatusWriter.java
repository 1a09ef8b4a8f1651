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
import java.util.function.Consumer;

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

    /** A field of objects that is left out when there are none. */
    private <T> void list(String name, List<T> items, Consumer<T> write) {
        if (!items.isEmpty()) {
            json.name(name).beginArray();
            items.forEach(write);
            json.endArray();
        }
    }

    private void status(ClaimStatus status) {
        json.beginObject();
        status.allocation().ifPresent(this::allocation);
        list("reservedFor", status.reservedFor(), this::consumer);
        list("devices", status.devices(), this::device);
        json.endObject();
    }

    private void allocation(Allocation allocation) {
        json.name("allocation").beginObject().name("devices").beginObject();
        list("results", allocation.results(), this::result);
        list("config", allocation.config(), this::config);
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
        list("tolerations", result.tolerations(), this::toleration);
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
            list("matchExpressions", term.matchExpressions(), this::requirement);
            list("matchFields", term.matchFields(), this::requirement);
            json.endObject();
        }
        json.endArray().endObject();
    }

    private void requirement(NodeSelector.Requirement requirement) {
        json.beginObject()
                .field("key", requirement.key())
                .field("operator", requirement.operator())
                .fieldUnlessEmpty("values", requirement.values())
                .endObject();
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
        list("conditions", device.conditions(), this::condition);
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
