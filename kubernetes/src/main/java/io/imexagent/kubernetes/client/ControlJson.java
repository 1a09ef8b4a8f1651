package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.policy.DriverNames;
import io.imexagent.kubernetes.control.ClaimUse;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.EventDraft;
import io.imexagent.kubernetes.control.ObjectRef;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** ComputeDomains, claims and Events as JSON: of each only what the controller decides on. */
final class ControlJson {

    private ControlJson() {}

    static ObjectRef ref(JsonNode object) throws IOException {
        JsonNode metadata = object.path("metadata");
        return new ObjectRef(
                Json.required(metadata, "uid"),
                Json.required(metadata, "namespace"),
                Json.required(metadata, "name"),
                Json.required(metadata, "resourceVersion"));
    }

    static boolean deleting(JsonNode object) {
        return object.path("metadata").hasNonNull("deletionTimestamp");
    }

    static List<String> finalizers(JsonNode object) {
        var finalizers = new ArrayList<String>();
        object.path("metadata").path("finalizers").forEach(finalizer -> finalizers.add(finalizer.asText()));
        return finalizers;
    }

    static Map<String, String> texts(JsonNode map) {
        var texts = new HashMap<String, String>();
        map.properties()
                .forEach(entry -> texts.put(entry.getKey(), entry.getValue().asText()));
        return texts;
    }

    static DomainObject domain(JsonNode object) throws IOException {
        JsonNode channel = object.path("spec").path("channel");
        JsonNode status = object.path("status");
        return new DomainObject(
                ref(object),
                deleting(object),
                finalizers(object),
                channel.path("resourceClaimTemplate").path("name").asText(""),
                channel.path("allocationMode").asText(""),
                status.path("status").asText("").equals("Ready"),
                channel(status.path("channel")));
    }

    private static Optional<ChannelId> channel(JsonNode number) {
        boolean sound = number.isIntegralNumber()
                && number.canConvertToInt()
                && number.asInt() >= 0
                && number.asInt() <= ChannelId.LARGEST;
        return sound ? Optional.of(new ChannelId(number.asInt())) : Optional.empty();
    }

    /**
     * A claim; empty where it has nothing to do with ComputeDomains, as most claims of a cluster. One with several devices
     * of this driver has no channel: agents refuse it whole, and otherwise one claim could use up every channel.
     */
    static Optional<ClaimUse> claim(JsonNode object) throws IOException {
        Set<String> domains = new HashSet<>();
        for (JsonNode config : object.path("spec").path("devices").path("config")) {
            domainOf(config.path("opaque")).ifPresent(domains::add);
        }
        Set<ChannelId> channels = new HashSet<>();
        Set<String> nodes = new HashSet<>();
        int devices = 0;
        JsonNode status = object.path("status");
        for (JsonNode result : status.path("allocation").path("devices").path("results")) {
            if (result.path("driver").asText("").equals(DriverNames.DRIVER)) {
                devices++;
                ChannelId.ofDevice(result.path("device").asText("")).ifPresent(channels::add);
                nodes.add(result.path("pool").asText(""));
            }
        }
        return domains.isEmpty() && nodes.isEmpty()
                ? Optional.empty()
                : Optional.of(new ClaimUse(
                        ref(object),
                        domains,
                        devices == 1 ? channels : Set.of(),
                        nodes,
                        !status.path("reservedFor").isEmpty()));
    }

    /** The ComputeDomain that a configuration of this driver names. */
    static Optional<String> domainOf(JsonNode opaque) {
        String domain = opaque.path("parameters").path("domainID").asText("");
        return opaque.path("driver").asText("").equals(DriverNames.DRIVER) && !domain.isEmpty()
                ? Optional.of(domain)
                : Optional.empty();
    }

    /**
     * What one ResourceSlice publishes.
     *
     * @param node the node
     * @param channels its channels
     */
    record Published(String node, Set<ChannelId> channels) {}

    static Published published(JsonNode object) {
        Set<ChannelId> channels = new HashSet<>();
        JsonNode spec = object.path("spec");
        for (JsonNode device : spec.path("devices")) {
            ChannelId.ofDevice(device.path("name").asText("")).ifPresent(channels::add);
        }
        return new Published(spec.path("nodeName").asText(""), channels);
    }

    /** A merge patch of metadata that the server takes only where the object is as it was observed. */
    static ObjectNode patch(ObjectRef observed) {
        ObjectNode patch = Json.object();
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
        ObjectNode options = Json.object().put("apiVersion", "v1").put("kind", "DeleteOptions");
        options.putObject("preconditions").put("uid", observed.uid()).put("resourceVersion", observed.version());
        return options;
    }

    static ObjectNode event(EventDraft draft, String component, String instance, Instant now) {
        ObjectRef about = draft.about();
        String time = now.truncatedTo(java.time.temporal.ChronoUnit.SECONDS).toString();
        ObjectNode event = Json.object().put("apiVersion", "v1").put("kind", "Event");
        event.putObject("metadata").put("namespace", about.namespace()).put("generateName", shortened(about.name()));
        event.putObject("involvedObject")
                .put("apiVersion", DriverNames.API_VERSION)
                .put("kind", "ComputeDomain")
                .put("namespace", about.namespace())
                .put("name", about.name())
                .put("uid", about.uid())
                .put("resourceVersion", about.version());
        event.put("type", draft.warning() ? "Warning" : "Normal")
                .put("reason", draft.reason())
                .put("message", draft.message())
                .put("firstTimestamp", time)
                .put("lastTimestamp", time)
                .put("count", 1)
                .put("reportingComponent", component)
                .put("reportingInstance", instance);
        event.putObject("source").put("component", component);
        return event;
    }

    /** A name is at most 253 characters, and the server adds five. */
    private static String shortened(String name) {
        return (name.length() > 240 ? name.substring(0, 240) : name) + ".";
    }
}
