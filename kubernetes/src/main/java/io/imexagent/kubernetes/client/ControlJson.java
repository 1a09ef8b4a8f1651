package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.clique.Stored;
import io.imexagent.kubernetes.control.ControlPlane.LeaseContent;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.TemplateDraft;
import io.imexagent.kubernetes.control.TemplateObject;
import io.imexagent.kubernetes.control.TemplateObject.Content;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;

/**
 * What a controller reads and writes, as JSON: ComputeDomains, Leases, and ResourceClaimTemplates in the form of the
 * public controller (captured from a cluster that it ran in).
 *
 * <p>A template is recognised by the fields that a claim's meaning hangs on, as {@code resource.k8s.io/v1} of Kubernetes
 * 1.36 knows them. Fields that a later server adds do not make a template another one: else it would be replaced for
 * ever.
 */
final class ControlJson {

    /** Some thirty finalizers; what a tenant writes as long as it may would take the room of others. */
    private static final int LARGEST_DOMAIN = 16 << 10;

    private static final String REQUEST = "channel";
    private static final String CONFIG_KIND = "ComputeDomainChannelConfig";
    private static final String SINGLE = "Single";
    private static final String ANNOTATIONS = "spec.metadata.annotations";

    /** MicroTime of the API: six digits, no more and no fewer. */
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private ControlJson() {}

    /** A ComputeDomain, as far as the controller decides on it. */
    static final Decoder<DomainObject> DOMAIN = new Decoder<>(
            WantedFields.ofObject(
                            "spec.channel.resourceClaimTemplate.name", "spec.channel.allocationMode", "status.status")
                    .room(LARGEST_DOMAIN),
            domain -> new DomainObject(
                    domain.ref(),
                    domain.deleting(),
                    domain.finalizers(),
                    domain.text("spec.channel.resourceClaimTemplate.name"),
                    domain.text("spec.channel.allocationMode"),
                    domain.text("status.status").equals("Ready")));

    static final Decoder<TemplateObject> TEMPLATE = new Decoder<>(
            WantedFields.ofObject(
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

    private static Content content(Fields template) {
        List<Fields> configs = template.each("spec.spec.devices.config");
        List<Fields> requests = template.each("spec.spec.devices.requests");
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
                ? new Content.Workload(domain.get(), requests.getFirst().text("exactly.deviceClassName"))
                : new Content.Other(domain);
    }

    /** Claims say the name of their ComputeDomain, or, as those of the public controller's templates, nothing. */
    private static boolean namesAtMostTheDomain(Fields template) {
        int named = template.has(ANNOTATIONS + "." + DriverNames.DOMAIN_ANNOTATION) ? 1 : 0;
        return template.count("spec.metadata") == named && template.count(ANNOTATIONS) == named;
    }

    private static boolean single(Fields request) {
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

    private static boolean forChannel(Fields config) {
        return config.texts("requests").equals(List.of(REQUEST))
                && config.count("opaque.parameters") == 4
                && config.text("opaque.parameters.apiVersion").equals(DriverNames.API_VERSION)
                && config.text("opaque.parameters.kind").equals(CONFIG_KIND)
                && config.text("opaque.parameters.allocationMode").equals(SINGLE);
    }

    static ObjectNode template(TemplateDraft draft) {
        ObjectNode metadata = Resource.named(draft.namespace(), draft.name());
        Resource.finalizers(metadata, draft.finalizers());
        ObjectNode labels = metadata.putObject("labels");
        draft.labels().forEach(labels::put);
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

    static final Decoder<Stored<LeaseContent>> LEASE = new Decoder<>(
            WantedFields.ofObject(
                    "metadata.labels.*",
                    "metadata.annotations.*",
                    "spec.holderIdentity,acquireTime,renewTime,leaseDurationSeconds,leaseTransitions"),
            lease -> lease.stored(lease(lease)));

    private static LeaseContent lease(Fields lease) throws UnreadableException {
        int seconds = lease.whole("spec.leaseDurationSeconds", 0);
        return new LeaseContent(
                lease.given("spec.holderIdentity"),
                lease.time("spec.acquireTime"),
                lease.time("spec.renewTime"),
                seconds > 0 ? Optional.of(Duration.ofSeconds(seconds)) : Optional.empty(),
                lease.whole("spec.leaseTransitions", 0),
                lease.map("metadata.labels"),
                lease.map("metadata.annotations"));
    }

    static ObjectNode lease(ObjectNode metadata, LeaseContent content) {
        ObjectNode labels = metadata.putObject("labels");
        content.labels().forEach(labels::put);
        ObjectNode annotations = metadata.putObject("annotations");
        content.annotations().forEach(annotations::put);
        ObjectNode object = Resource.COORDINATION.object("Lease", metadata);
        ObjectNode spec = object.putObject("spec").put("leaseTransitions", content.transitions());
        content.holder().ifPresent(holder -> spec.put("holderIdentity", holder));
        content.acquired().ifPresent(at -> spec.put("acquireTime", MICROS.format(at)));
        content.renewed().ifPresent(at -> spec.put("renewTime", MICROS.format(at)));
        content.duration().ifPresent(span -> spec.put("leaseDurationSeconds", (int) span.toSeconds()));
        return object;
    }
}
