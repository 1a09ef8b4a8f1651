package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.policy.DriverNames;
import io.imexagent.kubernetes.control.TemplateDraft;
import io.imexagent.kubernetes.control.TemplateObject;
import io.imexagent.kubernetes.control.TemplateObject.Content;
import java.io.IOException;
import java.util.Optional;

/**
 * ResourceClaimTemplates as JSON, in the form of the public controller (captured from a cluster that it ran in).
 *
 * <p>A template is recognised by the fields that a claim's meaning hangs on, as {@code resource.k8s.io/v1} of Kubernetes
 * 1.36 knows them. Fields that a later server adds do not make a template another one: else it would be replaced for
 * ever.
 */
final class TemplateJson {

    private static final String REQUEST = "channel";
    private static final String KIND = "ComputeDomainChannelConfig";
    private static final String SINGLE = "Single";

    private TemplateJson() {}

    static TemplateObject template(JsonNode object) throws IOException {
        return new TemplateObject(
                ControlJson.ref(object),
                ControlJson.deleting(object),
                ControlJson.finalizers(object),
                ControlJson.texts(object.path("metadata").path("labels")),
                content(object.path("spec")));
    }

    private static Content content(JsonNode spec) {
        JsonNode devices = spec.path("spec").path("devices");
        JsonNode config = devices.path("config").path(0);
        Optional<String> domain = Optional.empty();
        for (JsonNode one : devices.path("config")) {
            domain = domain.or(() -> ControlJson.domainOf(one.path("opaque")));
        }
        JsonNode request = devices.path("requests").path(0);
        boolean workload = devices.path("requests").size() == 1
                && devices.path("config").size() == 1
                && devices.path("constraints").isEmpty()
                && spec.path("metadata").isEmpty()
                && request.path("name").asText().equals(REQUEST)
                && single(request.path("exactly"))
                && forChannel(config);
        if (!workload || domain.isEmpty()) {
            return new Content.Other(domain);
        }
        JsonNode exactly = request.path("exactly");
        String selector =
                exactly.path("selectors").path(0).path("cel").path("expression").asText("");
        return new Content.Workload(
                domain.get(),
                exactly.path("deviceClassName").asText(""),
                selector.isEmpty() ? Optional.empty() : Optional.of(selector));
    }

    private static boolean single(JsonNode exactly) {
        return exactly.isObject()
                && exactly.path("allocationMode").asText("ExactCount").equals("ExactCount")
                && exactly.path("count").asInt(1) == 1
                && exactly.path("selectors").size() <= 1
                && !exactly.path("adminAccess").asBoolean(false)
                && exactly.path("tolerations").isEmpty()
                && exactly.path("capacity").isEmpty();
    }

    private static boolean forChannel(JsonNode config) {
        JsonNode requests = config.path("requests");
        JsonNode parameters = config.path("opaque").path("parameters");
        return requests.size() == 1
                && requests.path(0).asText().equals(REQUEST)
                && parameters.size() == 4
                && parameters.path("apiVersion").asText().equals(DriverNames.API_VERSION)
                && parameters.path("kind").asText().equals(KIND)
                && parameters.path("allocationMode").asText().equals(SINGLE);
    }

    static ObjectNode created(TemplateDraft draft) {
        ObjectNode object =
                Json.object().put("apiVersion", "resource.k8s.io/v1").put("kind", "ResourceClaimTemplate");
        ObjectNode metadata =
                object.putObject("metadata").put("namespace", draft.namespace()).put("name", draft.name());
        ControlJson.finalizers(metadata, draft.finalizers());
        ObjectNode labels = metadata.putObject("labels");
        draft.labels().forEach(labels::put);
        ObjectNode spec = object.putObject("spec");
        spec.putObject("metadata");
        ObjectNode devices = spec.putObject("spec").putObject("devices");
        ObjectNode config = devices.putArray("config").addObject();
        ObjectNode opaque = config.putObject("opaque").put("driver", DriverNames.DRIVER);
        opaque.putObject("parameters")
                .put("allocationMode", SINGLE)
                .put("apiVersion", DriverNames.API_VERSION)
                .put("domainID", draft.content().domain())
                .put("kind", KIND);
        config.putArray("requests").add(REQUEST);
        ObjectNode request = devices.putArray("requests").addObject();
        ObjectNode exactly = request.putObject("exactly")
                .put("allocationMode", "ExactCount")
                .put("count", 1)
                .put("deviceClassName", draft.content().deviceClass());
        draft.content()
                .selector()
                .ifPresent(expression -> exactly.putArray("selectors")
                        .addObject()
                        .putObject("cel")
                        .put("expression", expression));
        request.put("name", REQUEST);
        return object;
    }
}
