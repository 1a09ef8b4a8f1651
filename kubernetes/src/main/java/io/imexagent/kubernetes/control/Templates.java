package io.imexagent.kubernetes.control;

import io.imexagent.kubernetes.ApiException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes, mends and deletes ResourceClaimTemplates. Calls block: make them on a virtual thread. */
public interface Templates {

    /**
     * Makes a template.
     *
     * @throws ApiException with kind {@code CONFLICT} where the name is taken
     */
    TemplateObject create(TemplateDraft draft) throws ApiException;

    /**
     * Sets labels beside those that it has, and its finalizers.
     *
     * @return empty where it is gone by that: it was being deleted, and nothing holds it any more
     * @throws ApiException with kind {@code CONFLICT} where it changed since it was observed, {@code NOT_FOUND} where it
     *     is gone
     */
    Optional<TemplateObject> mend(TemplateObject observed, Map<String, String> labels, List<String> finalizers)
            throws ApiException;

    /**
     * Deletes a template that is as it was observed.
     *
     * @return the template where finalizers hold it; empty where it is gone
     * @throws ApiException with kind {@code CONFLICT} where it changed since it was observed
     */
    Optional<TemplateObject> delete(TemplateObject observed) throws ApiException;
}
