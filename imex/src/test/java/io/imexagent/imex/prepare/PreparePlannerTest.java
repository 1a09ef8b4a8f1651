package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.DeviceConfig.Source;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPlanner;
import io.imexagent.dra.claim.ClaimPlanner.PreparePlan;
import io.imexagent.dra.claim.Effect;
import io.imexagent.imex.prepare.PreparePlanner.ChannelClaim;
import io.imexagent.imex.prepare.UserNamespaces.PodLookup;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.imex.specimen.Parameters;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PreparePlannerTest {

    private static final ClaimEntry.Completed DONE = ClaimSpecimens.completed(Situation.REF, 0);

    @Test
    void aReadyClaimIsWrittenThenCompleted() {
        var situation = new Situation();

        PreparePlan ready = situation.ready();

        var handed = new PreparedDevice.ReturnedDevice(
                List.of("channel"),
                NodeSpecimens.NAME,
                "channel-0",
                List.of("k8s.compute-domain.nvidia.com/claim=uid-train-channel-0"),
                Optional.empty());
        var completed = new ClaimEntry.Completed(
                situation.uid(),
                Optional.of(Situation.REF.name()),
                situation.status(),
                List.of(new PreparedGroup(
                        List.of(new PreparedDevice.Channel(new ChannelId(0), handed)),
                        "channel",
                        ClaimSpecimens.DOMAIN)));
        assertThat(ready.entry()).isEqualTo(completed);
        assertThat(ready.effects()).containsExactly(write(NodeSpecimens.MAJOR), new Effect.RecordEntry(completed));
    }

    @Test
    void theAnswerKeepsTheSubrequestAndTheShare() {
        var situation = new Situation();
        situation.request = "channel/small";
        situation.shareId = Optional.of("a671734a-share");

        assertThat(situation.ready().entry().devices()).singleElement().satisfies(device -> {
            assertThat(device.returned().requests()).containsExactly("channel/small");
            assertThat(device.returned().shareId()).contains("a671734a-share");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void adminAccessChangesNothing(boolean adminAccess) {
        var situation = new Situation();
        situation.adminAccess = Optional.of(adminAccess);
        assertThat(situation.ready().entry().groups())
                .isEqualTo(new Situation().ready().entry().groups());

        Fault.CHANNEL_HELD.into(situation);
        assertThat(situation.refusal().code()).isEqualTo(RefusalCode.CHANNEL_HELD);
    }

    @Test
    void aHeldChannelNamesItsHolderAndWhatToWaitFor() {
        var situation = new Situation();
        Fault.CHANNEL_HELD.into(situation);

        assertThat(situation.refusal().message())
                .isEqualTo(
                        "channel 0 already allocated by claim uid-other (according to checkpoint); wait until the pod"
                                + " of claim team/other has ended");
    }

    @Test
    void aHolderWithoutANameIsNamedByItsUid() {
        ClaimEntry.Completed other = ClaimSpecimens.completed(ClaimSpecimens.ref("other"), 0);
        var situation = new Situation();
        situation.ledger = situation.ledger.with(
                new ClaimEntry.Completed(other.uid(), Optional.empty(), other.status(), other.groups()));

        assertThat(situation.refusal().message())
                .isEqualTo("channel 0 already allocated by claim uid-other (according to checkpoint)");
    }

    @Test
    void aClaimThatOnlyBeganHoldsNoChannel() {
        var situation = new Situation();
        situation.ledger = situation.ledger.with(ClaimSpecimens.started(ClaimSpecimens.ref("other")));

        assertThat(situation.plan()).isInstanceOf(Outcome.Accepted.class);
    }

    @Test
    void aClaimThatGivesContainersNothingHoldsNoChannel() {
        var situation = new Situation();
        situation.ledger = situation.ledger.with(ClaimSpecimens.withoutCdiDevice(ClaimSpecimens.ref("other")));

        assertThat(situation.plan()).isInstanceOf(Outcome.Accepted.class);
    }

    @Test
    void aClaimThatHoldsAnotherChannelIsNoConflict() {
        var situation = new Situation();
        situation.ledger = situation.ledger.with(ClaimSpecimens.completed(ClaimSpecimens.ref("other"), 1));

        assertThat(situation.plan()).isInstanceOf(Outcome.Accepted.class);
    }

    @Test
    void aClaimIsGivenTheChannelOfItsDomainInTheDeviceThatIsAllocated() {
        Situation situation = new Situation().isolated(5);

        PreparePlan ready = situation.ready();

        assertThat(ready.effects())
                .contains(new Effect.WriteCdi(
                        situation.uid(),
                        PreparePlanner.edits(situation.uid(), List.of(new ChannelId(5)), NodeSpecimens.MAJOR)));
        assertThat(ready.entry().devices()).singleElement().satisfies(device -> {
            assertThat(device.returned().cdiDeviceIds())
                    .containsExactly("k8s.compute-domain.nvidia.com/claim=uid-train-channel-5");
            assertThat(device.returned().device()).isEqualTo("channel");
        });
    }

    @Test
    void aChannelWhoseHoldDoesNotStandAnyMoreIsRefusedAlsoWhileItIsHeldOnTheNode() {
        Situation situation = new Situation().isolated(new Planning.Table(Outcome.accepted(new ChannelId(5)), false));
        situation.ledger =
                situation.ledger.with(ClaimSpecimens.owning(ClaimSpecimens.ref("other"), 5, ClaimSpecimens.DOMAIN));

        assertThat(situation.refusal())
                .isEqualTo(new Refusal(
                        RefusalCode.HOLD_LOST,
                        "this node's hold on ComputeDomain team/train-a was changed while the claim was prepared;"
                                + " it is read again"));
        assertThat(situation.refusal().code().retry()).isEqualTo(RefusalCode.Retry.WITHIN_CALL);
    }

    @Test
    void aDomainThatIsBeingDeletedGrantsItsChannelToNoNewClaim() {
        var situation = new Situation();
        Fault.DOMAIN_DELETING.into(situation);
        situation.ledger =
                situation.ledger.with(ClaimSpecimens.owning(ClaimSpecimens.ref("other"), 5, ClaimSpecimens.DOMAIN));

        assertThat(situation.refusal())
                .isEqualTo(new Refusal(
                        RefusalCode.DOMAIN_DELETING,
                        "ComputeDomain team/train-a is being deleted; create the pod again from another"
                                + " ComputeDomain, or create this one again once it is gone"));
        assertThat(situation.refusal().code().retry()).isEqualTo(RefusalCode.Retry.NEVER);
    }

    @Test
    void aPreparedClaimIsAnsweredWhileItsDomainIsBeingDeleted() {
        Situation situation = new Situation().isolated(5);
        situation.ledger = situation.ledger.with(situation.ready().entry());
        Fault.DOMAIN_DELETING.into(situation);

        assertThat(situation.plan()).isInstanceOf(Outcome.Accepted.class);
    }

    @Test
    void channelZeroIsGrantedWhileTheDomainIsBeingDeleted() {
        var situation = new Situation();
        situation.domain = Optional.of(Situation.domain(ClaimSpecimens.NAMESPACE, true));

        assertThat(situation.plan()).isInstanceOf(Outcome.Accepted.class);
    }

    @Test
    void aDomainOfAnotherNamespaceIsNotToldToBeThere() {
        for (boolean deleting : new boolean[] {false, true}) {
            Situation situation = new Situation().isolated(5);
            situation.domain = Optional.of(Situation.domain("another-team", deleting));

            assertThat(situation.refusal().code()).isEqualTo(RefusalCode.DOMAIN_NOT_FOUND);
            assertThat(situation.refusal().message())
                    .contains("no ComputeDomain of namespace team", ClaimSpecimens.DOMAIN)
                    .doesNotContain("another-team", "train-a");
        }
    }

    @Test
    void whatTheTableRefusesIsToldInItsWords() {
        var refusal = new Refusal(RefusalCode.CHANNELS_EXHAUSTED, "all channels of the clique have an owner (127)");
        Situation situation = new Situation().isolated(new Planning.Table(Outcome.refused(refusal), true));

        assertThat(situation.refusal()).isEqualTo(refusal);
    }

    @Test
    void aChannelThatWasNotLookedForIsLookedForOnceTheCliqueIsKnown() {
        Situation situation = new Situation().isolated(5);
        var unknown = new ChannelClaim(
                situation.demand().toOptional().orElseThrow(), situation.domain, Optional.empty(), PodLookup.none());

        assertThat(new PreparePlanner(Sharing.DOMAIN, CliqueMissing.REFUSE)
                        .plan(Situation.REF, unknown, situation.ledger, NodeSpecimens.healthy())
                        .refusal())
                .hasValueSatisfying(refusal -> {
                    assertThat(refusal.code().retry()).isEqualTo(RefusalCode.Retry.WITHIN_CALL);
                    assertThat(refusal.code().isFromCluster())
                            .as("the claim is read again")
                            .isTrue();
                });
    }

    @Test
    void aChannelThatTheDriverDoesNotHaveIsRefusedWithBothNumbers() {
        var situation = new Situation();
        Fault.CHANNEL_NOT_OFFERED.into(situation);

        assertThat(situation.refusal().message())
                .contains("no channel 5", "ImexChannelCount is 5", "as many as the other nodes of the clique");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5})
    void claimsOfOneDomainShareItsChannelWhereTheOperatorWantsThat(int channel) {
        Situation situation = channel == 0 ? new Situation() : new Situation().isolated(channel);
        situation.ledger = situation.ledger.with(ClaimSpecimens.completed(ClaimSpecimens.ref("other"), channel));
        assertThat(situation.refusal().code()).isEqualTo(RefusalCode.CHANNEL_HELD);

        situation.sharing = Sharing.DOMAIN;
        PreparePlan ready = situation.ready();

        assertThat(ready.effects())
                .allSatisfy(effect -> assertThat(claim(effect)).isEqualTo(situation.uid()));
    }

    @Test
    void aClaimOfAnotherDomainSharesNoChannel() {
        Situation situation = new Situation().isolated(5);
        situation.sharing = Sharing.DOMAIN;
        situation.ledger = situation
                .ledger
                .with(ClaimSpecimens.completed(ClaimSpecimens.ref("friend"), 5))
                .with(ClaimSpecimens.owning(ClaimSpecimens.ref("stranger"), 5, "another-domain"));

        assertThat(situation.refusal().message())
                .isEqualTo("channel 5 already allocated by claim uid-stranger (according to checkpoint); wait until the"
                        + " pod of claim team/stranger has ended");
    }

    @Test
    void aHolderWhoseDomainNobodyWroteDownSharesNoChannel() {
        Situation situation = new Situation().isolated(5);
        situation.sharing = Sharing.DOMAIN;
        situation.ledger = situation.ledger.with(ClaimSpecimens.owning(ClaimSpecimens.ref("other"), 5, ""));

        assertThat(situation.refusal().code()).isEqualTo(RefusalCode.CHANNEL_HELD);
    }

    @Test
    void aPrepareThatWasCutOffStartsAnew() {
        var situation = new Situation();
        situation.ledger = situation.ledger.with(ClaimSpecimens.started(Situation.REF));

        assertThat(situation.ready()).isEqualTo(new Situation().ready());
    }

    @ParameterizedTest
    @EnumSource
    void aCompletedClaimIsAnsweredFromTheLedgerWhateverElseIsWrong(Fault fault) {
        var situation = new Situation();
        fault.into(situation);
        situation.abortedAt = Optional.empty();
        situation.major = new ChannelMajor.RegisteredMajor(NodeSpecimens.MAJOR);
        situation.ledger = situation.ledger.with(DONE);

        assertThat(situation.ready())
                .isEqualTo(new PreparePlan(DONE, Optional.empty(), List.of(write(NodeSpecimens.MAJOR))));
    }

    @ParameterizedTest
    @EnumSource(names = {"NO_MAJOR", "MAJOR_UNKNOWN"})
    void aCompletedClaimIsAnsweredWithoutAnEffectWhileTheMajorIsNotKnown(Fault fault) {
        var situation = new Situation();
        fault.into(situation);
        situation.ledger = situation.ledger.with(DONE);

        assertThat(situation.ready()).isEqualTo(new PreparePlan(DONE, Optional.empty(), List.of()));
    }

    @Test
    void aCompletedClaimGetsItsSpecForTheMajorOfToday() {
        var situation = new Situation();
        situation.major = new ChannelMajor.RegisteredMajor(511);
        situation.ledger = situation.ledger.with(DONE);

        assertThat(situation.ready().effects()).containsExactly(write(511));
    }

    @Test
    void aCompletedClaimWithoutANameIsAnsweredUnderAnyName() {
        var nameless = new ClaimEntry.Completed(DONE.uid(), Optional.empty(), DONE.status(), DONE.groups());

        assertThat(ClaimPlanner.prepared(Situation.REF, ledger(nameless))).contains(nameless);
    }

    @Test
    void aCompletedClaimIsNotAnsweredUnderAnotherName() {
        var renamed = new ClaimRef(new ClaimName(ClaimSpecimens.NAMESPACE, "renamed"), DONE.uid());

        assertThat(ClaimPlanner.prepared(renamed, ledger(DONE))).isEmpty();
    }

    @Test
    void onlyACompletedClaimIsAnswered() {
        assertThat(ClaimPlanner.prepared(Situation.REF, ledger(ClaimSpecimens.started(Situation.REF))))
                .isEmpty();
        assertThat(ClaimPlanner.prepared(ClaimSpecimens.ref("unknown"), ledger(DONE)))
                .isEmpty();
    }

    @Test
    void aDaemonsClaimGetsNoSpecOfOurs() {
        assertThat(PreparePlanner.edits(ClaimSpecimens.daemon(Situation.REF), NodeSpecimens.healthy()))
                .isEmpty();
    }

    @Test
    void anUnallocatedClaimSaysSo() {
        var situation = new Situation();
        situation.allocated = false;

        assertThat(situation.refusal().message()).contains("not allocated");
    }

    @ParameterizedTest
    @EnumSource(names = {"DOMAIN_MISSING", "DOMAIN_ELSEWHERE"})
    void aDomainIdThatAUserMadeUpIsShownOnOneBoundedLine(Fault fault) {
        var situation = new Situation();
        fault.into(situation);
        situation.moreConfigs.add(
                ClaimSpecimens.config(Source.FROM_CLAIM, Parameters.channel("x\ny".repeat(1000), "Single")));

        assertThat(situation.refusal().message()).hasLineCount(1).hasSizeLessThan(400);
    }

    @Test
    void aNodeWithoutACliqueSaysItInTheWordsOfTheDesign() {
        var situation = new Situation();
        situation.clique = new CliqueState.NoClique("the GPUs have no fabric");

        assertThat(situation.refusal().message())
                .startsWith("host-managed IMEX requires an NVLink clique on this node; NVML reports none")
                .contains("the GPUs have no fabric");
    }

    private static Ledger ledger(ClaimEntry entry) {
        return Ledger.empty(Optional.of(NodeSpecimens.BOOT)).with(entry);
    }

    private static Effect write(int major) {
        return new Effect.WriteCdi(
                Situation.REF.uid(), PreparePlanner.edits(Situation.REF.uid(), List.of(new ChannelId(0)), major));
    }

    private static ClaimUid claim(Effect effect) {
        return switch (effect) {
            case Effect.RecordEntry record -> record.entry().uid();
            case Effect.ForgetEntry forget -> forget.claim();
            case Effect.WriteCdi write -> write.claim();
            case Effect.RemoveCdi remove -> remove.claim();
        };
    }
}
