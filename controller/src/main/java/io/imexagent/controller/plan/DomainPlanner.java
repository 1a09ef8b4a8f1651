package io.imexagent.controller.plan;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.Quoted;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.TemplateDraft;
import io.imexagent.kubernetes.control.TemplateObject;
import io.imexagent.kubernetes.control.TemplateObject.Content;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Plans the next step towards what a ComputeDomain must be: finalizer, channel, template, status, in this order; being
 * deleted: template, claims, channel, quarantine, finalizer.
 *
 * <p>Each step is planned from what is observed alone, so a controller that dies between two of them, or is overtaken by
 * another, goes on where the cluster stands.
 */
public final class DomainPlanner {

    private static final String FINALIZER = Names.COMPUTE_DOMAIN;

    private final ControllerPolicy policy;
    private final ChannelPlanner channels;
    private final DeletionPlanner deletion;

    /** A planner under this policy. */
    public DomainPlanner(ControllerPolicy policy) {
        this.policy = policy;
        this.channels = new ChannelPlanner(policy);
        this.deletion = new DeletionPlanner(policy);
    }

    /** The next step. */
    public Plan plan(DomainView view, Instant now) {
        DomainObject domain = view.domain();
        if (domain.deleting()) {
            return deletion.plan(view, now);
        }
        if (!domain.finalizers().contains(FINALIZER)) {
            return Plan.next(new Step.SetFinalizers(domain, with(domain.finalizers())));
        }
        Optional<Problem> blocked = nameProblem(view);
        if (blocked.isPresent()) {
            return withoutTemplate(view, blocked.get());
        }
        if (!policy.isolating()) {
            return template(view, Optional.empty(), notices(domain));
        }
        return switch (channels.decide(view, now)) {
            case ChannelPlanner.Decision.Take take -> Plan.next(take.step());
            case ChannelPlanner.Decision.Blocked why -> blocked(domain, why.problem(), domain.channel());
            case ChannelPlanner.Decision.Held held -> {
                var problems = new ArrayList<>(notices(domain));
                held.problem().ifPresent(problems::add);
                yield template(view, Optional.of(held.channel()), problems);
            }
        };
    }

    private static Optional<Problem> nameProblem(DomainView view) {
        String name = view.domain().templateName();
        if (ClaimName.parse("default", name).isEmpty()) {
            return Optional.of(new Problem(
                    Problem.Reason.TEMPLATE_NAME_INVALID,
                    "spec.channel.resourceClaimTemplate.name " + Quoted.of(name)
                            + " is no name for a ResourceClaimTemplate; make the ComputeDomain anew with a DNS name"));
        }
        return view.named()
                .filter(template -> !Ownership.owns(view.domain(), template))
                .map(template -> new Problem(
                        Problem.Reason.TEMPLATE_NAME_TAKEN,
                        "the ResourceClaimTemplate " + name + " exists already and "
                                + Ownership.of(template)
                                + "; delete it, or make the ComputeDomain anew with another"
                                + " spec.channel.resourceClaimTemplate.name"));
    }

    /** Who has no template needs no channel, unless claims of before use it. */
    private static Plan withoutTemplate(DomainView view, Problem problem) {
        DomainObject domain = view.domain();
        Optional<ChannelId> channel = domain.channel().filter(view::used);
        return domain.ready() || !domain.channel().equals(channel)
                ? Plan.next(new Step.SetStatus(domain, false, channel))
                : surplus(view, channel).orElseGet(() -> Plan.settled(List.of(problem)));
    }

    private static List<Problem> notices(DomainObject domain) {
        return domain.allocationMode().isEmpty() || domain.allocationMode().equals("Single")
                ? List.of()
                : List.of(new Problem(
                        Problem.Reason.ALLOCATION_MODE_IGNORED,
                        "spec.channel.allocationMode " + domain.allocationMode()
                                + " is not available with host-managed IMEX: each pod gets the one channel of this"
                                + " ComputeDomain (Single)"));
    }

