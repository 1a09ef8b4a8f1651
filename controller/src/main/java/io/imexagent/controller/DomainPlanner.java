package io.imexagent.controller;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.policy.PlacementMode;
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
 * Plans the next step towards what a ComputeDomain must be: finalizer, template, status, in this order; being deleted:
 * template, finalizer. Claims live on without their template. Each step is planned from what is observed alone, so a
 * controller that dies, or is overtaken by another, goes on where the cluster stands.
 */
public record DomainPlanner(ControllerPolicy policy) {

    private static final String FINALIZER = DriverNames.COMPUTE_DOMAIN;
    private static final int MOST_CLIQUES = 3;

    /** The next step, empty where nothing is to be done or has to wait; and the problems that the owner should know. */
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

    /** Whether a template of another isolation stays: nodes hold the ComputeDomain, or it is not known whether they do. */
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

    /** Not ready: the status says so first, then the problem stands until something changes. */
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

    /** Whether a template of the right name is the ComputeDomain's: by label, or without one by configuration. */
    private static boolean owns(DomainObject domain, TemplateObject template) {
        Optional<String> label = Optional.ofNullable(template.labels().get(DriverNames.COMPUTE_DOMAIN));
        String target = template.labels().getOrDefault(DriverNames.TARGET, DriverNames.WORKLOAD);
        return label.or(() -> template.content().domainId())
                        .filter(domain.ref().uid()::equals)
                        .isPresent()
                && target.equals(DriverNames.WORKLOAD);
    }

    /** Whose a foreign template is, as a clause. */
    private static String owner(TemplateObject template) {
        return Optional.ofNullable(template.labels().get(DriverNames.COMPUTE_DOMAIN))
                .map(uid -> "belongs to the ComputeDomain with UID " + uid)
                .orElse("is not this controller's");
    }

    /** Deletes a template of the controller's own, and lets it go. */
    public static Plan remove(TemplateObject template) {
        return template.deleting()
                ? letGo(template).orElseGet(() -> Plan.settled(List.of(held(template))))
                : Plan.next(new DomainStep.DeleteTemplate(template));
    }

    /** Takes the controller's finalizer off a template that is being deleted; empty where it has none. */
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
     * What was observed about one ComputeDomain: the template that has the name it asks for, empty also where only its
     * label is missing, unless the server was asked by name; the templates of its namespace whose label names it;
     * channels that are used against the tables; and how nodes use it.
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

        /** The same, after the server was asked for the template of the wanted name. */
        public DomainView answered(Optional<TemplateObject> template) {
            return new DomainView(domain, named.or(() -> template), true, labelled, conflicts, use);
        }

        /** The same, in which channel 0 counts as shared in those cliques alone. */
        DomainView sharing(Predicate<CliqueId> counts) {
            return new DomainView(domain, named, requested, labelled, conflicts, use.sharing(counts));
        }
    }

    /** One change of the cluster, of one object. What was observed goes along, so that the server can refuse what is past. */
    public sealed interface DomainStep {

        record SetFinalizers(DomainObject domain, List<String> finalizers) implements DomainStep {}

        /** Says whether it is ready, with the problems that it has then. */
        record SetStatus(DomainObject domain, boolean ready, List<Problem> problems) implements DomainStep {

            public SetStatus {
                problems = List.copyOf(problems);
            }
        }

        /** Makes a template; where the name is taken, what has it is looked at. */
        record CreateTemplate(TemplateDraft draft) implements DomainStep {}

        /** Looks whether there is a template of this name that the watch does not tell of: somebody took its label away. */
        record ReadTemplate(String namespace, String name) implements DomainStep {}

        record PatchTemplate(TemplateObject template, Map<String, String> labels, List<String> finalizers)
                implements DomainStep {}

        record DeleteTemplate(TemplateObject template) implements DomainStep {}
    }

    /** What keeps a ComputeDomain from being ready, or its owner should know, with the remedy. Reported as an Event. */
    public record Problem(Reason reason, String message) {

        /** Kinds of problems; the name in CamelCase is the reason of the Event. */
        public enum Reason {
            TEMPLATE_NAME_TAKEN("TemplateNameTaken", true),
            TEMPLATE_NAME_INVALID("TemplateNameInvalid", true),
            TEMPLATE_HELD("TemplateHeld", true),
            CHANNEL_CONFLICT("ChannelConflict", true),
            /** No node uses a channel of the ComputeDomain against a table any more. */
            CHANNEL_CONFLICT_OVER("ChannelConflictOver", false),
            /** Another ComputeDomain uses channel 0 of the clique, too. */
            CHANNEL_SHARED("ChannelShared", true),
            /** The template is of another isolation, and in use. */
            TEMPLATE_KEPT("TemplateKept", true),
            /** Nodes work in another mode than the controller. */
            NODES_DIFFER("NodesDiffer", true),
            RECONCILE_FAILED("ReconcileFailed", true),
            /** The annotation about its placement names no mode. */
            PLACEMENT_UNKNOWN("PlacementUnknown", true),
            /** A mode was asked for that host-managed IMEX does not know. */
            ALLOCATION_MODE_IGNORED("AllocationModeIgnored", false);

            private final String text;
            private final boolean warning;

            Reason(String text, boolean warning) {
                this.text = text;
                this.warning = warning;
            }

            public String text() {
                return text;
            }

            /** Whether its owner has to act. */
            public boolean warning() {
                return warning;
            }
        }
    }

    /**
     * What the operator decided: channels, with channel 0; how long a Node must be missing, and its agent silent, until
     * nothing of it is believed to run; whether pods of a ComputeDomain are kept in one clique; and the label of Nodes that
     * names racks, empty where none does.
     */
    public record ControllerPolicy(
            Isolation isolation,
            int channels,
            Duration lostNodeAfter,
            PlacementMode placement,
            Optional<String> rackLabel) {

        /** One that leaves it to annotations which pods are kept in one clique. */
        public ControllerPolicy(Isolation isolation, int channels, Duration lostNodeAfter) {
            this(isolation, channels, lostNodeAfter, PlacementMode.OFF, Optional.empty());
        }

        /** How nodes must work so that the templates fit them. */
        public NodeMode mode() {
            return new NodeMode.ChannelMode(isolation);
        }

        /** Whether each ComputeDomain has channels of its own. */
        public boolean isolating() {
            return isolation == Isolation.IMEX_CHANNEL;
        }
    }
}
