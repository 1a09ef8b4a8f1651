package io.imexagent.controller.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.fake.Bench;
import io.imexagent.controller.fake.FakeCluster;
import io.imexagent.controller.plan.Channels;
import io.imexagent.controller.plan.Names;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.control.ClaimUse;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.EventDraft;
import io.imexagent.kubernetes.control.TemplateObject;
import io.imexagent.kubernetes.control.TemplateObject.Content;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReconcilerTest {

    private final FakeCluster cluster = new FakeCluster();
    private final Bench.Time time = new Bench.Time();

    private Bench shared() {
        return new Bench(cluster, Bench.shared(), time);
    }

    private Bench isolated(int channels) {
        return new Bench(cluster, Bench.isolated(channels), time);
    }

    private static Content.Workload channelZero(DomainObject domain) {
        return new Content.Workload(domain.ref().uid(), Names.DEFAULT_CLASS, Optional.empty());
    }

    private static Content.Workload channel(DomainObject domain, int number) {
        return new Content.Workload(
                domain.ref().uid(),
                Names.CHANNEL_CLASS,
                Optional.of("device.attributes['compute-domain.nvidia.com'].id == " + number));
    }

    private List<String> reasons() {
        return cluster.events().stream().map(EventDraft::reason).toList();
    }

    @Test
    void addPathCreatesOnlyTheWorkloadTemplateAndSaysReady() {
        DomainObject made = cluster.createDomain("train", "train-channel");
        Bench bench = shared();

        bench.settle();

        DomainObject domain = cluster.domain("train");
        assertThat(domain.finalizers()).containsExactly("resource.nvidia.com/computeDomain");
        assertThat(domain.ready()).isTrue();
        assertThat(domain.channel()).isEmpty();
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

        Bench again = shared();
        again.settle();

        assertThat(again.client().calls()).isEmpty();
    }

    @Test
    void deletePathDeletesTheTemplateThenBothFinalizers() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        shared().settle();
        cluster.deleteDomain(domain.ref().uid());
        Bench bench = shared();

        bench.settle();

        assertThat(cluster.domains()).isEmpty();
        assertThat(cluster.templates()).isEmpty();
        assertThat(bench.state().domains()).isEmpty();
        assertThat(bench.client().calls())
                .containsExactly("delete ResourceClaimTemplate", "patch ResourceClaimTemplate", "patch ComputeDomain");
    }

    @Test
    void withoutIsolationLivingClaimsDoNotHoldADeletedDomain() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        shared().settle();
        cluster.claim(cluster.templates().getFirst(), "pod-claim", Optional.of(new ChannelId(0)));
        cluster.deleteDomain(domain.ref().uid());

        shared().settle();

        assertThat(cluster.domains()).isEmpty();
    }

    @Test
    void aTemplateOfSomebodyElseIsReportedAndNeverTouched() {
        TemplateObject foreign = cluster.put(new TemplateObject(
                cluster.ref("team", "train-channel"), false, List.of(), Map.of(), new Content.Other(Optional.empty())));
        cluster.createDomain("train", "train-channel");

        shared().settle();

        assertThat(cluster.templates()).containsExactly(foreign);
        assertThat(cluster.domain("train").ready()).isFalse();
        assertThat(cluster.events()).singleElement().satisfies(event -> {
            assertThat(event.warning()).isTrue();
            assertThat(event.reason()).isEqualTo("TemplateNameTaken");
            assertThat(event.message()).contains("train-channel", "delete it, or make the ComputeDomain anew");
        });
    }

    @Test
    void aDomainBecomesReadyWhenTheForeignTemplateGoes() {
        TemplateObject foreign = cluster.put(new TemplateObject(
                cluster.ref("team", "train-channel"), false, List.of(), Map.of(), new Content.Other(Optional.empty())));
        cluster.createDomain("train", "train-channel");
        Bench bench = shared();
        bench.settle();

        cluster.deleteTemplate(foreign.ref().uid());
        bench.settle();

        assertThat(cluster.domain("train").ready()).isTrue();
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
    void adoptsWhatThePublicControllerMade() {
        DomainObject domain = cluster.put(new DomainObject(
                cluster.ref("team", "train"),
                false,
                List.of(Names.COMPUTE_DOMAIN),
                "imex-channel-0",
                "Single",
                true,
                Optional.empty()));
        cluster.put(new TemplateObject(
                cluster.ref("team", "imex-channel-0"),
                false,
                List.of(Names.COMPUTE_DOMAIN),
                Map.of(Names.COMPUTE_DOMAIN, domain.ref().uid(), Names.TARGET, "Workload"),
                channelZero(domain)));
        Bench bench = shared();

        bench.settle();

        assertThat(bench.client().calls()).isEmpty();
    }

    @Test
    void aTemplateDeletedByHandComesBack() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        Bench bench = shared();
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
        Bench bench = shared();
        bench.settle();
        TemplateObject template = cluster.templates().getFirst();

        cluster.put(new TemplateObject(
                template.ref(), false, List.of("other/one"), Map.of("team", "red"), template.content()));
        bench.settle();

        assertThat(cluster.templates()).singleElement().satisfies(mended -> {
            assertThat(mended.finalizers()).containsExactlyInAnyOrder("other/one", Names.COMPUTE_DOMAIN);
            assertThat(mended.labels())
                    .containsEntry("team", "red")
                    .containsEntry(Names.COMPUTE_DOMAIN, domain.ref().uid());
        });
    }

    @Test
    void aWrongTemplateIsReplacedWhereNoClaimLives() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        Bench bench = shared();
        bench.settle();
        TemplateObject template = cluster.templates().getFirst();
        cluster.put(new TemplateObject(
                template.ref(),
                false,
                template.finalizers(),
                template.labels(),
                new Content.Other(Optional.of(domain.ref().uid()))));

        bench.settle();

        assertThat(cluster.templates().getFirst().content()).isEqualTo(channelZero(domain));
        assertThat(cluster.templates().getFirst().ref().uid())
                .isNotEqualTo(template.ref().uid());
    }

    @Test
    void aWrongTemplateWithLivingClaimsIsReportedAndKeptUntilTheyAreGone() {
        cluster.createDomain("train", "train-channel");
        shared().settle();
        TemplateObject before = cluster.templates().getFirst();
        ClaimUse claim = cluster.claim(before, "pod-claim", Optional.of(new ChannelId(0)));
        Bench bench = isolated(8);

        bench.settle();

        assertThat(cluster.templates().getFirst().ref()).isEqualTo(before.ref());
        assertThat(cluster.domain("train").ready()).isFalse();
        assertThat(cluster.events().getLast().reason()).isEqualTo("TemplateOutdated");
        assertThat(cluster.events().getLast().message()).contains("team/pod-claim");

        cluster.removeClaim(claim.ref().uid());
        bench.settle();

        assertThat(cluster.domain("train").ready()).isTrue();
        assertThat(cluster.templates().getFirst().content()).isEqualTo(channel(cluster.domain("train"), 1));
    }

    @Test
    void aClaimThatTheWatchHasNotToldYetKeepsAWrongTemplate() {
        cluster.createDomain("train", "train-channel");
        shared().settle();
        Bench bench = isolated(8);
        TemplateObject before = cluster.templates().getFirst();
        cluster.claim(before, "pod-claim", Optional.of(new ChannelId(0)));

        bench.reconciler().reconcile(cluster.domain("train").ref().uid());

        assertThat(cluster.templates().getFirst().ref()).isEqualTo(before.ref());
    }

    @Test
    void eachDomainGetsAChannelOfItsOwnAndTheTemplateSelectsIt() {
        cluster.createDomain("red", "red-channel");
        cluster.createDomain("blue", "blue-channel");
        Bench bench = isolated(8);

        bench.settle();

        assertThat(cluster.domain("red").channel()).contains(new ChannelId(1));
        assertThat(cluster.domain("blue").channel()).contains(new ChannelId(2));
        assertThat(cluster.templates())
                .extracting(TemplateObject::content)
                .containsExactly(channel(cluster.domain("red"), 1), channel(cluster.domain("blue"), 2));
        assertThat(cluster.leases())
                .extracting(lease -> lease.ref().name())
                .containsExactly("imex-channel-1", "imex-channel-2");
        assertThat(bench.client().calls()).hasSize(8);
    }

    @Test
    void allIsAnsweredWithSingleAndANotice() {
        DomainObject made = cluster.createDomain("train", "train-channel");
        cluster.put(new DomainObject(made.ref(), false, List.of(), "train-channel", "All", false, Optional.empty()));

        shared().settle();

        assertThat(cluster.domain("train").ready()).isTrue();
        assertThat(cluster.templates().getFirst().content()).isEqualTo(channelZero(made));
        assertThat(cluster.events()).singleElement().satisfies(event -> {
            assertThat(event.warning()).isFalse();
            assertThat(event.reason()).isEqualTo("AllocationModeIgnored");
        });
    }

    @Test
    void exhaustionIsToldAndEndsWhenAChannelHasRested() {
        DomainObject first = cluster.createDomain("first", "first-channel");
        Bench bench = isolated(2);
        bench.settle();
        cluster.createDomain("second", "second-channel");
        bench.settle();

        assertThat(cluster.domain("second").ready()).isFalse();
        assertThat(cluster.events().getLast().reason()).isEqualTo("ChannelsExhausted");
        assertThat(cluster.events().getLast().message()).contains("of 1, 1 are in use");

        cluster.deleteDomain(first.ref().uid());
        bench.settle();
        assertThat(cluster.domain("second").ready()).isFalse();
        assertThat(cluster.domain("first").channel()).as("named to the end").isPresent();
        assertThat(bench.state().channels().usage(Bench.isolated(2), time.instant()))
                .isEqualTo(new Channels.Usage(0, 1, 0));
        time.pass(Bench.QUARANTINE);
        bench.settle();

        assertThat(cluster.domain("second").ready()).isTrue();
        assertThat(cluster.domain("second").channel()).contains(new ChannelId(1));
    }

    @Test
    void aDeletedDomainKeepsChannelAndFinalizerUntilItsClaimsAreGoneAndTheChannelHasRested() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        Bench bench = isolated(8);
        bench.settle();
        ClaimUse claim = cluster.claim(cluster.templates().getFirst(), "pod-claim", Optional.of(new ChannelId(1)));
        cluster.deleteDomain(domain.ref().uid());

        bench.settle();

        assertThat(cluster.templates()).isEmpty();
        assertThat(cluster.domain("train").finalizers()).containsExactly(Names.COMPUTE_DOMAIN);
        assertThat(cluster.leases().getFirst().holder()).contains(domain.ref().uid());
        assertThat(cluster.events().getLast().reason()).isEqualTo("ClaimsAlive");

        cluster.removeClaim(claim.ref().uid());
        bench.settle();
        bench.settle();
        assertThat(cluster.leases().getFirst().holder()).isEmpty();
        assertThat(cluster.domains()).hasSize(1);
        assertThat(reasons()).as("told once").containsExactly("ClaimsAlive", "ChannelResting");
        assertThat(cluster.events().getLast()).satisfies(event -> {
            assertThat(event.warning()).isFalse();
            assertThat(event.message()).contains("rests until 2026-11-21T12:00:30Z", "controller.quarantine is 30 s");
        });

        time.pass(Bench.QUARANTINE);
        bench.settle();
        assertThat(cluster.domains()).isEmpty();
    }

    @Test
    void aChannelBeyondTheRangeIsKeptAndToldUntilTheRangeIsRaisedAgain() {
        cluster.createDomain("first", "first-channel");
        isolated(8).settle();
        cluster.createDomain("second", "second-channel");
        isolated(8).settle();

        isolated(2).settle();

        assertThat(cluster.domain("first").ready()).isTrue();
        assertThat(cluster.domain("second").ready()).isFalse();
        assertThat(cluster.domain("second").channel()).contains(new ChannelId(2));
        assertThat(cluster.leases().getLast().holder())
                .contains(cluster.domain("second").ref().uid());
        assertThat(reasons()).containsExactly("ChannelOutOfRange");
        assertThat(cluster.events().getFirst().message())
                .contains("channel 2 of this ComputeDomain lies beyond imex.channels, which is 2");

        isolated(8).settle();
        assertThat(cluster.domain("second").ready()).isTrue();
    }

    @Test
    void aTemplateThatFinalizersOfOthersHoldIsToldAndMadeAnewOnceTheyAreGone() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        Bench bench = shared();
        bench.settle();
        TemplateObject template = cluster.templates().getFirst();
        cluster.put(new TemplateObject(
                template.ref(),
                true,
                List.of("other/one", Names.COMPUTE_DOMAIN),
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
    void aDeletedDomainWhoseLedgerEntryIsLostStillWaitsForItsClaimsAndItsChannelRests() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        isolated(2).settle();
        ClaimUse claim = cluster.claim(cluster.templates().getFirst(), "pod-claim", Optional.of(new ChannelId(1)));
        cluster.deleteDomain(domain.ref().uid());
        cluster.removeLease("imex-channel-1");
        Bench bench = isolated(2);

        bench.settle();

        assertThat(cluster.domain("train").finalizers()).containsExactly(Names.COMPUTE_DOMAIN);
        assertThat(cluster.leases().getFirst().holder()).contains(domain.ref().uid());
        assertThat(cluster.events().getLast().reason()).isEqualTo("ClaimsAlive");

        cluster.removeClaim(claim.ref().uid());
        cluster.createDomain("next", "next-channel");
        bench.settle();
        assertThat(cluster.leases().getFirst().holder()).isEmpty();
        assertThat(cluster.domains()).hasSize(2);
        assertThat(cluster.domain("next").ready()).isFalse();

        time.pass(Bench.QUARANTINE);
        bench.settle();
        assertThat(cluster.domains()).hasSize(1);
        assertThat(cluster.domain("next").channel()).contains(new ChannelId(1));
    }

    @Test
    void aDeletedDomainTakesNoChannelBackThatTheLedgerSaysIsAnothers() {
        DomainObject other = cluster.createDomain("other", "other-channel");
        isolated(8).settle();
        DomainObject made = cluster.createDomain("train", "train-channel");
        cluster.put(new DomainObject(
                made.ref(),
                false,
                List.of(Names.COMPUTE_DOMAIN),
                "train-channel",
                "Single",
                false,
                Optional.of(new ChannelId(1))));
        cluster.deleteDomain(made.ref().uid());

        isolated(8).settle();

        assertThat(cluster.domains()).hasSize(1);
        assertThat(cluster.leases()).hasSize(1);
        assertThat(cluster.leases().getFirst().holder()).contains(other.ref().uid());
    }

    @Test
    void aChannelIsReusedAsLateAsCanBe() {
        DomainObject first = cluster.createDomain("first", "first-channel");
        Bench bench = isolated(4);
        bench.settle();
        cluster.deleteDomain(first.ref().uid());
        bench.settle();
        time.pass(Bench.QUARANTINE);
        bench.settle();

        cluster.createDomain("second", "second-channel");
        bench.settle();

        assertThat(cluster.domain("second").channel()).contains(new ChannelId(2));
    }

    @Test
    void leavingIsolationGivesTheChannelBack() {
        cluster.createDomain("train", "train-channel");
        isolated(8).settle();

        shared().settle();

        DomainObject domain = cluster.domain("train");
        assertThat(domain.ready()).isTrue();
        assertThat(domain.channel()).isEmpty();
        assertThat(cluster.templates().getFirst().content()).isEqualTo(channelZero(domain));
        assertThat(cluster.leases().getFirst().holder()).isEmpty();
    }

    @Test
    void remainsOfADomainThatIsGoneAreTakenAway() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        isolated(8).settle();
        DomainObject now = cluster.domain("train");
        cluster.put(new DomainObject(now.ref(), true, List.of(), now.templateName(), "Single", true, now.channel()));

        isolated(8).settle();

        assertThat(cluster.templates()).isEmpty();
        assertThat(cluster.leases().getFirst().holder()).isEmpty();
        assertThat(domain.ref().uid()).isNotEmpty();
    }

    @Test
    void aChannelThatTheServerDropsIsToldAndNotWrittenAgainAndAgain() {
        cluster.createDomain("train", "train-channel");
        cluster.forgetChannels();
        Bench bench = isolated(8);

        for (int i = 0; i < 4; i++) {
            bench.client().deliver(Integer.MAX_VALUE);
            assertThat(bench.reconciler()
                            .reconcile(cluster.domain("train").ref().uid()))
                    .isInstanceOf(Reconciler.Outcome.Failed.class);
        }

        assertThat(bench.client().calls().stream().filter("patch ComputeDomain/status"::equals))
                .hasSize(4);
        assertThat(cluster.events())
                .singleElement()
                .satisfies(event ->
                        assertThat(event.message()).contains("dropped status.channel", "imex-agent manifests"));
    }

    @Test
    void finalizersOfOthersStay() {
        DomainObject made = cluster.createDomain("train", "train-channel");
        cluster.put(new DomainObject(
                made.ref(), false, List.of("other/one"), "train-channel", "Single", false, Optional.empty()));
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
}
