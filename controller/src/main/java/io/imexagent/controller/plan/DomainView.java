package io.imexagent.controller.plan;

import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.TemplateObject;
import java.util.List;
import java.util.Optional;

/**
 * What was observed about one ComputeDomain.
 *
 * @param named the template that has the name it asks for; empty also where only its label is missing
 * @param asked whether the server was asked for that template by its name
 * @param labelled the templates of its namespace whose label names it, those of any name
 * @param conflicts channels that nodes use for it although they are another's, or for another although they are its own
 */
public record DomainView(
        DomainObject domain,
        Optional<TemplateObject> named,
        boolean asked,
        List<TemplateObject> labelled,
        List<Conflict> conflicts) {

    /** Copies the lists in. */
    public DomainView {
        labelled = List.copyOf(labelled);
        conflicts = List.copyOf(conflicts);
    }

    /** The same, after the server was asked for the template of the wanted name. */
    public DomainView answered(Optional<TemplateObject> template) {
        return new DomainView(domain, named.or(() -> template), true, labelled, conflicts);
    }
}
