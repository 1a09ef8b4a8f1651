package io.imexagent.controller.plan;

import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.TemplateDraft;
import io.imexagent.kubernetes.control.TemplateObject;
import java.util.List;
import java.util.Map;

/** One change of the cluster, of one object. What was observed goes along, so that the server can refuse what is past. */
public sealed interface Step {

    /** Sets a ComputeDomain's finalizers. */
    record SetFinalizers(DomainObject domain, List<String> finalizers) implements Step {}

    /** Sets a ComputeDomain's status. */
    record SetStatus(DomainObject domain, boolean ready) implements Step {}

    /** Makes a template; where the name is taken, what has it is looked at. */
    record CreateTemplate(TemplateDraft draft) implements Step {}

    /** Looks whether there is a template of this name that the watch does not tell of: somebody took its label away. */
    record ReadTemplate(String namespace, String name) implements Step {}

    /**
     * Sets a template's labels and finalizers.
     *
     * @param labels labels that it must have
     */
    record MendTemplate(TemplateObject template, Map<String, String> labels, List<String> finalizers) implements Step {}

    /** Deletes a template. */
    record DeleteTemplate(TemplateObject template) implements Step {}
}
