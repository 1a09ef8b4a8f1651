package io.imexagent.kubernetes.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.ControlPlane.TemplateDraft;
import io.imexagent.kubernetes.ControlPlane.TemplateObject;
import io.imexagent.kubernetes.ControlPlane.TemplateObject.TemplateContent;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.FieldSelection;
import io.imexagent.kubernetes.json.FieldValues;
import java.util.List;
import java.util.Optional;

/** The ResourceClaimTemplates of workloads as JSON. */
final class HttpTemplates {

    private static final String REQUEST = "channel";
    private static final String CONFIG_KIND = "ComputeDomainChannelConfig";
    private static final String SINGLE = "Single";
    private static final String ANNOTATIONS = "spec.metadata.annotations";

    static final Decoder<TemplateObject> TEMPLATE = new Decoder<>(
            FieldSelection.ofObject(
                            "metadata.labels.*",
                            "spec.spec.devices.constraints",
                            "spec.spec.devices.config[].requests[]",
                            "spec.spec.devices.config[].opaque.driver",
                            "spec.spec.devices.config[].opaque.parameters.domainID,apiVersion,kind,allocationMode",
                            "spec.spec.devices.requests[].name",
                            "spec.spec.devices.requests[].exactly.deviceClassName,allocationMode,count,adminAccess",
                            "spec.spec.devices.requests[].exactly.tolerations,capacity,selectors")
                    .note(ANNOTATIONS, DriverNames.DOMAIN_ANNOTATION),
            template -> new TemplateObject(
                    template.ref(),
                    template.deleting(),
                    template.finalizers(),
                    template.map("metadata.labels"),
                    content(template)));

    private HttpTemplates() {}

    /**
     * Reads the content. Fields that a later server adds make no difference, otherwise the template would be replaced
     * again and again.
     */
    private static TemplateContent content(FieldValues template) {
        List<FieldValues> configs = template.each("spec.spec.devices.config");
        List<FieldValues> requests = template.each("spec.spec.devices.requests");
        Optional<String> domain = configs.stream()
                .filter(config -> config.text("opaque.driver").equals(DriverNames.DRIVER))
                .flatMap(config -> config.given("opaque.parameters.domainID").stream())
                .findFirst();
        boolean workload = configs.size() == 1
                && forChannel(configs.getFirst())
                && requests.size() == 1
                && single(requests.getFirst())
                && template.count("spec.spec.devices.constraints") == 0
                && namesAtMostTheDomain(template);
        return workload && domain.isPresent()
                ? new TemplateContent.WorkloadTemplate(
                        domain.get(), requests.getFirst().text("exactly.deviceClassName"))
                : new TemplateContent.OtherTemplate(domain);
    }

    /**
     * Whether the template's metadata for claims holds only the name of the ComputeDomain or, as in the public
     * controller's templates, nothing.
     */
    private static boolean namesAtMostTheDomain(FieldValues template) {
        int named = template.has(ANNOTATIONS + "." + DriverNames.DOMAIN_ANNOTATION) ? 1 : 0;
        return template.count("spec.metadata") == named && template.count(ANNOTATIONS) == named;
    }

    private static boolean single(FieldValues request) {
        return request.text("name").equals(REQUEST)
                && request.has("exactly")
                && (!request.has("exactly.allocationMode")
                        || request.text("exactly.allocationMode").equals("ExactCount"))
                && request.whole("exactly.count", 1) == 1
                && request.count("exactly.selectors") == 0
                && !request.isTrue("exactly.adminAccess")
                && request.count("exactly.tolerations") == 0
                && request.count("exactly.capacity") == 0;
    }

    private static boolean forChannel(FieldValues config) {
        return config.texts("requests").equals(List.of(REQUEST))
                && config.count("opaque.parameters") == 4
                && config.text("opaque.parameters.apiVersion").equals(DriverNames.API_VERSION)
                && config.text("opaque.parameters.kind").equals(CONFIG_KIND)
                && config.text("opaque.parameters.allocationMode").equals(SINGLE);
    }

    static ObjectNode written(TemplateDraft draft) {
        ObjectNode metadata = Resource.named(draft.namespace(), draft.name());
        draft.finalizers().forEach(metadata.putArray("finalizers")::add);
        Resource.texts(metadata, "labels", draft.labels());
        ObjectNode object = Resource.DRA.object("ResourceClaimTemplate", metadata);
        ObjectNode spec = object.putObject("spec");
        spec.putObject("metadata").putObject("annotations").put(DriverNames.DOMAIN_ANNOTATION, draft.domainName());
        ObjectNode devices = spec.putObject("spec").putObject("devices");
        ObjectNode config = devices.putArray("config").addObject();
        config.putArray("requests").add(REQUEST);
        config.putObject("opaque")
                .put("driver", DriverNames.DRIVER)
                .putObject("parameters")
                .put("allocationMode", SINGLE)
                .put("apiVersion", DriverNames.API_VERSION)
                .put("domainID", draft.content().domain())
                .put("kind", CONFIG_KIND);
        devices.putArray("requests")
                .addObject()
                .put("name", REQUEST)
                .putObject("exactly")
                .put("allocationMode", "ExactCount")
                .put("count", 1)
                .put("deviceClassName", draft.content().deviceClass());
        return object;
    }
}
