package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.control.ClaimUse;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.ObjectRef;
import io.imexagent.kubernetes.json.JsonTrees;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** ComputeDomains, claims and Events as JSON: of each only what the controller decides on. */
final class ControlJson {

    private ControlJson() {}

    /** A ComputeDomain, for the controller and for agents. */
    static final Decoder<DomainObject> DOMAIN = new Decoder<>(
            WantedFields.ofObject(
                    "spec.channel.resourceClaimTemplate.name",
                    "spec.channel.allocationMode",
                    "status.status",
                    "status.channel"),
            domain -> new DomainObject(
                    domain.ref(),
                    domain.deleting(),
                    domain.finalizers(),
                    domain.text("spec.channel.resourceClaimTemplate.name"),
                    domain.text("spec.channel.allocationMode"),
                    domain.text("status.status").equals("Ready"),
                    channel(domain.whole("status.channel", -1))));

    /** A claim; empty where it has nothing to do with ComputeDomains, as most claims of a cluster. */
    static final Decoder<Optional<ClaimUse>> CLAIM = new Decoder<>(
            WantedFields.ofObject(
                    "spec.devices.config[].opaque.driver",
                    "spec.devices.config[].opaque.parameters.domainID",
                    "status.allocation.devices.results[].driver",
                    "status.allocation.devices.results[].pool",
                    "status.allocation.devices.results[].device"),
            ControlJson::claim);

    /** What a ResourceSlice publishes. */
    static final Decoder<Published> PUBLISHED = new Decoder<>(
            WantedFields.ofObject("spec.nodeName", "spec.devices[].name"),
            slice -> new Published(slice.text("spec.nodeName"), channels(slice.each("spec.devices"), "name")));

    /** Anything but the number of a channel counts as none. */
    private static Optional<ChannelId> channel(int number) {
        return number >= 0 && number <= ChannelId.LARGEST ? Optional.of(new ChannelId(number)) : Optional.empty();
    }

    /**
     * One with several devices of this driver has no channel: agents refuse it whole, and otherwise one claim could use up
     * every channel.
     */
    private static Optional<ClaimUse> claim(Fields claim) throws UnreadableException {
        Set<String> domains = claim.each("spec.devices.config").stream()
                .flatMap(config -> domainOf(config).stream())
                .collect(Collectors.toSet());
        List<Fields> own = claim.each("status.allocation.devices.results").stream()
                .filter(result -> result.text("driver").equals(DriverNames.DRIVER))
                .toList();
        return domains.isEmpty() && own.isEmpty()
                ? Optional.empty()
                : Optional.of(new ClaimUse(
                        claim.ref(),
                        domains,
                        own.size() == 1 ? channels(own, "device") : Set.of(),
                        own.stream().map(result -> result.text("pool")).collect(Collectors.toSet())));
    }

    private static Set<ChannelId> channels(List<Fields> devices, String name) {
        return devices.stream()
                .flatMap(device -> ChannelId.ofDevice(device.text(name)).stream())
                .collect(Collectors.toSet());
    }

    /** The ComputeDomain that a configuration of this driver names. */
    static Optional<String> domainOf(Fields config) {
        return Optional.of(config.text("opaque.parameters.domainID"))
                .filter(domain ->
                        !domain.isEmpty() && config.text("opaque.driver").equals(DriverNames.DRIVER));
    }

    /**
     * What one ResourceSlice publishes.
     *
     * @param node the node
     * @param channels its channels
     */
    record Published(String node, Set<ChannelId> channels) {}

    /** A merge patch of metadata that the server takes only where the object is as it was observed. */
    static ObjectNode patch(ObjectRef observed) {
        ObjectNode patch = JsonTrees.object();
        patch.putObject("metadata").put("uid", observed.uid()).put("resourceVersion", observed.version());
        return patch;
    }

    static void finalizers(ObjectNode metadata, List<String> finalizers) {
        if (finalizers.isEmpty()) {
            metadata.putNull("finalizers");
        } else {
            ArrayNode array = metadata.putArray("finalizers");
            finalizers.forEach(array::add);
        }
    }

    /** What a deletion is bound to. */
    static ObjectNode preconditions(ObjectRef observed) {
        ObjectNode options = JsonTrees.object().put("apiVersion", "v1").put("kind", "DeleteOptions");
        options.putObject("preconditions").put("uid", observed.uid()).put("resourceVersion", observed.version());
        return options;
    }
}
