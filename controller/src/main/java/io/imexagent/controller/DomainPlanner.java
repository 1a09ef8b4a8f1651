package io.imexagent.controller;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.policy.PlacementMode;
import io.imexagent.core.setting.NamedChoice;
import io.imexagent.core.text.NameList;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.TemplateDraft;
import io.imexagent.kubernetes.ControlPlane.TemplateObject;
import io.imexagent.kubernetes.ControlPlane.TemplateObject.TemplateContent;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.clique.NodeMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Plans the next step of a ComputeDomain: finalizer, template, status, in this order; for one that is being deleted:
 * template, finalizer. Claims do not need their template any more. Each step is planned from the observed state alone,
 * so that after a crash, or a change of leader, the work continues from the state of the cluster.
 */
public record DomainPlanner(ControllerPolicy policy) {

    private static final String FINALIZER = DriverNames.COMPUTE_DOMAIN;
    private static final int MOST_CLIQUES = 3;

    /** The next step, empty if there is none or it has to wait; and the problems to report to the owner. */
    public record Plan(Optional<DomainStep> step, List<Problem> problems) {

        public Plan {
            problems = List.copyOf(problems);
        }

        private static Plan next(DomainStep step) {
            return new Plan(Optional.of(step), List.of());
        }

        private static Plan settled(List<Problem> problems) {
            return new Plan(Optional.empty(), problems);
        }
    }

    public Plan plan(DomainView view) {
        DomainObject domain = view.domain();
        if (domain.deleting()) {
            return deletion(view);
        }
        if (!domain.finalizers().contains(FINALIZER)) {
            return Plan.next(new DomainStep.SetFinalizers(domain, with(domain.finalizers())));
        }
        if (!nameable(domain)) {
            var invalid = new Problem(
                    Problem.Reason.TEMPLATE_NAME_INVALID,
                    "spec.channel.resourceClaimTemplate.name " + Quoted.of(domain.templateName())
                            + " is no name for a ResourceClaimTemplate;"
                            + " create the ComputeDomain again with a DNS name");
            return blocked(domain, invalid);
        }
        var desired = new TemplateContent.WorkloadTemplate(
                domain.ref().uid(), policy.isolating() ? DriverNames.CHANNEL_CLASS : DriverNames.DEFAULT_CLASS);
        return view.named()
                .map(template -> template(view, template, desired))
                .orElseGet(() -> Plan.next(new DomainStep.CreateTemplate(new TemplateDraft(
                        domain.ref().namespace(),
                        domain.templateName(),
                        List.of(FINALIZER),
                        labels(domain),
                        domain.ref().name(),
                        desired))));
    }

    static boolean nameable(DomainObject domain) {
        return ClaimName.parse("default", domain.templateName()).isPresent();
    }

    private Plan template(DomainView view, TemplateObject template, TemplateContent desired) {
        DomainObject domain = view.domain();
        if (template.deleting()) {
            return letGo(template).orElseGet(() -> blocked(domain, held(template)));
        }
        if (!owns(domain, template)) {
            var taken = new Problem(
                    Problem.Reason.TEMPLATE_NAME_TAKEN,
                    "the ResourceClaimTemplate " + domain.templateName() + " exists already and " + owner(template)
                            + "; delete it, or create the ComputeDomain again with another"
                            + " spec.channel.resourceClaimTemplate.name");
            return blocked(domain, taken);
        }
        if (!template.content().equals(desired) && !stays(view, template, desired)) {
            return Plan.next(new DomainStep.DeleteTemplate(template));
        }
        Map<String, String> labels = labels(domain);
        if (!template.labels().entrySet().containsAll(labels.entrySet())
                || !template.finalizers().contains(FINALIZER)) {
            return Plan.next(new DomainStep.PatchTemplate(template, labels, with(template.finalizers())));
        }
        if (!domain.ready()) {
            return Plan.next(new DomainStep.SetStatus(domain, true, notices(view, template, desired)));
        }
        return view.labelled().stream()
                .filter(stray -> stray.deleting() && !stray.ref().name().equals(domain.templateName()))
                .flatMap(stray -> letGo(stray).stream())
                .findFirst()
                .orElseGet(() -> Plan.settled(notices(view, template, desired)));
    }

