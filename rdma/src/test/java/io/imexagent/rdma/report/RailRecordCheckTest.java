package io.imexagent.rdma.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.checkpoint.EntryTexts;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.recovery.MissingRecord;
import io.imexagent.rdma.rails.RailDriver;
import io.imexagent.rdma.rails.RailRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RailRecordCheckTest {

    private static final Optional<BootId> BOOT = Optional.of(new BootId("boot"));
    private static final ClaimUid CLAIM = new ClaimUid("6f4a0f1e-6c3c-4a8e-9b1f-3f0f3f5b8d11");
    private static final ClaimUid OTHER = new ClaimUid("6f4a0f1e-6c3c-4a8e-9b1f-3f0f3f5b8d22");
    private static final String RAIL = "rail-0000-03-00-0";
    private static final String TORN = "imex-agent-rails 1 torn";

    @TempDir
    private Path folder;

    private Path plugin = Path.of("/");

    @BeforeEach
    void makeDirectories() throws IOException {
        plugin = Files.createDirectories(folder.resolve("kubelet/plugins/rdma.imexagent.io"));
    }

    @Test
    void isContentWithoutARecord() {
        assertThat(serving().severity()).isEqualTo(Severity.OK);
        assertThat(serving().message()).endsWith("rails.state does not exist yet");
    }

    @Test
    void countsTheClaimsThatAreThereAndThoseOfAnEarlierBootAsVoid() throws IOException {
        write("rails.state", Ledger.empty(BOOT).with(prepared(CLAIM)));

        assertThat(serving().message()).endsWith("rails.state holds 1 claim");
        write("rails.state", Ledger.empty(Optional.of(new BootId("earlier"))).with(prepared(CLAIM)));
        assertThat(serving().message()).contains("of an earlier boot", "void");
    }

    @Test
    void warnsOfABrokenRecordWhoseBackupTellsOfEverySpec() throws IOException {
        Files.writeString(plugin.resolve("rails.state"), TORN);
        write("rails.state.bak", Ledger.empty(BOOT).with(prepared(CLAIM)));
        spec(CLAIM);

        assertThat(serving().severity()).isEqualTo(Severity.WARNING);
        assertThat(serving().message()).contains("rails.state", "the backup of ");
    }

    @Test
    void failsWhereTheBackupDoesNotKnowASpec() throws IOException {
        Files.writeString(plugin.resolve("rails.state"), TORN);
        write("rails.state.bak", Ledger.empty(BOOT).with(prepared(CLAIM)));
        spec(OTHER);

        assertThat(serving().severity()).isEqualTo(Severity.CRITICAL);
        assertThat(serving().message())
                .contains("its backup is too old", "whose RDMA NICs containers may hold")
                .doesNotContain("channel");
        assertThat(serving().remedy().orElseThrow()).contains("workloads with RDMA NICs", "delete these CDI specs");
    }

    @Test
    void failsWhereNothingTellsWhoseASpecIs() throws IOException {
        spec(CLAIM);

        assertThat(serving().severity()).isEqualTo(Severity.CRITICAL);
        assertThat(serving().message()).contains("the checkpoint is missing", "dra_manager_state is missing");
    }

    @Test
    void failsWhereNoGenerationCanBeReadAndASpecIsThere() throws IOException {
        Files.writeString(plugin.resolve("rails.state"), TORN);
        Files.writeString(plugin.resolve("rails.state.bak"), "");
        assertThat(serving().severity()).isEqualTo(Severity.WARNING);

        spec(CLAIM);
        assertThat(serving().severity()).isEqualTo(Severity.CRITICAL);
        assertThat(serving().message()).contains("containers may hold the RDMA NICs of these CDI specs");
    }

    @Test
    void failsWhereTheSystemDoesNotLetItBeRead() throws IOException {
        Files.createDirectory(plugin.resolve("rails.state"));

        assertThat(serving().severity()).isEqualTo(Severity.CRITICAL);
        assertThat(serving().remedy().orElseThrow()).contains("run as root");
    }

    @Test
    void failsWhereClaimsWouldBeLeftBehind() throws IOException {
        assertThat(check().left()).isEmpty();
        write("rails.state", Ledger.empty(BOOT).with(prepared(CLAIM)));

        CheckResult left = check().left().orElseThrow();

        assertThat(left.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(left.message())
                .contains("rdma.enabled is off", CLAIM.value())
                .doesNotContain("\n");
        assertThat(left.remedy().orElseThrow()).contains("set rdma.enabled back to true");
    }

    @Test
    void changesNothing() throws IOException {
        Files.writeString(plugin.resolve("rails.state"), TORN);
        write("rails.state.bak", Ledger.empty(BOOT).with(prepared(CLAIM)));
        List<String> before = listing();

        serving();
        check().left();

        assertThat(listing()).isEqualTo(before);
    }

    private CheckResult serving() {
        var missing = new MissingRecord(
                new CdiDirectory(folder.resolve("cdi"), RailRules.KIND),
                folder.resolve("host"),
                folder.resolve("kubelet"),
                RailDriver.NAME,
                RailRules.recall("node-1"),
                new FakeClaims(),
                InstantSource.system());
        try {
            return check().serving(missing);
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    private RailRecordCheck check() {
        return new RailRecordCheck(folder.resolve("kubelet/plugins").resolve(RailDriver.NAME), "node-1", BOOT);
    }

    private void write(String name, Ledger ledger) throws IOException {
        Files.write(plugin.resolve(name), RailRules.RECORD.encode(ledger, new EntryTexts()));
    }

    private void spec(ClaimUid claim) throws IOException {
        var kind = RailRules.KIND;
        var node = new ClaimEdits.Edits(
                List.of(new ClaimEdits.DeviceNodeEdits("/dev/infiniband/uverbs0", 231, 192)),
                List.of(),
                List.of(),
                List.of(),
                List.of());
        var devices = new TreeMap<>(Map.of(claim + "-" + RAIL, new ClaimEdits.DeviceEdits("mlx5_0", node)));
        new CdiDirectory(folder.resolve("cdi"), kind).ensure(claim, new ClaimEdits(ClaimEdits.Edits.NONE, devices));
    }

    private static ClaimEntry.Completed prepared(ClaimUid claim) {
        var rail = new PreparedDevice.Plain(
                new PreparedDevice.ReturnedDevice(List.of("nics"), "node-1", RAIL, List.of("k=v"), Optional.empty()));
        var status = new ClaimStatus(
                Optional.of(new Allocation(
                        List.of(DraSpecimens.allocated("nics", RailDriver.NAME, "node-1", RAIL)),
                        List.of(),
                        Optional.empty(),
                        Optional.empty())),
                List.of(),
                List.of());
        return new ClaimEntry.Completed(claim, Optional.empty(), status, List.of(PreparedGroup.plain(List.of(rail))));
    }

    private List<String> listing() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(Path::toString).sorted().toList();
        }
    }
}
