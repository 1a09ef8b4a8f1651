package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.control.TemplateDraft;
import io.imexagent.kubernetes.control.TemplateObject;
import io.imexagent.kubernetes.control.TemplateObject.Content;
import io.imexagent.kubernetes.json.JsonTrees;
import java.util.List;
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

    private static final String ANNOTATIONS = "spec.metadata.annotations";

    private TemplateJson() {}

    static final Decoder<TemplateObject> DECODER = new Decoder<>(
            WantedFields.ofObject(
                            "metadata.labels.*",
                            "spec.spec.devices.constraints",
                            "spec.spec.devices.config[].requests[]",
                            "spec.spec.devices.config[].opaque.driver",
                            "spec.spec.devices.config[].opaque.parameters.domainID",
                            "spec.spec.devices.config[].opaque.parameters.apiVersion",
                            "spec.spec.devices.config[].opaque.parameters.kind",
                            "spec.spec.devices.config[].opaque.parameters.allocationMode",
                            "spec.spec.devices.requests[].name",
                            "spec.spec.devices.requests[].exactly.deviceClassName",
                            "spec.spec.devices.requests[].exactly.allocationMode",
                            "spec.spec.devices.requests[].exactly.count",
                            "spec.spec.devices.requests[].exactly.adminAccess",
                            "spec.spec.devices.requests[].exactly.tolerations",
                            "spec.spec.devices.requests[].exactly.capacity",
                            "spec.spec.devices.requests[].exactly.selectors")
                    .note(ANNOTATIONS, DriverNames.DOMAIN_ANNOTATION),
            TemplateJson::template);

    private static TemplateObject template(Fields template) throws UnreadableException {
        return new TemplateObject(
                template.ref(),
                template.deleting(),
                template.finalizers(),
                template.map("metadata.labels"),
                content(template));
    }

    private static Content content(Fields template) {
        List<Fields> configs = template.each("spec.spec.devices.config");
        List<Fields> requests = template.each("spec.spec.devices.requests");
        Optional<String> domain = configs.stream()
                .flatMap(config -> ControlJson.domainOf(config).stream())
                .findFirst();
        boolean workload = configs.size() == 1
                && forChannel(configs.getFirst())
                && requests.size() == 1
                && requests.getFirst().text("name").equals(REQUEST)
                && single(requests.getFirst())
                && template.count("spec.spec.devices.constraints") == 0
                && namesAtMostTheDomain(template);
        if (!workload || domain.isEmpty()) {
            return new Content.Other(domain);
        }
        Fields request = requests.getFirst();
        return new Content.Workload(domain.get(), request.text("exactly.deviceClassName"));
    }

    /** Claims say the name of their ComputeDomain, or, as those of the public controller's templates, nothing. */
    private static boolean namesAtMostTheDomain(Fields template) {
        int named = template.has(ANNOTATIONS + "." + DriverNames.DOMAIN_ANNOTATION) ? 1 : 0;
        return template.count("spec.metadata") == named && template.count(ANNOTATIONS) == named;
    }

    private static boolean single(Fields request) {
        return request.has("exactly")
                && (!request.has("exactly.allocationMode")
                        || request.text("exactly.allocationMode").equals("ExactCount"))
                && request.whole("exactly.count", 1) == 1
                && request.count("exactly.selectors") == 0
                && !request.isTrue("exactly.adminAccess")
                && request.count("exactly.tolerations") == 0
                && request.count("exactly.capacity") == 0;
    }

    private static boolean forChannel(Fields config) {
        return config.texts("requests").equals(List.of(REQUEST))
                && config.count("opaque.parameters") == 4
                && config.text("opaque.parameters.apiVersion").equals(DriverNames.API_VERSION)
                && config.text("opaque.parameters.kind").equals(KIND)
                && config.text("opaque.parameters.allocationMode").equals(SINGLE);
    }

    static ObjectNode created(TemplateDraft draft) {
        ObjectNode object =
                JsonTrees.object().put("apiVersion", "resource.k8s.io/v1").put("kind", "ResourceClaimTemplate");
        ObjectNode metadata =
                object.putObject("metadata").put("namespace", draft.namespace()).put("name", draft.name());
        ControlJson.finalizers(metadata, draft.finalizers());
        ObjectNode labels = metadata.putObject("labels");
        draft.labels().forEach(labels::put);
        ObjectNode spec = object.putObject("spec");
        spec.putObject("metadata").putObject("annotations").put(DriverNames.DOMAIN_ANNOTATION, draft.domainName());
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
        request.putObject("exactly")
                .put("allocationMode", "ExactCount")
                .put("count", 1)
                .put("deviceClassName", draft.content().deviceClass());
        request.put("name", REQUEST);
        return object;
    }
}