    private static Plan deletion(DomainView view) {
        DomainObject domain = view.domain();
        if (!domain.finalizers().contains(FINALIZER)) {
            return Plan.settled(List.of());
        }
        Optional<TemplateObject> template =
                view.labelled().stream().findFirst().or(() -> view.named().filter(named -> owns(domain, named)));
        if (template.isPresent()) {
            return remove(template.get());
        }
        if (view.named().isEmpty() && !view.requested() && nameable(domain)) {
            return Plan.next(new DomainStep.ReadTemplate(domain.ref().namespace(), domain.templateName()));
        }
        return Plan.next(new DomainStep.SetFinalizers(domain, without(domain.finalizers())));
    }

    private List<Problem> notices(DomainView view, TemplateObject template, TemplateContent desired) {
        DomainUse use = view.use();
        return Stream.of(
                        ignoredMode(view.domain()).stream(),
                        unknownPlacement(view.domain()).stream(),
                        view.conflicts().stream().map(ChannelConflict::problem),
                        use.shared().isEmpty() ? Stream.<Problem>empty() : Stream.of(shared(use.shared())),
                        template.content().equals(desired) || !use.held()
                                ? Stream.<Problem>empty()
                                : Stream.of(templateKept(template)),
                        use.differs() ? Stream.of(nodesDiffer()) : Stream.<Problem>empty())
                .flatMap(problems -> problems)
                .toList();
    }

    /** Whether a template of another isolation is kept, because nodes hold the ComputeDomain or may hold it. */
    private static boolean stays(DomainView view, TemplateObject template, TemplateContent desired) {
        boolean ofAnotherIsolation = template.content() instanceof TemplateContent.WorkloadTemplate
                && template.content().domainId().equals(desired.domainId());
        return ofAnotherIsolation && (view.use().held() || !view.use().known());
    }

    private Problem templateKept(TemplateObject template) {
        return new Problem(
                Problem.Reason.TEMPLATE_KEPT,
                "the ResourceClaimTemplate " + template.ref().name()
                        + " is of another isolation than this controller's, "
                        + policy.isolation().text()
                        + ", and nodes run pods of this ComputeDomain: it stays until none does; set imex.isolation"
                        + " the same on controllers and nodes");
    }

    private Problem nodesDiffer() {
        return new Problem(
                Problem.Reason.NODES_DIFFER,
                "nodes where its pods are to run observe (HostManagedIMEX is off), or serve with another isolation than"
                        + " this controller's, " + policy.isolation().text()
                        + ": pods stay Pending there; imex-agent cliques names the nodes");
    }

    private static Problem shared(List<CliqueId> cliques) {
        return new Problem(
                Problem.Reason.CHANNEL_SHARED,
                "its pods use channel 0 at the same time as those of another ComputeDomain in clique "
                        + NameList.some(cliques.stream().map(CliqueId::text).toList(), MOST_CLIQUES)
                        + ": each can map the memory that the other exports; imex-agent domains names both. Let one of"
                        + " them end, or use isolation IMEXChannel");
    }

    /** The notice for a ComputeDomain with another mode than {@code Single}; empty for others. */
    static Optional<Problem> ignoredMode(DomainObject domain) {
        String mode = domain.allocationMode();
        return mode.isEmpty() || mode.equals("Single")
                ? Optional.empty()
                : Optional.of(new Problem(
                        Problem.Reason.ALLOCATION_MODE_IGNORED,
                        "spec.channel.allocationMode " + Quoted.of(mode)
                                + " is ignored: with host-managed IMEX the template says Single, and each pod gets one"
                                + " channel"));
    }

