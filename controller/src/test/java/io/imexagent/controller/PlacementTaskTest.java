package io.imexagent.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.ControllerRig.Time;
import io.imexagent.controller.DomainPlanner.ControllerPolicy;
import io.imexagent.controller.Reconciler.TaskResult.TaskSettled;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.policy.PlacementMode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.DomainStatus;
import io.imexagent.kubernetes.Events.Event;
import io.imexagent.kubernetes.ObjectRef;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.CliquePlacement;
import io.imexagent.kubernetes.clique.CliquePlacement.PlacedTemplate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlacementTaskTest {

    private final FakeCluster cluster = new FakeCluster();

    private ControllerRig controller(PlacementMode mode) {
        return new ControllerRig(
                cluster,
                new ControllerPolicy(Isolation.NONE, 128, ControllerRig.LOST_AFTER, mode, Optional.empty()),
                new Time());
    }

    private DomainObject domain(String name, String template, String annotation) {
        return cluster.put(new DomainObject(
                cluster.ref("team", name),
                1,
                false,
                List.of(),
                template,
                "Single",
                new DomainStatus(false, List.of()),
                annotation));
    }

    private Optional<Map<String, PlacedTemplate>> placed() {
        return Optional.ofNullable(cluster.placements.get("team"))
                .map(Stored::content)
                .map(CliquePlacement::templates);
    }

    private Stored<CliquePlacement> present() {
        return Objects.requireNonNull(cluster.placements.get("team"));
    }

    private static PlacedTemplate of(DomainObject domain, PlacementMode mode) {
        return new PlacedTemplate(new ComputeDomainUid(domain.ref().uid()), mode);
    }

    @Test
    void writesOneObjectForTheComputeDomainsOfANamespaceAndDeletesItWithTheLast() {
        ControllerRig controller = controller(PlacementMode.PREFERRED);
        DomainObject train = domain("train", "train-channel", "");
        DomainObject infer = domain("infer", "infer-channel", "Required");
        domain("spread", "spread-channel", "Off");

        controller.settle();

        assertThat(placed())
                .contains(Map.of(
                        "train-channel", of(train, PlacementMode.PREFERRED),
                        "infer-channel", of(infer, PlacementMode.REQUIRED)));

        cluster.deleteDomain(train.ref().uid());
        controller.settle();
        assertThat(placed()).contains(Map.of("infer-channel", of(infer, PlacementMode.REQUIRED)));

        cluster.deleteDomain(infer.ref().uid());
        controller.settle();
        assertThat(placed()).isEmpty();
    }

    @Test
    void writesNothingUntilAnAnnotationAsksForIt() {
        ControllerRig controller = controller(PlacementMode.OFF);
        DomainObject train = domain("train", "train-channel", "");
        controller.settle();
        assertThat(placed()).isEmpty();
        assertThat(controller.client().calls()).noneMatch(call -> call.contains("CliquePlacement"));

        DomainObject now =
                Objects.requireNonNull(cluster.domains.get(train.ref().uid()));
        cluster.put(new DomainObject(
                now.ref(), 1, false, now.finalizers(), "train-channel", "Single", now.status(), "Required"));
        controller.settle();
        assertThat(placed()).contains(Map.of("train-channel", of(train, PlacementMode.REQUIRED)));
    }

    @Test
    void repairsWhatAnotherWriterChangedOrDeleted() throws ApiException {
        ControllerRig controller = controller(PlacementMode.PREFERRED);
        DomainObject train = domain("train", "train-channel", "");
        controller.settle();
        Map<String, PlacedTemplate> right = Map.of("train-channel", of(train, PlacementMode.PREFERRED));

        cluster.putPlacement(new Stored<>(present().ref(), false, new CliquePlacement(Map.of())));
        controller.settle();
        assertThat(placed()).contains(right);

        cluster.removePlacement(present());
        controller.settle();
        assertThat(placed()).contains(right);
    }

    @Test
    void anAnnotationThatNamesNoModeIsReportedAndTheConfigurationCounts() {
        ControllerRig controller = controller(PlacementMode.PREFERRED);
        DomainObject train = domain("train", "train-channel", "required");

        controller.settle();

        assertThat(placed()).contains(Map.of("train-channel", of(train, PlacementMode.PREFERRED)));
        assertThat(cluster.events())
                .extracting(Event::reason, Event::message)
                .anySatisfy(event -> assertThat(event.toString())
                        .contains("PlacementUnknown", "\"required\"", "Off, Preferred or Required"));
    }

    @Test
    void aTemplateThatTwoNameIsPlacedForTheOneThatOwnsIt() {
        ControllerRig controller = controller(PlacementMode.PREFERRED);
        DomainObject first = domain("first", "channel", "");
        controller.settle();

        // Its UID sorts before that of the owner.
        cluster.put(new DomainObject(
                new ObjectRef("a-uid", "team", "second", "0"),
                1,
                false,
                List.of(),
                "channel",
                "Single",
                new DomainStatus(false, List.of()),
                "Required"));
        controller.settle();

        assertThat(placed()).contains(Map.of("channel", of(first, PlacementMode.PREFERRED)));
    }

    @Test
    void aClusterWithoutTheDefinitionIsLeftAloneAndCaughtUpWithOnceItHasIt() {
        cluster.placementsFailure = Optional.of(new ApiFailure(
                ApiFailure.FailureKind.NOT_FOUND, "it does not serve cliqueplacements", Optional.empty()));
        ControllerRig controller = controller(PlacementMode.REQUIRED);
        domain("train", "train-channel", "");
        controller.settle();
        assertThat(controller.failures()).isEmpty();
        assertThat(placed()).isEmpty();
        assertThat(cluster.domains.values()).allMatch(DomainObject::ready);

        cluster.placementsFailure = Optional.empty();
        assertThat(controller.work(new ReconcileKey.PlacementKey("team")))
                .isInstanceOfSatisfying(
                        TaskSettled.class,
                        settled -> assertThat(settled.recheckAfter()).isPresent());
        controller.client().listPlacements();
        controller.work(new ReconcileKey.PlacementKey("team"));
        assertThat(placed()).isPresent();
    }

    @Test
    void nothingIsWrittenIntoANamespaceThatEnds() {
        ControllerRig controller = controller(PlacementMode.REQUIRED);
        domain("train", "train-channel", "");
        controller.client().deliver(Integer.MAX_VALUE);
        cluster.endNamespace("team");

        assertThat(controller.work(new ReconcileKey.PlacementKey("team"))).isInstanceOf(TaskSettled.class);
        assertThat(controller.failures()).isEmpty();
    }

    @Test
    void neverHoldsMoreTemplatesThanTheDefinitionAdmits() {
        List<DomainObject> domains = IntStream.range(0, CliquePlacement.MOST_TEMPLATES + 3)
                .mapToObj(number -> new DomainObject(
                        cluster.ref("team", "d" + number),
                        1,
                        false,
                        List.of(),
                        "channel-%05d".formatted(number),
                        "Single",
                        new DomainStatus(false, List.of()),
                        ""))
                .toList();

        PlacementPlan plan = PlacementPlan.of(domains.reversed(), domain -> true, PlacementMode.PREFERRED);

        assertThat(plan.content().orElseThrow().templates()).hasSize(CliquePlacement.MOST_TEMPLATES);
        assertThat(plan.left())
                .extracting(DomainObject::templateName)
                .containsExactly("channel-02000", "channel-02001", "channel-02002");
    }

    @Test
    void onlyALargeObjectWaitsForFurtherChanges() {
        assertThat(PlacementTask.pause(Optional.empty())).isZero();
        assertThat(PlacementTask.pause(Optional.of(holding(250)))).isZero();
        assertThat(PlacementTask.pause(Optional.of(holding(CliquePlacement.MOST_TEMPLATES))))
                .isEqualTo(Duration.ofMillis(350));
    }

    private Stored<CliquePlacement> holding(int templates) {
        return new Stored<>(
                cluster.ref("team", CliquePlacement.NAME),
                false,
                new CliquePlacement(IntStream.range(0, templates)
                        .boxed()
                        .collect(Collectors.toMap(
                                number -> "channel-" + number,
                                number -> new PlacedTemplate(
                                        new ComputeDomainUid("uid-" + number), PlacementMode.PREFERRED)))));
    }

    @Test
    void aNameThatNoTemplateCanHaveIsLeftOut() {
        ControllerRig controller = controller(PlacementMode.REQUIRED);
        domain("train", "No Name", "");

        controller.settle();

        assertThat(placed()).isEmpty();
    }
}
