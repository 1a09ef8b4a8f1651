package io.imexagent.kubernetes.control;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ObjectRef;
import java.util.List;

/**
 * A ComputeDomain.
 *
 * @param finalizers what holds it
 * @param templateName the name that its ResourceClaimTemplate must have
 * @param allocationMode the mode that was asked for; host-managed IMEX knows {@code Single} only
 * @param ready whether {@code status.status} is {@code Ready}
 */
public record DomainObject(
        ObjectRef ref,
        boolean deleting,
        List<String> finalizers,
        String templateName,
        String allocationMode,
        boolean ready) {

    /** Copies the finalizers in. */
    public DomainObject {
        finalizers = List.copyOf(finalizers);
    }

    /** Its UID. */
    public ComputeDomainUid uid() {
        return new ComputeDomainUid(ref.uid());
    }
}
