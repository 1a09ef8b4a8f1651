package io.imexagent.controller.plan;

import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.TemplateObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Whose a template is, and how the controller's own goes. */
public final class Ownership {

    private Ownership() {}

    /** The labels of a ComputeDomain's template. */
    static Map<String, String> labels(DomainObject domain) {
        return Map.of(Names.COMPUTE_DOMAIN, domain.ref().uid(), Names.TARGET, Names.WORKLOAD);
    }

    /**
     * Whether a template of the right name is the ComputeDomain's: by its label, or, where somebody took the label away,
     * by its configuration. The label of another ComputeDomain makes it that one's.
     */
    static boolean owns(DomainObject domain, TemplateObject template) {
        Optional<String> label = Optional.ofNullable(template.labels().get(Names.COMPUTE_DOMAIN));
        String target = template.labels().getOrDefault(Names.TARGET, Names.WORKLOAD);
        return label.or(() -> template.content().domainId())
                        .filter(domain.ref().uid()::equals)
                        .isPresent()
                && target.equals(Names.WORKLOAD);
    }

    /** Whose a foreign template is, as a clause. */
    static String of(TemplateObject template) {
        return Optional.ofNullable(template.labels().get(Names.COMPUTE_DOMAIN))
                .map(uid -> "belongs to the ComputeDomain with UID " + uid)
                .orElse("is not this controller's");
    }

    /** Deletes a template of the controller's own, and lets it go. */
    public static Plan remove(TemplateObject template) {
        return template.deleting()
                ? letGo(template).orElseGet(() -> Plan.settled(List.of(held(template))))
                : Plan.next(new Step.DeleteTemplate(template));
    }

    /** Takes the controller's finalizer off a template that is being deleted; empty where it has none. */
    static Optional<Plan> letGo(TemplateObject template) {
        List<String> others = others(template);
        return others.size() == template.finalizers().size()
                ? Optional.empty()
                : Optional.of(Plan.next(new Step.MendTemplate(template, Map.of(), others)));
    }

    /** A template that others hold. */
    static Problem held(TemplateObject template) {
        return new Problem(
                Problem.Reason.TEMPLATE_HELD,
                "the ResourceClaimTemplate " + template.ref().name() + " is being deleted and held by the finalizers "
                        + String.join(", ", others(template)) + "; whoever set them must take them away");
    }

    private static List<String> others(TemplateObject template) {
        return template.finalizers().stream()
                .filter(finalizer -> !finalizer.equals(Names.COMPUTE_DOMAIN))
                .toList();
    }
}
