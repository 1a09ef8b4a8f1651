package io.imexagent.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.Controller.ControllerObserver;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.DomainStatus;
import io.imexagent.kubernetes.ControlPlane.TemplateObject;
import io.imexagent.kubernetes.ControlPlane.TemplateObject.TemplateContent;
import io.imexagent.kubernetes.ControlPlane.WatchUpdate;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.Events.Event;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReconcilerTest {

    private final FakeCluster cluster = new FakeCluster();
    private final ControllerRig.Time time = new ControllerRig.Time();

    private ControllerRig shared() {
        return new ControllerRig(cluster, ControllerRig.shared(), time);
    }

    private ControllerRig isolated() {
        return new ControllerRig(cluster, ControllerRig.isolated(), time);
    }

    private static TemplateContent.WorkloadTemplate channelZero(DomainObject domain) {
        return new TemplateContent.WorkloadTemplate(domain.ref().uid(), DriverNames.DEFAULT_CLASS);
    }

    private static TemplateContent.WorkloadTemplate ownChannel(DomainObject domain) {
        return new TemplateContent.WorkloadTemplate(domain.ref().uid(), DriverNames.CHANNEL_CLASS);
    }

    private TemplateObject foreign() {
        return cluster.put(new TemplateObject(
                cluster.ref("team", "train-channel"),
                false,
                List.of(),
                Map.of(),
                new TemplateContent.OtherTemplate(Optional.empty())));
    }

    private List<String> reasons() {
        return cluster.events().stream().map(Event::reason).toList();
    }

    @Test
    void addPathCreatesOnlyTheWorkloadTemplateAndSaysReady() {
        DomainObject made = cluster.createDomain("train", "train-channel");
        ControllerRig bench = shared();

        bench.settle();

        DomainObject domain = cluster.domain("train");
        assertThat(domain.finalizers()).containsExactly("resource.nvidia.com/computeDomain");
        assertThat(domain.ready()).isTrue();
        assertThat(cluster.templates()).singleElement().satisfies(template -> {
            assertThat(template.ref().path()).isEqualTo("team/train-channel");
            assertThat(template.finalizers()).containsExactly("resource.nvidia.com/computeDomain");
            assertThat(template.labels())
                    .containsOnly(
                            Map.entry(
                                    "resource.nvidia.com/computeDomain",
                                    made.ref().uid()),
                            Map.entry("resource.nvidia.com/computeDomainTarget", "Workload"));
            assertThat(template.content()).isEqualTo(channelZero(made));
        });
        assertThat(bench.client().calls())
                .containsExactly("patch ComputeDomain", "create ResourceClaimTemplate", "patch ComputeDomain/status");
    }

    @Test
    void nothingIsCalledWhereNothingChanged() {
        cluster.createDomain("train", "train-channel");
        shared().settle();

        ControllerRig again = shared();
        again.settle();

        assertThat(again.client().calls()).isEmpty();
    }

    @Test
    void deletePathDeletesTheTemplateThenBothFinalizers() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        shared().settle();
        cluster.deleteDomain(domain.ref().uid());
        ControllerRig bench = shared();

        bench.settle();

        assertThat(cluster.domains()).isEmpty();
        assertThat(cluster.templates()).isEmpty();
        assertThat(bench.state().domains.all()).isEmpty();
        assertThat(bench.client().calls())
                .containsExactly("delete ResourceClaimTemplate", "patch ResourceClaimTemplate", "patch ComputeDomain");
    }

    @Test
    void aNamespaceThatIsBeingDeletedGetsNoTemplateNoWarningAndNoError() {
        cluster.createDomain("train", "train-channel");
        cluster.endNamespace("team");
        ControllerRig bench = shared();

        bench.settle();

        assertThat(cluster.templates()).isEmpty();
        assertThat(bench.failures()).isEmpty();
        assertThat(bench.reconciler().failures()).isEmpty();
        assertThat(bench.client().calls()).containsOnlyOnce("create ResourceClaimTemplate");
    }

    /** One of several API servers told of the namespace that was there before. */
    @Test
    void aNamespaceThatIsThereAgainGetsItsTemplateAMinuteLater() {
        cluster.createDomain("train", "train-channel");
        cluster.endNamespace("team");
        ControllerRig bench = shared();
        bench.settle();
        ReconcileKey domain =
                new ReconcileKey.DomainKey(cluster.domain("train").ref().uid());

        assertThat(bench.work(domain))
                .isEqualTo(new Reconciler.TaskResult.TaskSettled(Optional.of(Duration.ofMinutes(1))));
        time.pass(Duration.ofMinutes(1));
        assertThat(bench.work(domain))
                .isEqualTo(new Reconciler.TaskResult.TaskSettled(Optional.of(Duration.ofMinutes(1))));
        cluster.restoreNamespace("team");
        time.pass(Duration.ofSeconds(59));
        bench.settle();
        assertThat(cluster.templates()).isEmpty();
        time.pass(Duration.ofSeconds(1));
        bench.settle();

        assertThat(cluster.templates()).hasSize(1);
        assertThat(cluster.domain("train").ready()).isTrue();
        assertThat(cluster.events()).isEmpty();
        assertThat(bench.failures()).isEmpty();
    }

    @Test
    void aTemplateThatGoesWithItsNamespaceIsNotMadeAgain() {
        cluster.createDomain("train", "train-channel");
        ControllerRig bench = shared();
        bench.settle();
        cluster.endNamespace("team");
        cluster.deleteTemplate(cluster.templates().getFirst().ref().uid());

        bench.settle();

        assertThat(cluster.templates()).isEmpty();
        assertThat(cluster.domain("train").ready()).isFalse();
        assertThat(bench.failures()).isEmpty();
        cluster.deleteDomain(cluster.domain("train").ref().uid());
        bench.settle();
        assertThat(cluster.domains()).isEmpty();
        assertThat(cluster.events()).isEmpty();
        assertThat(bench.failures()).isEmpty();
    }

    @Test
    void aTemplateOfSomebodyElseIsReportedAndNeverTouched() {
        TemplateObject foreign = foreign();
        cluster.createDomain("train", "train-channel");

        shared().settle();

        assertThat(cluster.templates()).containsExactly(foreign);
        assertThat(cluster.domain("train").ready()).isFalse();
        assertThat(cluster.events()).singleElement().satisfies(event -> {
            assertThat(event.warning()).isTrue();
            assertThat(event.reason()).isEqualTo("TemplateNameTaken");
            assertThat(event.message()).contains("train-channel", "delete it, or create the ComputeDomain again");
        });
    }

    @Test
    void twoDomainsThatWantOneTemplateNameGetItOnce() {
        cluster.createDomain("first", "channel");
        cluster.createDomain("second", "channel");

        shared().settle();

        assertThat(List.of(
                        cluster.domain("first").ready(),
                        cluster.domain("second").ready()))
                .containsExactlyInAnyOrder(true, false);
        assertThat(reasons()).containsExactly("TemplateNameTaken");
    }

    @Test
    void aTemplateDeletedByHandComesBack() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        ControllerRig bench = shared();
        bench.settle();

        cluster.deleteTemplate(cluster.templates().getFirst().ref().uid());
        bench.settle();

        assertThat(cluster.templates()).singleElement().satisfies(template -> {
            assertThat(template.deleting()).isFalse();
            assertThat(template.content()).isEqualTo(channelZero(domain));
        });
    }

    @Test
    void labelsAndFinalizersTakenAwayByHandComeBack() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        ControllerRig bench = shared();
        bench.settle();
        TemplateObject template = cluster.templates().getFirst();

        cluster.put(new TemplateObject(
                template.ref(), false, List.of("other/one"), Map.of("team", "red"), template.content()));
        bench.settle();

        assertThat(cluster.templates()).singleElement().satisfies(mended -> {
            assertThat(mended.finalizers()).containsExactlyInAnyOrder("other/one", DriverNames.COMPUTE_DOMAIN);
            assertThat(mended.labels())
                    .containsEntry("team", "red")
                    .containsEntry(DriverNames.COMPUTE_DOMAIN, domain.ref().uid());
        });
    }

    @Test
    void aWrongTemplateIsReplaced() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        ControllerRig bench = shared();
        bench.settle();
        TemplateObject template = cluster.templates().getFirst();
        cluster.put(new TemplateObject(
                template.ref(),
                false,
                template.finalizers(),
                template.labels(),
                new TemplateContent.OtherTemplate(Optional.of(domain.ref().uid()))));

        bench.settle();

        assertThat(cluster.templates().getFirst().content()).isEqualTo(channelZero(domain));
        assertThat(cluster.templates().getFirst().ref().uid())
                .isNotEqualTo(template.ref().uid());
    }

    @Test
    void allIsAnsweredWithSingleAndANotice() {
        DomainObject made = cluster.createDomain("train", "train-channel");
        cluster.put(new DomainObject(
                made.ref(), 1, false, List.of(), "train-channel", "All", new DomainStatus(false, List.of()), ""));

        shared().settle();

        assertThat(cluster.domain("train").ready()).isTrue();
        assertThat(cluster.templates().getFirst().content()).isEqualTo(channelZero(made));
        assertThat(cluster.events()).singleElement().satisfies(event -> {
            assertThat(event.warning()).isFalse();
            assertThat(event.reason()).isEqualTo("AllocationModeIgnored");
        });
    }

    @Test
    void aTemplateThatFinalizersOfOthersHoldIsToldAndMadeAnewOnceTheyAreGone() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        ControllerRig bench = shared();
        bench.settle();
        TemplateObject template = cluster.templates().getFirst();
        cluster.put(new TemplateObject(
                template.ref(),
                true,
                List.of("other/one", DriverNames.COMPUTE_DOMAIN),
                template.labels(),
                template.content()));

        bench.settle();

        assertThat(cluster.templates().getFirst().finalizers()).containsExactly("other/one");
        assertThat(cluster.domain("train").ready()).isFalse();
        assertThat(reasons()).containsExactly("TemplateHeld");
        assertThat(cluster.events().getFirst().message()).contains("other/one");

        TemplateObject held = cluster.templates().getFirst();
        cluster.put(new TemplateObject(held.ref(), true, List.of(), held.labels(), held.content()));
        bench.settle();
        assertThat(cluster.domain("train").ready()).isTrue();
        assertThat(cluster.templates().getFirst().content()).isEqualTo(channelZero(domain));
    }

    @Test
    void finalizersOfOthersStay() {
        DomainObject made = cluster.createDomain("train", "train-channel");
        cluster.put(new DomainObject(
                made.ref(),
                1,
                false,
                List.of("other/one"),
                "train-channel",
                "Single",
                new DomainStatus(false, List.of()),
                ""));
        shared().settle();
        cluster.deleteDomain(made.ref().uid());

        shared().settle();

        assertThat(cluster.domain("train").finalizers()).containsExactly("other/one");
    }

    @Test
    void aNameThatNoTemplateCanHaveIsReported() {
        cluster.createDomain("train", "Not A Name");

        shared().settle();

        assertThat(reasons()).containsExactly("TemplateNameInvalid");
        assertThat(cluster.templates()).isEmpty();
    }

    @Test
    void adoptsWhatThePublicControllerMade() {
        DomainObject domain = cluster.put(new DomainObject(
                cluster.ref("team", "train"),
                1,
                false,
                List.of(DriverNames.COMPUTE_DOMAIN),
                "imex-channel-0",
                "Single",
                new DomainStatus(true, List.of()),
                ""));
        cluster.put(new TemplateObject(
                cluster.ref("team", "imex-channel-0"),
                false,
                List.of(DriverNames.COMPUTE_DOMAIN),
                Map.of(DriverNames.COMPUTE_DOMAIN, domain.ref().uid(), DriverNames.TARGET, "Workload"),
                channelZero(domain)));
        ControllerRig bench = shared();

        bench.settle();

        assertThat(bench.client().calls()).containsExactly("patch ComputeDomain/status");
        assertThat(shared().client().calls()).isEmpty();
    }

    @Test
    void withIsolationADomainCostsThreeCallsAndItsTemplateAsksForTheClassWithoutANumber() {
        DomainObject red = cluster.createDomain("red", "red-channel");
        DomainObject blue = cluster.createDomain("blue", "blue-channel");
        ControllerRig bench = isolated();

        bench.settle();

        assertThat(cluster.domains()).allMatch(DomainObject::ready);
        assertThat(cluster.templates())
                .extracting(TemplateObject::content)
                .containsExactly(ownChannel(red), ownChannel(blue));
        assertThat(bench.client().calls()).hasSize(2 * 3);
        assertThat(cluster.leases()).isEmpty();
    }

    @Test
    void anotherIsolationReplacesTheTemplate() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        isolated().settle();
        shared().settle();
        assertThat(cluster.templates())
                .singleElement()
                .extracting(TemplateObject::content)
                .isEqualTo(channelZero(domain));

        isolated().settle();

        assertThat(cluster.domain("train").ready()).isTrue();
        assertThat(cluster.templates())
                .singleElement()
                .extracting(TemplateObject::content)
                .isEqualTo(ownChannel(domain));
    }

    @Test
    void whereAForeignTemplateGoesTheNextLookMakesTheDomainReady() {
        TemplateObject foreign = foreign();
        DomainObject domain = cluster.createDomain("train", "train-channel");
        ControllerRig bench = shared();
        bench.settle();
        var work = new ReconcileKey.DomainKey(domain.ref().uid());
        assertThat(bench.work(work))
                .isEqualTo(new Reconciler.TaskResult.TaskSettled(Optional.of(Duration.ofMinutes(2))));
        assertThat(cluster.events()).as("told once").hasSize(1);

        cluster.deleteTemplate(foreign.ref().uid());
        bench.work(work);

        assertThat(cluster.domain("train").ready()).isTrue();
    }

    private Reconciler.TaskResult workBeforeTheTablesAreListed(DomainObject domain, FakeClient client) {
        var state = new ClusterState(work -> {});
        state.domains.apply(new WatchUpdate.ObjectsListed<>(cluster.domains(), "1"));
        state.templates.apply(new WatchUpdate.ObjectsListed<>(List.of(), "1"));
        var reconciler = new Reconciler(
                client,
                state,
                ControllerRig.isolated(),
                time,
                time::nanoTime,
                () -> true,
                work -> {},
                new ControllerObserver() {});
        return reconciler.reconcile(new ReconcileKey.DomainKey(domain.ref().uid()));
    }

    @Test
    void aComputeDomainIsLookedAtAgainSoonAfterTheTablesAreListed() {
        DomainObject domain = cluster.createDomain("train", "train-channel");

        assertThat(workBeforeTheTablesAreListed(domain, new FakeClient(cluster)))
                .isEqualTo(new Reconciler.TaskResult.TaskSettled(Optional.of(Duration.ofSeconds(10))));
    }

    /** Each look at one costs two calls, and where the tables are not installed they are never listed. */
    @Test
    void aForeignTemplateIsNotAskedForMoreOftenWhileTheTablesAreNotListed() {
        foreign();
        DomainObject domain = cluster.createDomain("train", "train-channel");

        assertThat(workBeforeTheTablesAreListed(domain, new FakeClient(cluster)))
                .isEqualTo(new Reconciler.TaskResult.TaskSettled(Optional.of(Duration.ofMinutes(2))));
    }

    /** It was a ComputeDomain's; its labels were taken away after that had gone, but not its finalizer. */
    @Test
    void aTemplateThatIsNobodysGoesWhenItIsDeletedAndItsNameIsFree() {
        TemplateObject left = cluster.put(new TemplateObject(
                cluster.ref("team", "train-channel"),
                false,
                List.of(DriverNames.COMPUTE_DOMAIN),
                Map.of(),
                new TemplateContent.OtherTemplate(Optional.empty())));
        cluster.createDomain("train", "train-channel");
        ControllerRig bench = shared();
        bench.settle();
        assertThat(reasons()).containsExactly("TemplateNameTaken");

        cluster.deleteTemplate(left.ref().uid());
        bench.settle();

        assertThat(cluster.domain("train").ready()).isTrue();
        assertThat(cluster.templates())
                .singleElement()
                .satisfies(template ->
                        assertThat(template.ref().uid()).isNotEqualTo(left.ref().uid()));
    }

    @Test
    void aTemplateThatLostItsLabelsIsFoundByItsNameAndMended() {
        cluster.createDomain("train", "train-channel");
        ControllerRig bench = shared();
        bench.settle();
        TemplateObject template = cluster.templates().getFirst();
        int before = bench.client().calls().size();

        cluster.put(new TemplateObject(
                template.ref(), false, template.finalizers(), Map.of("team", "red"), template.content()));
        bench.settle();

        assertThat(cluster.templates()).singleElement().satisfies(mended -> {
            assertThat(mended.ref().uid()).isEqualTo(template.ref().uid());
            assertThat(mended.labels()).containsAllEntriesOf(template.labels()).containsEntry("team", "red");
        });
        assertThat(bench.client().calls().stream().skip(before))
                .containsExactly(
                        "create ResourceClaimTemplate", "get ResourceClaimTemplate", "patch ResourceClaimTemplate");
        shared().settle();
        assertThat(cluster.domain("train").ready()).isTrue();
    }

    @Test
    void aDeletedDomainTakesItsTemplateAlongEvenWithoutItsLabels() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        shared().settle();
        TemplateObject template = cluster.templates().getFirst();
        cluster.put(new TemplateObject(template.ref(), false, template.finalizers(), Map.of(), template.content()));
        cluster.deleteDomain(domain.ref().uid());

        shared().settle();

        assertThat(cluster.templates()).isEmpty();
        assertThat(cluster.domains()).isEmpty();
    }

    @Test
    void aDeletedDomainLeavesAForeignTemplateOfItsNameAlone() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        TemplateObject foreign = foreign();
        shared().settle();
        cluster.deleteDomain(domain.ref().uid());

        shared().settle();

        assertThat(cluster.domains()).isEmpty();
        assertThat(cluster.templates()).containsExactly(foreign);
    }

    @Test
    void templatesOfADomainThatIsGoneAreTakenAwayAfterTheServerWasAsked() {
        cluster.createDomain("train", "train-channel");
        shared().settle();
        cluster.strip(cluster.domain("train"));
        ControllerRig bench = shared();

        bench.settle();

        assertThat(cluster.templates()).isEmpty();
        assertThat(bench.client().calls())
                .containsExactly("list ComputeDomain", "delete ResourceClaimTemplate", "patch ResourceClaimTemplate");
    }

    @Test
    void aTemplateOfADomainThatTheWatchHasNotToldYetStays() {
        ControllerRig behind = new ControllerRig(cluster, ControllerRig.shared(), time);
        DomainObject domain = cluster.createDomain("train", "train-channel");
        shared().settle();
        behind.state().templates.put(cluster.templates().getFirst());

        behind.work(new ReconcileKey.DomainKey(domain.ref().uid()));

        assertThat(cluster.templates()).hasSize(1);
        assertThat(behind.client().calls()).containsExactly("list ComputeDomain");
    }

    @Test
    void whatAnotherNamespaceSaysHoldsNoDeletionAndGoesAfterwards() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        shared().settle();
        cluster.put(new TemplateObject(
                cluster.ref("other-team", "template"),
                false,
                List.of("other-team/holds"),
                Map.of(DriverNames.COMPUTE_DOMAIN, domain.ref().uid(), DriverNames.TARGET, DriverNames.WORKLOAD),
                channelZero(domain)));
        cluster.deleteDomain(domain.ref().uid());

        shared().settle();

        assertThat(cluster.domains()).isEmpty();
        assertThat(cluster.templates())
                .singleElement()
                .satisfies(left -> assertThat(left.deleting()).isTrue());
    }

    @Test
    void whatTheServerRefusesAgainAndAgainIsTold() {
        cluster.createDomain("train", "train-channel");
        ControllerRig bench = new ControllerRig(
                cluster,
                ControllerRig.shared(),
                time,
                call -> call < 9 ? Optional.of(FakeClient.Cut.REFUSED) : Optional.empty());
        ReconcileKey work = bench.known().getFirst();

        for (int i = 0; i < 4; i++) {
            assertThat(bench.work(work)).isInstanceOf(Reconciler.TaskResult.TaskFailed.class);
        }

        assertThat(bench.reconciler().failures()).containsOnlyKeys(work);
        assertThat(bench.client().calls()).contains("create Event");
    }
}
