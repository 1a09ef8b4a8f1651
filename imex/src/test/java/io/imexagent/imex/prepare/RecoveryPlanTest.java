package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.Effect;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RecoveryPlanTest {

    private static final ClaimEntry.Completed COMPLETED = ClaimSpecimens.completed(ClaimSpecimens.ref("a"), 0);
    private static final ClaimEntry.Started STARTED = ClaimSpecimens.started(ClaimSpecimens.ref("b"));
    private static final ClaimEntry.Aborted ABORTED = new ClaimEntry.Aborted(
            ClaimSpecimens.ref("c").uid(),
            Optional.empty(),
            ClaimSpecimens.status(ClaimSpecimens.DOMAIN),
            NodeSpecimens.NOON);
    private static final Ledger LEDGER = Ledger.empty(Optional.of(NodeSpecimens.BOOT))
            .with(COMPLETED)
            .with(STARTED)
            .with(ABORTED);
    private static final Effect RESTORED = new Effect.WriteCdi(
            COMPLETED.uid(), PreparePlanner.edits(COMPLETED.uid(), List.of(new ChannelId(0)), NodeSpecimens.MAJOR));
    private static final BootId NEXT_BOOT = new BootId("boot-2");

    @Test
    void aPreparedClaimGetsItsSpecBack() {
        assertThat(Recoveries.plan(LEDGER, Set.of(), NodeSpecimens.healthy())).containsExactly(RESTORED);
    }

    @Test
    void theSpecOfAPreparedClaimIsMadeRightAlsoWhereThereIsOne() {
        assertThat(Recoveries.plan(LEDGER, Set.of(COMPLETED.uid()), NodeSpecimens.healthy()))
                .containsExactly(RESTORED);
    }

    @Test
    void aClaimThatGivesContainersNothingGetsNoSpec() {
        Ledger ledger = Ledger.empty(Optional.of(NodeSpecimens.BOOT))
                .with(ClaimSpecimens.withoutCdiDevice(ClaimSpecimens.ref("a")));

        assertThat(Recoveries.plan(ledger, Set.of(), NodeSpecimens.healthy())).isEmpty();
    }

    @Test
    void noSpecIsWrittenWhileTheMajorIsNotKnown() {
        assertThat(Recoveries.plan(LEDGER, Set.of(), NodeSpecimens.with(new ChannelMajor.UnregisteredMajor())))
                .isEmpty();
        assertThat(Recoveries.plan(LEDGER, Set.of(), NodeSpecimens.with(new ChannelMajor.UnknownMajor("cannot read"))))
                .isEmpty();
    }

    @Test
    void orphanedSpecsGoInTheOrderOfTheirUids() {
        var y = new ClaimUid("y");
        var x = new ClaimUid("x");

        assertThat(Recoveries.plan(LEDGER, Set.of(y, x, STARTED.uid()), NodeSpecimens.healthy()))
                .containsExactly(new Effect.RemoveCdi(x), new Effect.RemoveCdi(y), RESTORED);
    }

    @Test
    void afterARebootEverySpecGoesAndThenEveryEntry() {
        assertThat(Recoveries.plan(LEDGER, Set.of(COMPLETED.uid(), new ClaimUid("x")), NodeSpecimens.in(NEXT_BOOT)))
                .containsExactly(
                        new Effect.RemoveCdi(COMPLETED.uid()),
                        new Effect.RemoveCdi(new ClaimUid("x")),
                        new Effect.ForgetEntry(COMPLETED.uid()),
                        new Effect.ForgetEntry(STARTED.uid()),
                        new Effect.ForgetEntry(ABORTED.uid()));
    }

    @Test
    void aLedgerWithoutABootIsAdopted() {
        var old = new Ledger(LEDGER.entries(), Optional.empty());

        assertThat(Recoveries.plan(old, Set.of(), NodeSpecimens.in(NEXT_BOOT))).containsExactly(RESTORED);
    }

    @Test
    void aBootThatCouldNotBeReadVoidsNothing() {
        NodeInventory dark = NodeSpecimens.with(
                new CliqueState.KnownClique(NodeSpecimens.CLIQUE),
                new ChannelMajor.RegisteredMajor(NodeSpecimens.MAJOR),
                Optional.empty());

        assertThat(Recoveries.plan(LEDGER, Set.of(), dark)).containsExactly(RESTORED);
    }

    @Test
    void onlyAnotherKnownBootIsAReboot() {
        assertThat(LEDGER.isOfEarlierBoot(Optional.of(NEXT_BOOT))).isTrue();
        assertThat(LEDGER.isOfEarlierBoot(Optional.of(NodeSpecimens.BOOT))).isFalse();
        assertThat(LEDGER.isOfEarlierBoot(Optional.empty())).isFalse();
        assertThat(Ledger.empty(Optional.empty()).isOfEarlierBoot(Optional.of(NEXT_BOOT)))
                .isFalse();
    }
}
