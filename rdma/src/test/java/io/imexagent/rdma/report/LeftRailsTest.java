package io.imexagent.rdma.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Objection;
import io.imexagent.files.FileSteps;
import io.imexagent.rdma.rails.RailRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeftRailsTest {

    private static final Optional<BootId> BOOT = Optional.of(new BootId("boot"));

    @TempDir
    Path folder;

    @Test
    void objectsWhileClaimsForNicsArePreparedAndNamesThem() throws IOException {
        given(Ledger.empty(BOOT).with(prepared()));

        assertThat(objection(BOOT))
                .hasValueSatisfying(objection -> assertThat(objection.text())
                        .contains(
                                "rdma.enabled is off now",
                                "claim team/a uid uid-a",
                                "Way out: set rdma.enabled back to true",
                                "run --force"));
    }

    @Test
    void doesNotObjectWhereNothingIsPrepared() throws IOException {
        assertThat(objection(BOOT)).as("no record").isEmpty();
        given(Ledger.empty(BOOT));
        assertThat(objection(BOOT)).isEmpty();
        given(Ledger.empty(BOOT).with(DraSpecimens.started(DraSpecimens.ref("a"))));
        assertThat(objection(BOOT)).as("begun, and told to nobody").isEmpty();
    }

    @Test
    void claimsOfAnEarlierBootAreVoidAndOfAnUnknownOneCount() throws IOException {
        given(Ledger.empty(BOOT).with(prepared()));

        assertThat(objection(Optional.of(new BootId("next")))).isEmpty();
        assertThat(objection(Optional.empty())).isPresent();
    }

    @Test
    void whatCannotBeReadKeepsNobodyFromStarting() throws IOException {
        Files.writeString(folder.resolve("rails.state"), "torn");
        assertThat(objection(BOOT)).isEmpty();

        Files.delete(folder.resolve("rails.state"));
        Files.createDirectory(folder.resolve("rails.state"));
        assertThat(objection(BOOT)).isEmpty();
    }

    private Optional<Objection> objection(Optional<BootId> boot) {
        return RailRecordCheck.objection(folder.resolve("rails.state"), boot);
    }

    private void given(Ledger ledger) throws IOException {
        new FileCheckpointStore(folder, RailRules.RECORD, Clock.systemUTC(), FileSteps.ALL_PASS).save(ledger);
    }

    private static ClaimEntry.Completed prepared() {
        var ref = DraSpecimens.ref("a");
        var rail = new PreparedDevice.Plain(new PreparedDevice.ReturnedDevice(
                List.of("nics"), DraSpecimens.NODE, "rail-0000-03-00-0", List.of("k=v"), Optional.empty()));
        return new ClaimEntry.Completed(
                ref.uid(),
                Optional.of(ref.name()),
                DraSpecimens.decoded(DraSpecimens.status(DraSpecimens.DOMAIN)),
                List.of(PreparedGroup.plain(List.of(rail))));
    }
}
