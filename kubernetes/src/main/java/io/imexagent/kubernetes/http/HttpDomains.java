package io.imexagent.kubernetes.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.DomainStatus;
import io.imexagent.kubernetes.DomainCondition;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.ObjectRef;
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.FieldSelection;
import io.imexagent.kubernetes.json.FieldValues;
import io.imexagent.kubernetes.json.JsonScanner;
import io.imexagent.kubernetes.json.UnreadableException;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** ComputeDomains as JSON, and the conditions of their status. */
final class HttpDomains {

    /**
     * The memory of a ComputeDomain, in bytes: thirty long finalizers, and the eight conditions that the definition
     * allows, at the length that is kept.
     */
    private static final int LARGEST_DOMAIN = 128 << 10;

    /** In bytes as written, more than a message of this controller takes. */
    private static final int LONGEST_MESSAGE = 4 << 10;

    /** In bytes as written, more than any condition takes that the definition of ComputeDomains allows. */
    private static final int LONGEST_CONDITION = 256 << 10;

    private static final String CONDITIONS = "status.conditions";

    /** Reads the fields of a ComputeDomain on which the controller decides. */
    static final Decoder<DomainObject> DOMAIN = new Decoder<>(
            FieldSelection.ofObject(
                            "metadata.generation",
                            "spec.channel.resourceClaimTemplate.name",
                            "spec.channel.allocationMode",
                            "status.status",
                            CONDITIONS + "[].type,status,reason,message,observedGeneration,lastTransitionTime")
                    .note("metadata.annotations", DriverNames.PLACEMENT_ANNOTATION)
                    .note(CONDITIONS + "[]", "message")
                    .longest(LONGEST_MESSAGE, CONDITIONS + "[].message")
                    .room(LARGEST_DOMAIN),
            domain -> new DomainObject(
                    domain.ref(),
                    domain.whole("metadata.generation").orElse(0),
                    domain.deleting(),
                    domain.finalizers(),
                    domain.text("spec.channel.resourceClaimTemplate.name"),
                    domain.text("spec.channel.allocationMode"),
                    new DomainStatus(
                            domain.text("status.status").equals("Ready"),
                            domain.each(CONDITIONS).stream()
                                    .flatMap(condition -> condition(condition).stream())
                                    .toList()),
                    domain.text("metadata.annotations." + DriverNames.PLACEMENT_ANNOTATION)),
            HttpDomains::cost);

    /** Reads the conditions of a ComputeDomain by type, as the server wrote them; empty if one is too large to read. */
    static final Decoder<Optional<Map<String, ObjectNode>>> WRITTEN_CONDITIONS = new Decoder<>(
            FieldSelection.of(CONDITIONS + "[]!").longest(LONGEST_CONDITION, CONDITIONS + "[]"),
            domain -> conditions(domain.each(CONDITIONS)));

    /**
     * The memory of a ComputeDomain without its texts. The next constants are that of a condition, and of a text
     * without its characters.
     */
    private static final int OBJECT = 256;

    private static final int CONDITION = 96;
    private static final int TEXT = 64;

    private HttpDomains() {}

    private static Optional<Map<String, ObjectNode>> conditions(List<FieldValues> conditions) throws IOException {
        var byType = new LinkedHashMap<String, ObjectNode>();
        for (FieldValues condition : conditions) {
            Optional<String> text = condition.raw("").flatMap(JsonScanner.Raw::text);
            if (text.isEmpty()) {
                return Optional.empty();
            }
            ObjectNode written = JsonTrees.object(text.get());
            byType.put(written.path("type").asText(), written);
        }
        return Optional.of(byType);
    }

    static ObjectNode written(DomainCondition condition) {
        return JsonTrees.object()
                .put("type", condition.type())
                .put("status", condition.status().text())
                .put("observedGeneration", condition.generation())
                .put("lastTransitionTime", condition.since().toString())
                .put("reason", condition.reason())
                .put("message", condition.message());
    }

    private static int cost(DomainObject domain) {
        List<DomainCondition> conditions = domain.status().conditions();
        ObjectRef ref = domain.ref();
        return OBJECT
                + CONDITION * conditions.size()
                + Stream.of(
                                Stream.of(ref.uid(), ref.namespace(), ref.name(), ref.version()),
                                Stream.of(domain.templateName(), domain.allocationMode(), domain.placement()),
                                domain.finalizers().stream(),
                                conditions.stream().flatMap(is -> Stream.of(is.type(), is.reason(), is.message())))
                        .flatMap(texts -> texts)
                        .mapToInt(text -> TEXT + 2 * text.length())
                        .sum();
    }

    /** Reads a condition; empty if it is not of a form that a controller writes. */
    private static Optional<DomainCondition> condition(FieldValues condition) {
        Optional<DomainCondition.ConditionStatus> status = Stream.of(DomainCondition.ConditionStatus.values())
                .filter(value -> value.text().equals(condition.text("status")))
                .findFirst();
        try {
            Optional<Instant> since = condition.time("lastTransitionTime");
            return status.isEmpty() || since.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new DomainCondition(
                            condition.text("type"),
                            status.get(),
                            condition.text("reason"),
                            condition.text("message"),
                            condition.whole("observedGeneration").orElse(0),
                            since.get()));
        } catch (UnreadableException noTime) {
            return Optional.empty();
        }
    }
}
