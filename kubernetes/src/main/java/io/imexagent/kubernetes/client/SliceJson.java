package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.slice.Device;
import io.imexagent.core.slice.Device.Attribute;
import io.imexagent.core.slice.Device.Taint;
import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.core.slice.PoolSlice;
import io.imexagent.kubernetes.Slices.NodeRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * ResourceSlices of {@code resource.k8s.io/v1} as JSON. Only what {@link PoolSlice} holds is read, so that fields that
 * the server adds make no difference.
 */
final class SliceJson {

    static final String API_VERSION = "resource.k8s.io/v1";

    private SliceJson() {}

    /** A slice that the server is to name. */
    static String created(String driver, NodeRef owner, PoolSlice content, int index) {
        ObjectNode slice = Json.object();
        ObjectNode metadata = head(slice);
        metadata.put("generateName", "%05x-%s-%s-".formatted(index, driver, owner.name()));
        own(metadata, owner);
        spec(slice, driver, owner, content);
        return Json.text(slice);
    }

    /** A slice in place of an observed one. */
    static String replaced(String driver, NodeRef owner, ObservedSlice observed, PoolSlice content) {
        ObjectNode slice = Json.object();
        ObjectNode metadata = head(slice);
        metadata.put("name", observed.name());
        metadata.put("resourceVersion", observed.resourceVersion());
        own(metadata, owner);
        spec(slice, driver, owner, content);
        return Json.text(slice);
    }

    private static ObjectNode head(ObjectNode slice) {
        slice.put("apiVersion", API_VERSION);
        slice.put("kind", "ResourceSlice");
        return slice.putObject("metadata");
    }

    private static void own(ObjectNode metadata, NodeRef owner) {
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "Node")
                .put("name", owner.name())
                .put("uid", owner.uid())
                .put("controller", true);
    }

    private static void spec(ObjectNode slice, String driver, NodeRef owner, PoolSlice content) {
        ObjectNode spec = slice.putObject("spec");
        spec.put("driver", driver);
        spec.put("nodeName", owner.name());
        spec.putObject("pool")
                .put("name", content.pool())
                .put("generation", content.generation())
                .put("resourceSliceCount", content.sliceCount());
        ArrayNode devices = spec.putArray("devices");
        for (Device device : content.devices()) {
            ObjectNode node = devices.addObject().put("name", device.name());
            ObjectNode attributes = node.putObject("attributes");
            device.attributes().forEach((name, value) -> attribute(attributes.putObject(name), value));
            if (device.shared()) {
                node.put("allowMultipleAllocations", true);
            }
            device.taints()
                    .forEach(taint -> taint(node.withArrayProperty("taints").addObject(), taint));
        }
    }

    private static void attribute(ObjectNode node, Attribute attribute) {
        switch (attribute) {
            case Attribute.Text(String value) -> node.put("string", value);
            case Attribute.Whole(long value) -> node.put("int", value);
            case Attribute.Flag(boolean value) -> node.put("bool", value);
            case Attribute.Version(String value) -> node.put("version", value);
        }
    }

    private static void taint(ObjectNode node, Taint taint) {
        node.put("key", taint.key());
        if (!taint.value().isEmpty()) {
            node.put("value", taint.value());
        }
        node.put("effect", taint.effect().text());
    }

    /** Reads a slice as the server has it. */
    static ObservedSlice observed(JsonNode slice, NodeRef owner) throws IOException {
        JsonNode metadata = slice.path("metadata");
        JsonNode spec = slice.path("spec");
        JsonNode pool = spec.path("pool");
        var devices = new ArrayList<Device>();
        for (JsonNode device : spec.path("devices")) {
            var attributes = new TreeMap<String, Attribute>();
            for (Map.Entry<String, JsonNode> entry : device.path("attributes").properties()) {
                attributes.put(entry.getKey(), attribute(entry.getValue()));
            }
            devices.add(new Device(
                    Json.required(device, "name"),
                    attributes,
                    taints(device),
                    device.path("allowMultipleAllocations").asBoolean(false)));
        }
        return new ObservedSlice(
                Json.required(metadata, "name"),
                Json.required(metadata, "resourceVersion"),
                owned(metadata, owner),
                new PoolSlice(
                        Json.required(pool, "name"),
                        pool.path("generation").asLong(0),
                        pool.path("resourceSliceCount").asInt(0),
                        devices));
    }

    private static boolean owned(JsonNode metadata, NodeRef owner) {
        for (JsonNode reference : metadata.path("ownerReferences")) {
            if (reference.path("kind").asText().equals("Node")
                    && reference.path("uid").asText().equals(owner.uid())
                    && reference.path("controller").asBoolean(false)) {
                return true;
            }
        }
        return false;
    }

    /** The taints without their times; one with an effect that this agent does not know equals none of its own. */
    private static List<Taint> taints(JsonNode device) throws IOException {
        var taints = new ArrayList<Taint>();
        for (JsonNode taint : device.path("taints")) {
            String key = Json.required(taint, "key");
            String text = taint.path("effect").asText();
            Optional<Taint.Effect> effect = Stream.of(Taint.Effect.values())
                    .filter(known -> known.text().equals(text))
                    .findFirst();
            taints.add(
                    effect.isPresent()
                            ? new Taint(key, taint.path("value").asText(), effect.get())
                            : new Taint(key, taint.toString(), Taint.Effect.NONE));
        }
        return taints;
    }

    private static Attribute attribute(JsonNode value) {
        if (value.has("string")) {
            return new Attribute.Text(value.path("string").asText());
        }
        if (value.has("int")) {
            return new Attribute.Whole(value.path("int").asLong());
        }
        if (value.has("bool")) {
            return new Attribute.Flag(value.path("bool").asBoolean());
        }
        if (value.has("version")) {
            return new Attribute.Version(value.path("version").asText());
        }
        // A kind that this agent does not publish, so somebody else's: shown such that it equals nothing of ours.
        return new Attribute.Text(value.toString());
    }
}
