package io.imexagent.kubernetes.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.slice.Device;
import io.imexagent.core.slice.Device.DeviceAttribute;
import io.imexagent.core.slice.Device.DeviceTaint;
import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.core.slice.PoolSlice;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Slices;
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.FieldSelection;
import io.imexagent.kubernetes.json.FieldValues;
import io.imexagent.kubernetes.json.UnreadableException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The ResourceSlices of one driver on one node, by field selector; a node's identity may read no others. */
record HttpSlices(Transport transport, Reflectors reflectors, RateLimiter limiter, String driver, String nodeName)
        implements Slices {

    /** In bytes, room for 128 devices with 32 attributes each, the API's limits. */
    private static final int LARGEST = 4 << 20;

    private static final FieldSelection WANTED = FieldSelection.ofObject(
                    "metadata.ownerReferences[].kind,uid,controller",
                    "spec.pool.name,generation,resourceSliceCount",
                    "spec.devices[].name,allowMultipleAllocations",
                    "spec.devices[].attributes.*.string,int,bool,version",
                    "spec.devices[].taints[].key,value,effect")
            .room(LARGEST);

    private Resource<ObservedSlice> slices(NodeRef owner) {
        return new Resource<>(transport, limiter, Resource.DRA, "ResourceSlice", decoder(owner));
    }

    private Collection<ObservedSlice> collection(NodeRef owner) {
        return Collection.selected(
                slices(owner),
                "ResourceSlices of node " + nodeName,
                "fieldSelector",
                "spec.nodeName=" + nodeName + ",spec.driver=" + driver);
    }

    @Override
    public List<ObservedSlice> list(NodeRef owner) throws ApiException {
        // Fails if a slice cannot be read: otherwise the agent would create it a second time.
        return collection(owner).all();
    }

    @Override
    public ObservedSlice create(NodeRef owner, int index, PoolSlice content) throws ApiException {
        return slices(owner)
                .called("ResourceSlice of node " + nodeName)
                .create("", "", created(driver, owner, content, index));
    }

    /**
     * Replaces the whole slice, since this driver owns all of it. Additions that {@link PoolSlice} does not hold, such
     * as an annotation or {@code skipNodeOperations} of a device, are ignored by the agent and stay until the content
     * changes.
     */
    @Override
    public ObservedSlice replace(NodeRef owner, ObservedSlice observed, PoolSlice content) throws ApiException {
        try {
            return slices(owner).update("", observed.name(), replaced(driver, owner, observed, content));
        } catch (ApiException e) {
            if (gone(e, observed)) {
                throw new ApiException(
                        new ApiFailure(
                                ApiFailure.FailureKind.NOT_FOUND, e.failure().message(), Optional.empty()),
                        e);
            }
            throw e;
        }
    }

    @Override
    public void delete(ObservedSlice observed) throws ApiException {
        try {
            slices(new NodeRef(nodeName, "")).delete("", observed.name());
        } catch (ApiException e) {
            if (!gone(e, observed)) {
                throw e;
            }
        }
    }

    /**
     * Whether a slice is gone. The Node authorizer refuses writes to a deleted slice with the same message as writes to
     * a new slice that it does not know yet; a list, which the node may read, distinguishes them.
     */
    private boolean gone(ApiException refusal, ObservedSlice observed) throws ApiException {
        return refusal.failure().kind() == ApiFailure.FailureKind.NO_RELATIONSHIP
                && list(new NodeRef(nodeName, "")).stream()
                        .noneMatch(slice -> slice.name().equals(observed.name()));
    }

    @Override
    public SliceWatch watch(NodeRef owner, Consumer<List<ObservedSlice>> listener) {
        Reflector<ObservedSlice> reflector = reflectors.of(collection(owner));
        reflector.start(news -> listener.accept(reflector.all()));
        return reflector::close;
    }

    static ObjectNode created(String driver, NodeRef owner, PoolSlice content, int index) {
        String name = "%05x-%s-%s-".formatted(index, driver, owner.name());
        return slice(JsonTrees.object().put("generateName", name), driver, owner, content);
    }

    static ObjectNode replaced(String driver, NodeRef owner, ObservedSlice observed, PoolSlice content) {
        ObjectNode metadata =
                JsonTrees.object().put("name", observed.name()).put("resourceVersion", observed.resourceVersion());
        return slice(metadata, driver, owner, content);
    }

    private static ObjectNode slice(ObjectNode metadata, String driver, NodeRef owner, PoolSlice content) {
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "Node")
                .put("name", owner.name())
                .put("uid", owner.uid())
                .put("controller", true);
        ObjectNode slice = Resource.DRA.object("ResourceSlice", metadata);
        ObjectNode spec = slice.putObject("spec").put("driver", driver).put("nodeName", owner.name());
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
        return slice;
    }

    private static void attribute(ObjectNode node, DeviceAttribute attribute) {
        switch (attribute) {
            case DeviceAttribute.StringAttribute(String value) -> node.put("string", value);
            case DeviceAttribute.IntAttribute(long value) -> node.put("int", value);
            case DeviceAttribute.BoolAttribute(boolean value) -> node.put("bool", value);
            case DeviceAttribute.VersionAttribute(String value) -> node.put("version", value);
        }
    }

    private static void taint(ObjectNode node, DeviceTaint taint) {
        node.put("key", taint.key());
        if (!taint.value().isEmpty()) {
            node.put("value", taint.value());
        }
        node.put("effect", taint.effect().text());
    }

    /** Decodes a slice for the node that must own it. */
    static Decoder<ObservedSlice> decoder(NodeRef owner) {
        return new Decoder<>(WANTED, slice -> observed(slice, owner));
    }

    /** Reads only what {@link PoolSlice} holds, so that fields that a server adds make no difference. */
    private static ObservedSlice observed(FieldValues slice, NodeRef owner) throws IOException {
        return new ObservedSlice(
                slice.required("metadata.name"),
                slice.required("metadata.resourceVersion"),
                slice.each("metadata.ownerReferences").stream()
                        .anyMatch(reference -> reference.text("kind").equals("Node")
                                && reference.text("uid").equals(owner.uid())
                                && reference.isTrue("controller")),
                new PoolSlice(
                        slice.required("spec.pool.name"),
                        slice.whole("spec.pool.generation").orElse(0),
                        slice.whole("spec.pool.resourceSliceCount", 0),
                        slice.each("spec.devices", HttpSlices::device)));
    }

    private static Device device(FieldValues device) throws IOException {
        var attributes = new TreeMap<String, DeviceAttribute>();
        device.each("attributes").forEach(attribute -> attributes.put(attribute.name(), attribute(attribute)));
        return new Device(
                device.required("name"),
                attributes,
                device.each("taints", HttpSlices::taint),
                device.isTrue("allowMultipleAllocations"));
    }

    /** Reads a taint without its time. A taint whose effect is unknown to this agent equals none of the agent's own. */
    private static DeviceTaint taint(FieldValues taint) throws UnreadableException {
        String effect = taint.text("effect");
        Optional<DeviceTaint.TaintEffect> known = Stream.of(DeviceTaint.TaintEffect.values())
                .filter(one -> one.text().equals(effect))
                .findFirst();
        return new DeviceTaint(
                taint.required("key"),
                taint.text("value") + (known.isPresent() ? "" : " with the effect " + effect),
                known.orElse(DeviceTaint.TaintEffect.NONE));
    }

    private static DeviceAttribute attribute(FieldValues value) {
        if (value.has("string")) {
            return new DeviceAttribute.StringAttribute(value.text("string"));
        }
        if (value.whole("int").isPresent()) {
            return new DeviceAttribute.IntAttribute(value.whole("int").getAsLong());
        }
        if (value.has("bool")) {
            return new DeviceAttribute.BoolAttribute(value.isTrue("bool"));
        }
        if (value.has("version")) {
            return new DeviceAttribute.VersionAttribute(value.text("version"));
        }
        // An attribute of a kind that this agent does not publish is read so that it equals none of its own.
        return new DeviceAttribute.StringAttribute("an attribute of another kind");
    }
}
