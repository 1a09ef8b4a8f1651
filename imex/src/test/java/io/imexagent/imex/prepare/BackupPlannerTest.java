package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.recovery.BackupPlanner;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class BackupPlannerTest {

    private static final ClaimEntry.Completed COMPLETED = ClaimSpecimens.completed(ClaimSpecimens.ref("a"), 0);
    private static final ClaimEntry.Started STARTED = ClaimSpecimens.started(ClaimSpecimens.ref("a"));
    private static final ClaimEntry.Aborted ABORTED =
            new ClaimEntry.Aborted(STARTED.uid(), STARTED.name(), STARTED.status(), NodeSpecimens.NOON);
    private static final ClaimUid UID = STARTED.uid();

    @Test
    void aClaimThatHadBegunAndHasASpecHoldsItsChannel() {
        assertThat(plan(Isolation.NONE, STARTED, true)).isEqualTo(held(COMPLETED));
    }

    @Test
    void aClaimThatWasAbortedAndHasASpecHoldsItsChannel() {
        assertThat(plan(Isolation.NONE, ABORTED, true)).isEqualTo(held(COMPLETED));
    }

    @Test
    void aPreparedClaimWithoutASpecWasPerhapsUnprepared() {
        assertThat(plan(Isolation.NONE, COMPLETED, false)).isEqualTo(as(STARTED));
    }

    @Test
    void whatSpecAndEntryAgreeOnStays() {
        assertThat(plan(Isolation.NONE, COMPLETED, true)).isEqualTo(as(COMPLETED));
        assertThat(plan(Isolation.NONE, STARTED, false)).isEqualTo(as(STARTED));
        assertThat(plan(Isolation.NONE, ABORTED, false)).isEqualTo(as(ABORTED));
    }

    @Test
    void aSpecWhoseEntryDoesNotTellTheChannelIsLeftUndecided() {
        assertThat(plan(Isolation.IMEX_CHANNEL, STARTED, true))
                .isInstanceOfSatisfying(
                        BackupPlanner.Verdict.Undecided.class,
                        undecided -> assertThat(undecided.claims().get(UID))
                                .extracting(Refusal::code)
                                .isEqualTo(RefusalCode.DEVICE_NOT_PUBLISHED));
    }

    @Test
    void aSpecOfAClaimForAChannelThatWasChosenAtPrepareIsLeftUndecided() {
        var begun = new ClaimEntry.Started(
                UID, Optional.empty(), ClaimSpecimens.status(ClaimSpecimens.DOMAIN, ServingPolicy.CHANNEL));

        assertThat(plan(Isolation.IMEX_CHANNEL, begun, true))
                .isInstanceOfSatisfying(
                        BackupPlanner.Verdict.Undecided.class,
                        undecided -> assertThat(undecided.claims().get(UID))
                                .extracting(Refusal::message)
                                .isEqualTo("its status does not say which channel it got"));
        assertThat(plan(Isolation.IMEX_CHANNEL, begun, false)).isEqualTo(as(begun));
    }

    private static BackupPlanner.Verdict plan(Isolation isolation, ClaimEntry entry, boolean spec) {
        var policy = new ServingPolicy(NodeSpecimens.NAME, isolation, false);
        return new BackupPlanner((uid, status) -> ChannelRules.promise(policy, uid, status))
                .plan(ledger(entry), spec ? Set.of(UID) : Set.of());
    }

    private static BackupPlanner.Verdict as(ClaimEntry entry) {
        return new BackupPlanner.Verdict.Settled(ledger(entry), new TreeSet<>());
    }

    private static BackupPlanner.Verdict held(ClaimEntry entry) {
        return new BackupPlanner.Verdict.Settled(ledger(entry), new TreeSet<>(Set.of(UID)));
    }

    private static Ledger ledger(ClaimEntry entry) {
        return Ledger.empty(Optional.of(NodeSpecimens.BOOT)).with(entry);
    }
}