    /** The notice for a ComputeDomain whose annotation names no mode; empty for others. */
    private Optional<Problem> unknownPlacement(DomainObject domain) {
        String mode = domain.placement();
        return mode.isEmpty() || PlacementMode.of(mode).isPresent()
                ? Optional.empty()
                : Optional.of(new Problem(
                        Problem.Reason.PLACEMENT_UNKNOWN,
                        "the annotation " + DriverNames.PLACEMENT_ANNOTATION + " " + Quoted.of(mode)
                                + " is ignored, and placement.clique, "
                                + policy.placement().text() + ", counts; set it to Off, Preferred or Required"));
    }

    /** Plans for a ComputeDomain that cannot be ready: the status first, then no step until something changes. */
    private static Plan blocked(DomainObject domain, Problem problem) {
        List<Problem> problems = List.of(problem);
        return domain.ready() ? Plan.next(new DomainStep.SetStatus(domain, false, problems)) : Plan.settled(problems);
    }

    private static List<String> with(List<String> finalizers) {
        return finalizers.contains(FINALIZER)
                ? finalizers
                : Stream.concat(finalizers.stream(), Stream.of(FINALIZER)).toList();
    }

    private static List<String> without(List<String> finalizers) {
        return finalizers.stream()
                .filter(finalizer -> !finalizer.equals(FINALIZER))
                .toList();
    }

    private static Map<String, String> labels(DomainObject domain) {
        return Map.of(DriverNames.COMPUTE_DOMAIN, domain.ref().uid(), DriverNames.TARGET, DriverNames.WORKLOAD);
    }

    /**
     * Whether a template of the right name belongs to the ComputeDomain: by its label, or by the claim's configuration
     * if it has no label.
     */
    private static boolean owns(DomainObject domain, TemplateObject template) {
        Optional<String> label = Optional.ofNullable(template.labels().get(DriverNames.COMPUTE_DOMAIN));
        String target = template.labels().getOrDefault(DriverNames.TARGET, DriverNames.WORKLOAD);
        return label.or(() -> template.content().domainId())
                        .filter(domain.ref().uid()::equals)
                        .isPresent()
                && target.equals(DriverNames.WORKLOAD);
    }

    /** The owner of a foreign template, as a clause. */
    private static String owner(TemplateObject template) {
        return Optional.ofNullable(template.labels().get(DriverNames.COMPUTE_DOMAIN))
                .map(uid -> "belongs to the ComputeDomain with UID " + uid)
                .orElse("is not this controller's");
    }

    /** Plans the deletion of a template of the controller's own, then of its finalizer. */
    public static Plan remove(TemplateObject template) {
        return template.deleting()
                ? letGo(template).orElseGet(() -> Plan.settled(List.of(held(template))))
                : Plan.next(new DomainStep.DeleteTemplate(template));
    }

    /** Plans to remove the controller's finalizer from a template that is being deleted; empty if it has none. */
    private static Optional<Plan> letGo(TemplateObject template) {
        List<String> others = without(template.finalizers());
        return others.size() == template.finalizers().size()
                ? Optional.empty()
                : Optional.of(Plan.next(new DomainStep.PatchTemplate(template, Map.of(), others)));
    }

    private static Problem held(TemplateObject template) {
        return new Problem(
                Problem.Reason.TEMPLATE_HELD,
                "the ResourceClaimTemplate " + template.ref().name() + " is being deleted and held by the finalizers "
                        + String.join(", ", without(template.finalizers())) + "; whoever set them must remove them");
    }

