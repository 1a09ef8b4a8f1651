package io.imexagent.controller.plan;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.TemplateDraft;
import io.imexagent.kubernetes.control.TemplateObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One change of the cluster, of one object. What was observed goes along, so that the server can refuse what is past. */
public sealed interface Step {

    /**
     * Sets a ComputeDomain's finalizers.
     *
     * @param domain the ComputeDomain
     * @param finalizers all of them
     */
    record SetFinalizers(DomainObject domain, List<String> finalizers) implements Step {}

    /**
     * Sets a ComputeDomain's status.
     *
     * @param domain the ComputeDomain
     * @param ready whether it is ready
     * @param channel its channel; empty where it has none of its own
     */
    record SetStatus(DomainObject domain, boolean ready, Optional<ChannelId> channel) implements Step {}

    /**
     * Makes a template.
     *
     * @param draft the template
     */
    record CreateTemplate(TemplateDraft draft) implements Step {}

    /**
     * Sets a template's labels and finalizers.
     *
     * @param template the template
     * @param labels labels that it must have
     * @param finalizers all finalizers
     */
    record MendTemplate(TemplateObject template, Map<String, String> labels, List<String> finalizers) implements Step {}

    /**
     * Deletes a template.
     *
     * @param template the template
     * @param unlessClaimsOf the ComputeDomain of which a claim in the template's namespace forbids it; the server is
     *     asked once more before. Empty where claims do not matter
     */
    record DeleteTemplate(TemplateObject template, Optional<ComputeDomainUid> unlessClaimsOf) implements Step {}

    /**
     * Writes into the ledger that the ComputeDomain holds the channel.
     *
     * @param domain the ComputeDomain
     * @param channel the channel
     * @param over the entry that is written over; empty where there is none
     */
    record TakeChannel(DomainObject domain, ChannelId channel, Optional<LedgerEntry> over) implements Step {}

    /**
     * Writes into the ledger that the channel is released; its quarantine begins.
     *
     * @param entry the ledger's entry
     * @param namespace where claims made from the template would be; the server is asked once more before
     * @param fence the ComputeDomain where it lives on without the channel: it is written to before, so that a status with
     *     the channel, planned by another controller over what is past, is refused. Empty where it is being deleted, which
     *     was such a write, or gone
     */
    record ReleaseChannel(LedgerEntry entry, Optional<String> namespace, Optional<DomainObject> fence)
            implements Step {}

    /**
     * Asks the server whether a ComputeDomain is really gone, of which templates or ledger entries are left.
     *
     * @param uid the ComputeDomain
     * @param namespace where to look; empty for everywhere
     */
    record ConfirmGone(ComputeDomainUid uid, Optional<String> namespace) implements Step {}
}