    private Plan template(DomainView view, Optional<ChannelId> channel, List<Problem> problems) {
        DomainObject domain = view.domain();
        var desired = new Content.Workload(
                domain.ref().uid(),
                channel.isPresent() ? Names.CHANNEL_CLASS : Names.DEFAULT_CLASS,
                channel.map(Names::selector));
        if (view.named().isEmpty()) {
            return Plan.next(new Step.CreateTemplate(new TemplateDraft(
                    domain.ref().namespace(),
                    domain.templateName(),
                    List.of(FINALIZER),
                    Ownership.labels(domain),
                    desired)));
        }
        TemplateObject template = view.named().get();
        if (template.deleting()) {
            return Ownership.letGo(template)
                    .orElseGet(() -> blocked(domain, Ownership.held(template), stated(domain, channel)));
        }
        if (!template.content().equals(desired)) {
            return view.claims().isEmpty()
                    ? Plan.next(new Step.DeleteTemplate(template, Optional.of(domain.uid())))
                    : blocked(domain, outdated(view, template, channel), stated(domain, channel));
        }
        Map<String, String> labels = Ownership.labels(domain);
        if (!template.labels().entrySet().containsAll(labels.entrySet())
                || !template.finalizers().contains(FINALIZER)) {
            return Plan.next(new Step.MendTemplate(template, labels, with(template.finalizers())));
        }
        return status(view, channel, problems);
    }

    private static Plan status(DomainView view, Optional<ChannelId> channel, List<Problem> problems) {
        DomainObject domain = view.domain();
        boolean ready = problems.stream().noneMatch(problem -> problem.reason().blocking());
        if (domain.ready() != ready || !domain.channel().equals(channel)) {
            return Plan.next(new Step.SetStatus(domain, ready, channel));
        }
        Optional<Plan> surplus = surplus(view, channel);
        if (surplus.isPresent()) {
            return surplus.get();
        }
        Optional<Plan> strays = view.labelled().stream()
                .filter(template ->
                        template.deleting() && !template.ref().name().equals(domain.templateName()))
                .flatMap(template -> Ownership.letGo(template).stream())
                .findFirst();
        return strays.orElseGet(() -> Plan.settled(problems));
    }

    /** Releases a channel that the ComputeDomain holds beside the one that counts. */
    private static Optional<Plan> surplus(DomainView view, Optional<ChannelId> channel) {
        return view.held().stream()
                .filter(entry -> !Optional.of(entry.channel()).equals(channel))
                .filter(entry -> !view.used(entry.channel()))
                .findFirst()
                .map(entry -> Plan.next(new Step.ReleaseChannel(
                        entry, Optional.of(view.domain().ref().namespace()), Optional.of(view.domain()))));
    }

    private static Problem outdated(DomainView view, TemplateObject template, Optional<ChannelId> channel) {
        Optional<Problem> conflict = conflict(view, template, channel);
        if (conflict.isPresent()) {
            return conflict.get();
        }
        String wanted = channel.map(id -> "channel " + id + ", the one of this ComputeDomain")
                .orElse("channel 0, since imex.isolation is None");
        return new Problem(
                Problem.Reason.TEMPLATE_OUTDATED,
                "the ResourceClaimTemplate " + template.ref().name() + " does not ask for " + wanted
                        + "; it is replaced as soon as no claim made from it lives: end the pods of "
                        + Ownership.some(view.claims()));
    }

    /** Claims made from the template have a channel that the ledger gives to another: a backup brought an older state. */
    private static Optional<Problem> conflict(DomainView view, TemplateObject template, Optional<ChannelId> channel) {
        Optional<ChannelId> asked = Names.selected(template);
        Optional<String> holder = asked.flatMap(id -> view.channels().get().entry(id))
                .flatMap(LedgerEntry::holder)
                .filter(uid -> !uid.equals(view.domain().ref().uid()));
        return holder.map(uid -> new Problem(
                Problem.Reason.CHANNEL_CONFLICT,
                "channel " + asked.orElseThrow() + ", which the ResourceClaimTemplate "
                        + template.ref().name() + " asks for, belongs to the ComputeDomain with UID " + uid
                        + ", so pods of both can reach each other's memory; end the pods of "
                        + Ownership.some(view.claims()) + " at once"
                        + channel.map(id -> ": the template is then replaced, and asks for channel " + id)
                                .orElse("")));
    }

    /** Not ready: the status says so first, then the problem stands until something changes. */
    private static Plan blocked(DomainObject domain, Problem problem, Optional<ChannelId> channel) {
        return domain.ready() || !domain.channel().equals(channel)
                ? Plan.next(new Step.SetStatus(domain, false, channel))
                : Plan.settled(List.of(problem));
    }

    /** While a template of before stands, so does the channel in the status: claims made from it are refused by it. */
    private static Optional<ChannelId> stated(DomainObject domain, Optional<ChannelId> channel) {
        return channel.isPresent() ? channel : domain.channel();
    }

    private static List<String> with(List<String> finalizers) {
        if (finalizers.contains(FINALIZER)) {
            return finalizers;
        }
        var all = new ArrayList<>(finalizers);
        all.add(FINALIZER);
        return all;
    }
}
