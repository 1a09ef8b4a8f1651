package io.imexagent.imex.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.checkpoint.EntryTexts;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.core.policy.Isolation;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.recovery.MissingRecord;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.mode.ModeFile;
import io.imexagent.imex.mode.ServingMode;
import io.imexagent.imex.prepare.ChannelRecall;
import io.imexagent.imex.prepare.ChannelRules;
import io.imexagent.imex.prepare.PreparePlanner;
import io.imexagent.imex.prepare.ServingPolicy;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import io.imexagent.testing.kubelet.KubeletRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All under isolation None, on a node in the boot of {@link Inventories#gb200}. */
class CheckpointChecksTest {

    private static final Optional<BootId> BOOT = Inventories.gb200().bootId();
    private static final ClaimUid CLAIM = new ClaimUid("6f4a0f1e-6c3c-4a8e-9b1f-3f0f3f5b8d11");
    private static final ClaimUid OTHER = new ClaimUid("6f4a0f1e-6c3c-4a8e-9b1f-3f0f3f5b8d22");
    private static final ClaimStatus NO_STATUS = new ClaimStatus(Optional.empty(), List.of(), List.of());
    private static final PreparedDevice.ReturnedDevice HANDED = new PreparedDevice.ReturnedDevice(
            List.of("channel"), "node-1", "channel-0", List.of("vendor/class=device"), Optional.empty());
    private static final PreparedDevice DAEMON = new PreparedDevice.Daemon(HANDED);
    private static final String TORN = "{\"checksum\":";

    @TempDir
    private Path folder;

    private Path plugin = Path.of("/");
    private ModeFile mode = new ModeFile(Path.of("/"));
    private Isolation isolation = Isolation.NONE;
    private CdiDirectory specs = new CdiDirectory(Path.of("/"), ChannelRules.KIND);

    @BeforeEach
    void makeDirectories() throws IOException {
        plugin = Files.createDirectories(folder.resolve("kubelet/plugins").resolve(DriverNames.DRIVER));
        mode = new ModeFile(folder.resolve("state"));
        specs = new CdiDirectory(folder.resolve("cdi"), ChannelRules.KIND);
    }

    @Test
    void isContentWithoutACheckpoint() {
        assertThat(run())
                .singleElement()
                .returns("checkpoint", CheckResult::id)
                .returns(Severity.OK, CheckResult::severity);
    }

    @Test
    void countsTheClaimsThatAreThere() throws IOException {
        write("checkpoint.json", ledger(channel(0)));

        assertThat(result("checkpoint").message()).endsWith("holds 1 claim");
        assertThat(result("mode").message())
                .isEqualTo("the prepared claims fit the configuration: host-managed, isolation None");
    }

    @Test
    void failsWhereTheSystemDoesNotLetItBeRead() throws IOException {
        Files.createDirectory(plugin.resolve("checkpoint.json"));

        assertThat(result("checkpoint").severity()).isEqualTo(Severity.CRITICAL);
        assertThat(result("checkpoint").message()).contains("cannot read " + plugin.resolve("checkpoint.json"));
    }

    @Test
    void changesNothing() throws IOException {
        Files.writeString(plugin.resolve("checkpoint.json"), TORN);
        Files.writeString(plugin.resolve(".checkpoint.json.0.tmp"), "half");
        write("checkpoint.json.bak", ledger(channel(7)));
        List<String> before = listing();

        run();

        assertThat(listing()).isEqualTo(before);
    }

    @Test
    void failsWhereClaimsArePreparedUnderAnotherMode() throws IOException {
        write("checkpoint.json", ledger(channel(7)));

        CheckResult result = result("mode");

        assertThat(result.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(result.message())
                .contains(
                        "under \"host-managed, isolation IMEXChannel, per clique\"", "\"host-managed, isolation None\"")
                .contains("claim uid " + CLAIM)
                .doesNotContain("\n");
        assertThat(result.remedy().orElseThrow()).contains("kubectl drain", "A reboot", "run --force");
    }

    @Test
    void failsWhereClaimsHoldChannelsThatWereChosenForTheWholeCluster() throws IOException {
        write(
                "checkpoint.json",
                ledger(new PreparedDevice.Channel(new ChannelId(7), handed(new ChannelId(7).device()))));
        isolation = Isolation.IMEX_CHANNEL;

        assertThat(result("mode").severity()).isEqualTo(Severity.CRITICAL);
        assertThat(result("mode").message()).contains("isolation IMEXChannel, per clique");
        assertThat(result("mode").remedy().orElseThrow()).contains("start the imex-agent that prepared them");

        write("checkpoint.json", ledger(channel(7)));
        assertThat(result("mode").severity()).isEqualTo(Severity.OK);
    }

    @Test
    void saysNothingOfATakeOverWhereTheModeOfWhatIsTakenOverKeepsItFromStarting() throws IOException {
        String device = PreparePlanner.CDI_KIND + "=" + CLAIM + "-" + new ChannelId(0).device();
        KubeletRecord.write(
                folder.resolve("kubelet"),
                DriverNames.DRIVER,
                Map.of(
                        new KubeletClaimRequest("team", "claim", CLAIM.value()),
                        new ClaimResult.ClaimDone(List.of(new ClaimResult.ClaimDevice(
                                List.of("channel"), "node-1", "channel-0", List.of(device), Optional.empty())))));
        specs.ensure(CLAIM, PreparePlanner.edits(CLAIM, List.of(new ChannelId(0)), 239));
        isolation = Isolation.IMEX_CHANNEL;

        assertThat(run()).singleElement().satisfies(result -> {
            assertThat(result.id()).as(result.message()).isEqualTo("mode");
            assertThat(result.severity()).isEqualTo(Severity.CRITICAL);
        });
    }

    @Test
    void failsWhereDaemonsOfTheDriverManagedModeArePrepared() throws IOException {
        write("checkpoint.json", ledger(DAEMON));

        assertThat(result("mode").severity()).isEqualTo(Severity.CRITICAL);
        assertThat(result("mode").message()).contains("driver-managed");
    }

    @Test
    void believesTheClaimsMoreThanARecordThatFitsTheConfiguration() throws IOException {
        mode.write(ServingMode.HOST_MANAGED_NONE, Collections.emptySortedSet());

        write("checkpoint.json", ledger(DAEMON));
        assertThat(result("mode").severity()).isEqualTo(Severity.CRITICAL);

        write("checkpoint.json", ledger(channel(7)));
        assertThat(result("mode").severity()).isEqualTo(Severity.CRITICAL);
    }

    @Test
    void aStaleRecordIsNoFaultWhereTheClaimsFit() throws IOException {
        write("checkpoint.json", ledger(channel(0)));
        mode.write(ServingMode.DRIVER_MANAGED, Collections.emptySortedSet());

        assertThat(result("mode").severity()).isEqualTo(Severity.OK);
    }

    @Test
    void claimsThatWereAcceptedByForceAreAWarning() throws IOException {
        write("checkpoint.json", ledger(channel(7)));
        mode.write(ServingMode.HOST_MANAGED_NONE, new TreeSet<>(Set.of(CLAIM)));

        assertThat(result("mode").severity()).isEqualTo(Severity.WARNING);
        assertThat(result("mode").message()).contains("isolation IMEXChannel", "run --force has accepted them");
    }

    @Test
    void otherClaimsThanThoseAcceptedByForceAreAFailure() throws IOException {
        write("checkpoint.json", ledger(channel(7)));
        mode.write(ServingMode.HOST_MANAGED_NONE, new TreeSet<>(Set.of(OTHER)));

        assertThat(result("mode").severity()).isEqualTo(Severity.CRITICAL);
    }

    @Test
    void letsTheModeChangeWhereNoClaimIsPrepared() throws IOException {
        write("checkpoint.json", Ledger.empty(BOOT));
        mode.write(ServingMode.DRIVER_MANAGED, Collections.emptySortedSet());

        assertThat(result("mode").severity()).isEqualTo(Severity.OK);
    }

    @Test
    void warnsOfAModeThatCannotBeUnderstood() throws IOException {
        write("checkpoint.json", ledger(channel(0)));
        Files.createDirectories(folder.resolve("state"));
        Files.writeString(folder.resolve("state/mode.json"), "{}");

        assertThat(result("mode").severity()).isEqualTo(Severity.WARNING);

        write("checkpoint.json", ledger(channel(7)));
        assertThat(result("mode").severity()).isEqualTo(Severity.CRITICAL);
    }

    @Test
    void aRebootVoidsTheClaimsOfAnotherMode() throws IOException {
        write(
                "checkpoint.json",
                Ledger.empty(Optional.of(new BootId("earlier"))).with(completed(DAEMON)));

        assertThat(run()).extracting(CheckResult::severity).containsExactly(Severity.OK, Severity.OK);
        assertThat(result("checkpoint").message()).contains("of an earlier boot", "void");
        assertThat(result("mode").message()).contains("no claim is prepared");
    }

    @Test
    void aBootThatCannotBeReadVoidsNothing() throws IOException {
        write(
                "checkpoint.json",
                Ledger.empty(Optional.of(new BootId("earlier"))).with(completed(DAEMON)));

        assertThat(run(Optional.empty()))
                .extracting(CheckResult::severity)
                .containsExactly(Severity.OK, Severity.CRITICAL);
    }

    @Test
    void warnsOfABrokenCheckpointWhoseBackupTellsOfEverySpec() throws IOException {
        Files.writeString(plugin.resolve("checkpoint.json"), TORN);
        write("checkpoint.json.bak", ledger(channel(0)));
        spec(CLAIM);

        assertThat(result("checkpoint").severity()).isEqualTo(Severity.WARNING);
        assertThat(result("checkpoint").message()).contains("is no whole checkpoint", "the backup of ");
        assertThat(result("mode").severity()).isEqualTo(Severity.OK);
    }

    @Test
    void judgesTheModeOfTheBackupsClaims() throws IOException {
        Files.writeString(plugin.resolve("checkpoint.json"), TORN);
        write("checkpoint.json.bak", ledger(channel(7)));
        spec(CLAIM);

        assertThat(run()).extracting(CheckResult::severity).containsExactly(Severity.WARNING, Severity.CRITICAL);
    }

    @Test
    void failsWhereTheBackupDoesNotKnowASpec() throws IOException {
        Files.writeString(plugin.resolve("checkpoint.json"), TORN);
        write("checkpoint.json.bak", ledger(channel(0)));
        spec(OTHER);

        assertThat(run()).singleElement().satisfies(result -> {
            assertThat(result.severity()).isEqualTo(Severity.CRITICAL);
            assertThat(result.message())
                    .contains("its backup is too old", specs.file(OTHER).toString());
            assertThat(result.remedy().orElseThrow()).contains("delete these CDI specs");
        });
    }

    @Test
    void failsWhereTheBackupDoesNotTellWhatASpecIsFor() throws IOException {
        Files.writeString(plugin.resolve("checkpoint.json"), TORN);
        write(
                "checkpoint.json.bak",
                Ledger.empty(BOOT).with(new ClaimEntry.Started(CLAIM, Optional.empty(), NO_STATUS)));
        spec(CLAIM);

        assertThat(run())
                .singleElement()
                .returns(Severity.CRITICAL, CheckResult::severity)
                .satisfies(result -> assertThat(result.message())
                        .contains("does not tell what the claims", specs.file(CLAIM) + ": "));
    }

    @Test
    void aRebootVoidsWhatABackupDoesNotKnow() throws IOException {
        Files.writeString(plugin.resolve("checkpoint.json"), TORN);
        write("checkpoint.json.bak", Ledger.empty(Optional.of(new BootId("earlier"))));
        spec(OTHER);

        assertThat(result("checkpoint").severity()).isEqualTo(Severity.WARNING);
        assertThat(result("mode").severity()).isEqualTo(Severity.OK);
    }

    @Test
    void failsWhereNoGenerationCanBeReadAndASpecIsThere() throws IOException {
        Files.writeString(plugin.resolve("checkpoint.json"), TORN);
        Files.writeString(plugin.resolve("checkpoint.json.bak"), "");
        spec(CLAIM);

        assertThat(run())
                .singleElement()
                .returns(Severity.CRITICAL, CheckResult::severity)
                .satisfies(result -> assertThat(result.message())
                        .contains(
                                "no generation of the checkpoint can be read",
                                specs.file(CLAIM).toString()));
    }

    @Test
    void warnsWhereNoGenerationCanBeReadAndNoSpecIsThere() throws IOException {
        Files.writeString(plugin.resolve("checkpoint.json"), TORN);
        Files.writeString(plugin.resolve("checkpoint.json.bak"), "");

        assertThat(result("checkpoint").severity()).isEqualTo(Severity.WARNING);
        assertThat(result("checkpoint").remedy().orElseThrow()).contains("begins without claims");
        assertThat(result("mode").severity()).isEqualTo(Severity.OK);
    }

    /** Channel 0, or one of its ComputeDomain's own. */
    private static PreparedDevice channel(int number) {
        return new PreparedDevice.Channel(
                new ChannelId(number), handed(number == 0 ? "channel-0" : ServingPolicy.CHANNEL));
    }

    private static PreparedDevice.ReturnedDevice handed(String device) {
        return new PreparedDevice.ReturnedDevice(
                HANDED.requests(), HANDED.pool(), device, HANDED.cdiDeviceIds(), HANDED.shareId());
    }

    private static ClaimEntry completed(PreparedDevice device) {
        return new ClaimEntry.Completed(
                CLAIM, Optional.empty(), NO_STATUS, List.of(new PreparedGroup(List.of(device), "channel", "domain")));
    }

    private static Ledger ledger(PreparedDevice device) {
        return Ledger.empty(BOOT).with(completed(device));
    }

    private void write(String name, Ledger ledger) throws IOException {
        Files.write(plugin.resolve(name), CheckpointFormat.PUBLIC_DRIVER.encode(ledger, new EntryTexts()));
    }

    private void spec(ClaimUid claim) throws IOException {
        specs.ensure(claim, PreparePlanner.edits(claim, List.of(new ChannelId(0)), 239));
    }

    private CheckResult result(String id) {
        return run().stream()
                .filter(result -> result.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private List<CheckResult> run() {
        return run(BOOT);
    }

    private List<CheckResult> run(Optional<BootId> boot) {
        try {
            return checks(boot).run();
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    private List<String> listing() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(Path::toString).sorted().toList();
        }
    }

    private CheckpointChecks checks(Optional<BootId> boot) {
        var policy = NodeSpecimens.policy("node-1", isolation, false);
        var missing = new MissingRecord(
                specs,
                folder.resolve("host"),
                folder.resolve("kubelet"),
                DriverNames.DRIVER,
                new ChannelRecall(policy, _ -> List.of()),
                new FakeClaims(),
                InstantSource.system());
        return new CheckpointChecks(
                folder.resolve("kubelet/plugins").resolve(DriverNames.DRIVER),
                folder.resolve("state"),
                policy,
                missing,
                boot);
    }
}
