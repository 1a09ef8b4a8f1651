package io.imexagent.kubernetes.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.policy.PlacementMode;
import io.imexagent.kubernetes.ControlPlane.PlacedPod;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.CliquePlacement;
import io.imexagent.kubernetes.clique.CliquePlacement.PlacedTemplate;
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.FieldSelection;
import io.imexagent.kubernetes.json.FieldValues;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** CliquePlacements as JSON, and the pods and Nodes that show their effect. */
final class HttpPlacements {

    /** In bytes, room for the most templates that are allowed, with the longest names. */
    private static final int LARGEST = 4 << 20;

    private static final String TEMPLATES = "spec.templates";

    /** An invalid entry is left out; the controller then writes the object again. */
    static final Decoder<Stored<CliquePlacement>> PLACEMENT = new Decoder<>(
            FieldSelection.ofObject(TEMPLATES + ".*.computeDomain,mode").room(LARGEST),
            object -> object.stored(placement(object)));

    /**
     * The longest message of the scheduler that is kept, in bytes. The message lists each reason with its number of
     * nodes.
     */
    private static final int LONGEST_MESSAGE = 4 << 10;

    static final Decoder<PlacedPod> POD = new Decoder<>(
            FieldSelection.of(
                            "metadata.namespace,name,deletionTimestamp",
                            "spec.nodeName",
                            "status.phase",
                            "status.conditions[].type,status,message")
                    .note("metadata.labels", DriverNames.DOMAIN_LABEL)
                    .note("metadata.labels", DriverNames.GROUP_LABEL)
                    .note("status.conditions[]", "message")
                    .longest(LONGEST_MESSAGE, "status.conditions[].message"),
            pod -> new PlacedPod(
                    pod.required("metadata.namespace"),
                    pod.required("metadata.name"),
                    pod.text("metadata.labels." + DriverNames.DOMAIN_LABEL),
                    pod.text("metadata.labels." + DriverNames.GROUP_LABEL),
                    pod.given("spec.nodeName"),
                    List.of("Succeeded", "Failed").contains(pod.text("status.phase")),
                    waiting(pod)));

    static final Decoder<Map.Entry<String, String>> LABEL = new Decoder<>(
            FieldSelection.of("metadata.name").note("metadata.labels", DriverNames.CLIQUE_LABEL),
            node -> Map.entry(
                    node.required("metadata.name"), node.text("metadata.labels." + DriverNames.CLIQUE_LABEL)));

    private HttpPlacements() {}

    private static CliquePlacement placement(FieldValues object) {
        Map<String, PlacedTemplate> templates = new HashMap<>();
        for (FieldValues one : object.each(TEMPLATES)) {
            one.given("computeDomain")
                    .map(ComputeDomainUid::new)
                    .flatMap(domain -> PlacementMode.of(one.text("mode")).map(mode -> new PlacedTemplate(domain, mode)))
                    .ifPresent(placed -> templates.put(one.name(), placed));
        }
        return new CliquePlacement(templates);
    }

    /** The scheduler's message about why it has found no node yet. */
    private static Optional<String> waiting(FieldValues pod) {
        return pod.each("status.conditions").stream()
                .filter(condition -> condition.text("type").equals("PodScheduled")
                        && condition.text("status").equals("False"))
                .map(condition -> condition.text("message"))
                .findFirst();
    }

    static ObjectNode written(ObjectNode metadata, CliquePlacement content) {
        ObjectNode object = Resource.FABRIC.object("CliquePlacement", metadata);
        ObjectNode templates = object.putObject("spec").putObject("templates");
        new TreeMap<>(content.templates())
                .forEach((name, placed) -> templates
                        .putObject(name)
                        .put("computeDomain", placed.domain().value())
                        .put("mode", placed.mode().text()));
        return object;
    }
}
