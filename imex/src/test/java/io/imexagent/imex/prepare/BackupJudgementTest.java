package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.checkpoint.FileCheckpointStore.LoadOutcome;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.policy.Isolation;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.recovery.RecoveryJudge;
import io.imexagent.dra.recovery.RecoveryJudge.RecoveryVerdict;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a backup of the checkpoint is worth. */
class BackupJudgementTest {

    private static final ClaimEntry.Completed COMPLETED = ClaimSpecimens.completed(ClaimSpecimens.ref("a"), 0);
    private static final ClaimEntry.Started STARTED = ClaimSpecimens.started(ClaimSpecimens.ref("a"));
    private static final ClaimEntry.Aborted ABORTED =
            new ClaimEntry.Aborted(STARTED.uid(), STARTED.name(), STARTED.status(), NodeSpecimens.NOON);
    private static final ClaimUid UID = STARTED.uid();

    @TempDir
    Path folder;

    @Test
    void aClaimThatHadBegunAndHasASpecHoldsItsChannel() throws IOException {
        assertThat(judge(Isolation.NONE, STARTED, true)).isEqualTo(held(COMPLETED));
    }

    @Test
    void aClaimThatWasAbortedAndHasASpecHoldsItsChannel() throws IOException {
        assertThat(judge(Isolation.NONE, ABORTED, true)).isEqualTo(held(COMPLETED));
    }

    @Test
    void aPreparedClaimWithoutASpecWasPerhapsUnprepared() throws IOException {
        assertThat(judge(Isolation.NONE, COMPLETED, false)).isEqualTo(as(STARTED));
    }

    @Test
    void whatSpecAndEntryAgreeOnStays() throws IOException {
        assertThat(judge(Isolation.NONE, COMPLETED, true)).isEqualTo(as(COMPLETED));
        assertThat(judge(Isolation.NONE, STARTED, false)).isEqualTo(as(STARTED));
        assertThat(judge(Isolation.NONE, ABORTED, false)).isEqualTo(as(ABORTED));
    }

    @Test
    void aSpecWhoseEntryDoesNotTellTheChannelIsLeftUndecided() throws IOException {
        assertThat(lost(STARTED)).contains(" is not published by this node under isolation IMEXChannel");
    }

    @Test
    void aSpecOfAClaimForAChannelThatWasChosenAtPrepareIsLeftUndecided() throws IOException {
        var begun = new ClaimEntry.Started(
                UID, Optional.empty(), ClaimSpecimens.status(ClaimSpecimens.DOMAIN, ServingPolicy.CHANNEL));

        assertThat(lost(begun)).endsWith(": its status does not say which channel it got");
        assertThat(judge(Isolation.IMEX_CHANNEL, begun, false)).isEqualTo(as(begun));
    }

    /** What is said of the only claim. */
    private String lost(ClaimEntry entry) throws IOException {
        RecoveryVerdict verdict = judge(Isolation.IMEX_CHANNEL, entry, true);
        assertThat(verdict).isInstanceOf(RecoveryVerdict.Refuse.class);
        assertThat(((RecoveryVerdict.Refuse) verdict).lost()).isTrue();
        List<String> details = ((RecoveryVerdict.Refuse) verdict).objection().details();
        assertThat(details).hasSize(2).last().isEqualTo("it is torn");
        assertThat(details.getFirst()).startsWith(folder + "/k8s.compute-domain.nvidia.com-claim_" + UID);
        return details.getFirst();
    }

    private RecoveryVerdict judge(Isolation isolation, ClaimEntry entry, boolean spec) throws IOException {
        var policy = NodeSpecimens.policy(NodeSpecimens.NAME, isolation, false);
        return new RecoveryJudge(
                        new CdiDirectory(folder, ChannelRules.KIND),
                        ClaimGuard.NONE,
                        (uid, status) -> ChannelRules.promise(policy, uid, status),
                        ChannelRules.WORDS)
                .judge(
                        new LoadOutcome.RecoveredFromBackup(ledger(entry), "it is torn", Optional.empty()),
                        spec ? new TreeSet<>(Set.of(UID)) : new TreeSet<>(),
                        Optional.of(NodeSpecimens.BOOT));
    }

    private static RecoveryVerdict as(ClaimEntry entry) {
        return new RecoveryVerdict.Serve(ledger(entry), false, new TreeSet<>());
    }

    private static RecoveryVerdict held(ClaimEntry entry) {
        return new RecoveryVerdict.Serve(ledger(entry), false, new TreeSet<>(Set.of(UID)));
    }

    private static Ledger ledger(ClaimEntry entry) {
        return Ledger.empty(Optional.of(NodeSpecimens.BOOT)).with(entry);
    }
}
