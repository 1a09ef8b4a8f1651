package io.imexagent.imex.mode;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Objection;
import io.imexagent.imex.specimen.ClaimSpecimens;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModeGuardTest {

    private static final ClaimRef A = DraSpecimens.ref("a");
    private static final ClaimRef B = DraSpecimens.ref("b");
    private static final Ledger NONE = Ledger.empty(Optional.of(new BootId("boot")));
    private static final Ledger ON_CHANNEL_7 = NONE.with(DraSpecimens.completed(A, 7));
    private static final Ledger ON_ITS_OWN = NONE.with(ClaimSpecimens.owning(A, 7, ClaimSpecimens.DOMAIN));

    @TempDir
    Path folder;

    private ModeFile file = new ModeFile(Path.of("/"));

    @BeforeEach
    void aStateDirectory() {
        file = new ModeFile(folder);
    }

    @Test
    void refusesWithTheClaimsAndTheWayOut() throws IOException {
        assertThat(guard().objection(ON_CHANNEL_7))
                .hasValueSatisfying(objection -> assertThat(objection.text())
                        .contains("uid uid-a", "Way out:", "(" + Objection.DRAIN + ")", "run --force"));
        assertThat(guard().objection(NONE.with(DraSpecimens.daemon(A))))
                .hasValueSatisfying(objection ->
                        assertThat(objection.text()).contains("driver-managed", "uid uid-a", "run --force"));
    }

    @Test
    void forceServesAndTheNextStartNeedsNone() throws IOException {
        ModeGuard forced = guard().forced();

        assertThat(forced.objection(ON_CHANNEL_7)).isEmpty();
        forced.record();

        assertThat(file.read())
                .isEqualTo(new ModeFile.RecordedMode.ModeRecorded(
                        ServingMode.HOST_MANAGED_NONE, new TreeSet<>(Set.of(A.uid()))));
        assertThat(guard().objection(ON_CHANNEL_7)).isEmpty();
        // ClaimSpecimens that the configured mode has prepared meanwhile are no objection either.
        assertThat(guard().objection(ON_CHANNEL_7.with(DraSpecimens.completed(B, 0))))
                .isEmpty();
    }

    @Test
    void forceAcceptsADaemonOfTheDriverToo() throws IOException {
        Ledger daemon = NONE.with(DraSpecimens.daemon(A));
        ModeGuard forced = guard().forced();

        assertThat(forced.objection(daemon)).isEmpty();
        forced.record();

        assertThat(guard().objection(daemon)).isEmpty();
    }

    @Test
    void forceAcceptsTheClaimsThatWereThereAndNoOthers() throws IOException {
        ModeGuard forced = guard().forced();
        forced.objection(ON_CHANNEL_7);
        forced.record();

        assertThat(guard().objection(ON_CHANNEL_7.with(DraSpecimens.completed(B, 8))))
                .hasValueSatisfying(objection ->
                        assertThat(objection.text()).contains("uid uid-b").doesNotContain("uid uid-a"));
    }

    @Test
    void aClaimThatIsGoneIsForgotten() throws IOException {
        ModeGuard forced = guard().forced();
        forced.objection(ON_CHANNEL_7);
        forced.record();

        ModeGuard later = guard();
        assertThat(later.objection(NONE)).isEmpty();
        later.record();

        assertThat(file.read())
                .isEqualTo(new ModeFile.RecordedMode.ModeRecorded(ServingMode.HOST_MANAGED_NONE, new TreeSet<>()));
        assertThat(guard().objection(ON_CHANNEL_7)).isPresent();
    }

    @Test
    void claimsThatFitAnotherModeNeedNoAcceptanceInIt() throws IOException {
        ModeGuard forced = guard().forced();
        forced.objection(ON_ITS_OWN);
        forced.record();

        ModeGuard fitting = isolating();
        assertThat(fitting.objection(ON_ITS_OWN)).isEmpty();
        fitting.record();

        assertThat(file.read())
                .isEqualTo(
                        new ModeFile.RecordedMode.ModeRecorded(ServingMode.HOST_MANAGED_IMEX_CHANNEL, new TreeSet<>()));
        assertThat(guard().objection(ON_ITS_OWN)).isPresent();
    }

    @Test
    void refusesOverChannelsThatWereChosenForTheWholeClusterThoughTheIsolationIsTheSame() throws IOException {
        file.write(ServingMode.HOST_MANAGED_CLUSTER_CHANNEL, Collections.emptySortedSet());

        assertThat(isolating().objection(ON_CHANNEL_7))
                .hasValueSatisfying(objection -> assertThat(objection.text())
                        .contains("prepared under \"host-managed, isolation IMEXChannel\"", "uid uid-a")
                        .contains("start the imex-agent that prepared them", "(" + Objection.DRAIN + ")")
                        .doesNotContain("set the configuration back"));
        assertThat(isolating().objection(NONE)).isEmpty();
        assertThat(guard().objection(ON_ITS_OWN))
                .hasValueSatisfying(objection -> assertThat(objection.text())
                        .contains("set the configuration back to \"host-managed, isolation IMEXChannel, per clique\""));
    }

    private ModeGuard isolating() {
        return new ModeGuard(file, ServingMode.HOST_MANAGED_IMEX_CHANNEL);
    }

    private ModeGuard guard() {
        return new ModeGuard(file, ServingMode.HOST_MANAGED_NONE);
    }
}