    /**
     * The observed state of one ComputeDomain: the template of the name in its spec; the templates of its namespace
     * whose label names it; channels that are used in contradiction to the tables; and its use by nodes. A template
     * that lacks the watched label is missing here until it has been read by name.
     */
    public record DomainView(
            DomainObject domain,
            Optional<TemplateObject> named,
            boolean requested,
            List<TemplateObject> labelled,
            List<ChannelConflict> conflicts,
            DomainUse use) {

        public DomainView {
            labelled = List.copyOf(labelled);
            conflicts = List.copyOf(conflicts);
        }

        /** Returns this view with the template that the server returned for the name in the spec. */
        public DomainView answered(Optional<TemplateObject> template) {
            return new DomainView(domain, named.or(() -> template), true, labelled, conflicts, use);
        }

        /** Returns this view, with channel 0 shared in those cliques alone. */
        DomainView sharing(Predicate<CliqueId> counts) {
            return new DomainView(domain, named, requested, labelled, conflicts, use.sharing(counts));
        }
    }

    /**
     * One change of one object of the cluster. It carries the observed object, so that the server can refuse a change
     * of an outdated one.
     */
    public sealed interface DomainStep {

        record SetFinalizers(DomainObject domain, List<String> finalizers) implements DomainStep {}

        /** Writes to the status whether the ComputeDomain is ready, and its problems. */
        record SetStatus(DomainObject domain, boolean ready, List<Problem> problems) implements DomainStep {

            public SetStatus {
                problems = List.copyOf(problems);
            }
        }

        /** Creates a template; if the name is taken, the present template is read. */
        record CreateTemplate(TemplateDraft draft) implements DomainStep {}

        /** Reads the template of this name, which the watch misses if its label was removed. */
        record ReadTemplate(String namespace, String name) implements DomainStep {}

        record PatchTemplate(TemplateObject template, Map<String, String> labels, List<String> finalizers)
                implements DomainStep {}

        record DeleteTemplate(TemplateObject template) implements DomainStep {}
    }

    /**
     * A reason why a ComputeDomain is not ready, or a notice for its owner, with the remedy. It is reported as an
     * Event.
     */
    public record Problem(Reason reason, String message) {

        /** The kinds of problems. The name in CamelCase is the reason of the Event. */
        public enum Reason implements NamedChoice {
            TEMPLATE_NAME_TAKEN(true),
            TEMPLATE_NAME_INVALID(true),
            TEMPLATE_HELD(true),
            CHANNEL_CONFLICT(true),
            /** No node uses a channel of the ComputeDomain in contradiction to a table any more. */
            CHANNEL_CONFLICT_OVER(false),
            /** Another ComputeDomain also uses channel 0 of the clique. */
            CHANNEL_SHARED(true),
            /** The template has another isolation, and is in use. */
            TEMPLATE_KEPT(true),
            /** Nodes work in another mode than the controller. */
            NODES_DIFFER(true),
            RECONCILE_FAILED(true),
            /** The placement annotation of the ComputeDomain names no mode. */
            PLACEMENT_UNKNOWN(true),
            /** The spec has an allocation mode that host-managed IMEX does not support. */
            ALLOCATION_MODE_IGNORED(false);

            private final boolean warning;

            Reason(boolean warning) {
                this.warning = warning;
            }

            /** Whether the ComputeDomain's owner has to act. */
            public boolean warning() {
                return warning;
            }
        }
    }

    /**
     * The operator's configuration: isolation; number of channels, including channel 0; how long a Node must be
     * missing, and its agent silent, until its holds are released; whether pods of a ComputeDomain are kept in one
     * clique; and the label of Nodes that names racks, empty if none does.
     */
    public record ControllerPolicy(
            Isolation isolation,
            int channels,
            Duration lostNodeAfter,
            PlacementMode placement,
            Optional<String> rackLabel) {

        /** The mode in which nodes must work so that the templates fit them. */
        public NodeMode mode() {
            return new NodeMode.ChannelMode(isolation);
        }

        /** Whether each ComputeDomain has its own channels. */
        public boolean isolating() {
            return isolation == Isolation.IMEX_CHANNEL;
        }
    }
}
