package io.imexagent.kubernetes.control;

import java.util.List;
import java.util.Map;

/**
 * A ResourceClaimTemplate to make.
 *
 * @param domainName the name of the ComputeDomain, which claims made from it bear as an annotation
 * @param content what claims made from it ask for
 */
public record TemplateDraft(
        String namespace,
        String name,
        List<String> finalizers,
        Map<String, String> labels,
        String domainName,
        TemplateObject.Content.Workload content) {

    /** Copies finalizers and labels in. */
    public TemplateDraft {
        finalizers = List.copyOf(finalizers);
        labels = Map.copyOf(labels);
    }
}
