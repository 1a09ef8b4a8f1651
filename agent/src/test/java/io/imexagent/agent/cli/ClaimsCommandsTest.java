package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.imexagent.cdi.CdiDirectory;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.KubeletStates;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.dra.claim.CheckpointReader;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.files.FileSteps;
import io.imexagent.imex.prepare.ChannelRules;
import io.imexagent.imex.prepare.PreparePlanner;
import io.imexagent.rdma.rails.RailRules;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.host.FakeHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimsCommandsTest {

    private static final String DRIVER = "compute-domain.nvidia.com";
    private static final String RAILS = "rdma.imexagent.io";
    private static final String RECORD = "/kubelet/plugins/" + DRIVER + "/checkpoint.json";
    private static final String RAIL_RECORD = "/kubelet/plugins/" + RAILS + "/" + RailRules.RECORD.fileName();
    private static final String SPEC = "/cdi/k8s.compute-domain.nvidia.com-claim_aaaa.yaml";
    private static final ClaimUid DONE = new ClaimUid("aaaa");
    private static final ClaimUid BEGUN = new ClaimUid("bbbb");
    private static final ClaimUid GONE = new ClaimUid("cccc");
    private static final ClaimStatus STATUS = new ClaimStatus(
            Optional.of(new Allocation(
                    List.of(DraSpecimens.allocated("channel", "compute-domain.nvidia.com", "node-1", "channel-0")),
                    List.of(),
                    Optional.empty(),
                    Optional.of(Instant.parse("2026-01-02T03:04:05Z")))),
            List.of(new ClaimStatus.ConsumerReference("", "pods", "worker-0", "u-1")),
            List.of());
    private static final Ledger LEDGER = Ledger.empty(Optional.of(new BootId("boot-1")))
            .with(new ClaimEntry.Completed(
                    DONE,
                    ClaimName.parse("team", "worker-0-channel"),
                    STATUS,
                    List.of(new PreparedGroup(
                            List.of(new PreparedDevice.Channel(
                                    new ChannelId(0),
                                    new PreparedDevice.ReturnedDevice(
                                            List.of("channel"),
                                            "node-1",
                                            "channel-0",
                                            List.of("k8s.compute-domain.nvidia.com/claim=aaaa-channel-0"),
                                            Optional.empty()))),
                            "channel",
                            "domain-1"))))
            .with(new ClaimEntry.Started(BEGUN, ClaimName.parse("team", "worker-1-channel"), STATUS))
            .with(new ClaimEntry.Aborted(
                    GONE,
                    Optional.empty(),
                    new ClaimStatus(Optional.empty(), List.of(), List.of()),
                    Instant.parse("2026-01-02T03:05:00Z")));

    private static final ClaimEntry RAIL = new ClaimEntry.Completed(
            DONE,
            ClaimName.parse("team", "worker-0-channel"),
            STATUS,
            List.of(PreparedGroup.plain(List.of(new PreparedDevice.Plain(new PreparedDevice.ReturnedDevice(
                    List.of("nics"),
                    "node-1",
                    "rail-0000-03-00-0",
                    List.of("k8s.rdma.imexagent.io/claim=aaaa-rail-0000-03-00-0"),
                    Optional.empty()))))));

    @TempDir
    private Path folder;

    private final CliFixture cli = new CliFixture();
    private FakeHost host;

    @BeforeEach
    void prepareClaims() throws IOException {
        host = FakeHost.create(folder);
        cli.on(host);
        channels().save(LEDGER);
        specs().ensure(DONE, PreparePlanner.edits(DONE, List.of(new ChannelId(0)), 239));
    }

    private CdiDirectory specs() {
        return new CdiDirectory(host.cdiDirectory(), ChannelRules.KIND);
    }

    private FileCheckpointStore channels() {
        return store(DRIVER, CheckpointFormat.PUBLIC_DRIVER);
    }

    /** The claim {@code aaaa} has a NIC as well. */
    private FileCheckpointStore rails() throws IOException {
        FileCheckpointStore rails = store(RAILS, RailRules.RECORD);
        rails.save(Ledger.empty(Optional.of(new BootId("boot-1"))).with(RAIL));
        return rails;
    }

    private FileCheckpointStore store(String driver, CheckpointFormat format) {
        return new FileCheckpointStore(
                host.kubeletRoot().resolve("plugins").resolve(driver), format, Clock.systemUTC(), FileSteps.ALL_PASS);
    }

    private static List<ClaimUid> recorded(FileCheckpointStore store) throws IOException {
        boolean rails = store.file().endsWith(Path.of(RAIL_RECORD).getFileName());
        return CheckpointReader.read(store.file(), rails ? RailRules.RECORD : CheckpointFormat.PUBLIC_DRIVER)
                .orElseThrow()
                .ledger()
                .completed()
                .stream()
                .map(ClaimEntry::uid)
                .toList();
    }

    /** The output, with this folder's name left out. */
    private String out() {
        return cli.out().replace(folder.toString(), "");
    }

    private String err() {
        return cli.err().replace(folder.toString(), "");
    }

    @Test
    void listsTheClaimsOfBothDrivers() throws IOException {
        rails();

        assertThat(cli.execute("claims", "list")).isEqualTo(ExitCode.OK);
        assertThat(out().lines().map(line -> line.replaceAll(" +", " ")))
                .hasSize(5)
                .contains("team/worker-0-channel aaaa rdma.imexagent.io completed rail-0000-03-00-0"
                        + " 2026-01-02T03:04:05Z /cdi/k8s.rdma.imexagent.io-claim_aaaa.yaml is missing");
        cli.execute("claims", "list", "-o", "json");
        JsonNode json = new ObjectMapper().readTree(out());
        assertThat(json.get("records").findValuesAsText("driver")).containsExactly(DRIVER, RAILS);
        assertThat(json.at("/records/1/file").asText()).isEqualTo(RAIL_RECORD);
        assertThat(json.at("/claims/3/driver").asText()).isEqualTo(RAILS);
        assertThat(json.at("/claims/3/devices/0/type").asText()).isEqualTo("rail");
    }

    @Test
    void showsAClaimOncePerDriver() throws IOException {
        rails();

        assertThat(cli.execute("claims", "show", "aaaa")).isEqualTo(ExitCode.OK);

        assertThat(out()).contains("device           node-1/channel-0").endsWith("""

                claim          team/worker-0-channel
                uid            aaaa
                driver         rdma.imexagent.io
                state          completed
                allocated      2026-01-02T03:04:05Z
                reserved for   pods/worker-0
                CDI file       /cdi/k8s.rdma.imexagent.io-claim_aaaa.yaml is missing
                device         node-1/rail-0000-03-00-0
                  requests     nics
                  CDI devices  k8s.rdma.imexagent.io/claim=aaaa-rail-0000-03-00-0
                """);
    }

    @Test
    void aRecordThatCannotBeReadKeepsTheOthersNotBackAndFailsTheCommand() throws IOException {
        Path record = rails().file();
        for (Path file : List.of(record, FileCheckpointStore.backupOf(record))) {
            Files.writeString(file, "{");
        }

        assertThat(cli.execute("claims", "list", "-o", "json")).isEqualTo(ExitCode.FAILED);
        assertThat(err()).startsWith("imex-agent: " + RAIL_RECORD);
        JsonNode json = new ObjectMapper().readTree(out());
        assertThat(json.get("claims")).hasSize(3);
        assertThat(json.at("/records/1/unreadable").asText()).startsWith(RAIL_RECORD);
        assertThat(cli.execute("claims", "show", "aaaa")).isEqualTo(ExitCode.FAILED);
        assertThat(out()).contains("channel-0");
    }

    @Test
    void saysWhereItLookedForTheClaimsOfBothDrivers() throws IOException {
        Files.delete(channels().file());
        Files.delete(FileCheckpointStore.backupOf(channels().file()));

        assertThat(cli.execute("claims", "list")).isEqualTo(ExitCode.OK);
        assertThat(out()).isEqualTo("no claims in " + RECORD + "\n");
        assertThat(cli.execute("claims", "list", "--set", "rdma.enabled=true")).isEqualTo(ExitCode.OK);
        assertThat(out()).isEqualTo("no claims in " + RECORD + " and " + RAIL_RECORD + "\n");
    }

    @Test
    void listsEveryClaim() {
        assertThat(cli.execute("claims", "list")).isEqualTo(ExitCode.OK);

        assertThat(out()).isEqualTo("""
                CLAIM                  UID   DRIVER                     STATE                         DEVICES    ALLOCATED             CDI FILE
                team/worker-0-channel  aaaa  compute-domain.nvidia.com  completed                     channel-0  2026-01-02T03:04:05Z  /cdi/k8s.compute-domain.nvidia.com-claim_aaaa.yaml
                team/worker-1-channel  bbbb  compute-domain.nvidia.com  started                       -          2026-01-02T03:04:05Z  -
                -                      cccc  compute-domain.nvidia.com  aborted 2026-01-02T03:05:00Z  -          -                     -
                """);
    }

    @Test
    void aCompletedClaimWithoutItsFileStandsOut() throws IOException {
        specs().remove(DONE);

        cli.execute("claims", "list");

        assertThat(out()).contains(SPEC + " is missing").doesNotContain("_bbbb.yaml");
    }

    @Test
    void aClaimThatGivesContainersNothingNeedsNoFile() throws IOException {
        byte[] recorded = getClass()
                .getResourceAsStream("/public-driver-0.5/without-clique.json")
                .readAllBytes();
        Files.write(channels().file(), recorded);

        assertThat(cli.execute("claims", "list")).isEqualTo(ExitCode.OK);
        assertThat(out())
                .contains("default/p-4-channel-fdlp9", "completed  channel-0  2026-11-26T18:03:10Z  -")
                .doesNotContain("missing");
        assertThat(cli.execute("claims", "show", "default/p-4-channel-fdlp9")).isEqualTo(ExitCode.OK);
        assertThat(out()).contains("CDI file         -", "CDI devices    none");
    }

    @Test
    void saysWhenItReadTheBackup() throws IOException {
        channels().save(LEDGER);
        Files.delete(channels().file());

        assertThat(cli.execute("claims", "list", "-o", "json")).isEqualTo(ExitCode.OK);
        assertThat(err())
                .startsWith("imex-agent: " + RECORD + " is missing; ")
                .contains("its backup " + RECORD + ".bak is read");
        JsonNode json = new ObjectMapper().readTree(out());
        assertThat(json.at("/records/0/file").asText()).isEqualTo(RECORD + ".bak");
        assertThat(json.at("/records/0/remark").asText()).contains("is missing");
        assertThat(cli.execute("claims", "show", "aaaa")).isEqualTo(ExitCode.OK);
        assertThat(err()).contains("its backup");
    }

    @Test
    void showsAClaimByUidAndByName() {
        String expected = """
                claim            team/worker-0-channel
                uid              aaaa
                driver           compute-domain.nvidia.com
                state            completed
                allocated        2026-01-02T03:04:05Z
                reserved for     pods/worker-0
                CDI file         /cdi/k8s.compute-domain.nvidia.com-claim_aaaa.yaml
                device           node-1/channel-0
                  requests       channel
                  CDI devices    k8s.compute-domain.nvidia.com/claim=aaaa-channel-0
                  ComputeDomain  domain-1
                """;

        assertThat(cli.execute("claims", "show", "aaaa")).isEqualTo(ExitCode.OK);
        assertThat(out()).isEqualTo(expected);
        assertThat(cli.execute("claims", "show", "team/worker-0-channel")).isEqualTo(ExitCode.OK);
        assertThat(out()).isEqualTo(expected);
    }

    @Test
    void anUnknownClaimIsAFailureThatSaysWhereToLook() {
        assertThat(cli.execute("claims", "show", "zzzz")).isEqualTo(ExitCode.FAILED);
        assertThat(err())
                .isEqualTo("imex-agent: no claim zzzz in " + RECORD + "; 'imex-agent claims list' lists them\n");
        assertThat(out()).isEmpty();
    }

    @Test
    void aClaimMustBeNamed() {
        assertThat(cli.execute("claims", "show")).isEqualTo(ExitCode.USAGE);
        assertThat(err()).contains("CLAIM");
    }

    @Test
    void printsJsonAndTheSameAsYaml() throws IOException {
        cli.execute("claims", "list", "-o", "json");
        var json = (ObjectNode) new ObjectMapper().readTree(out());
        cli.execute("claims", "list", "-o", "yaml");

        var yaml = (ObjectNode) new YAMLMapper().readTree(out());
        List.of(json, yaml).forEach(document -> document.remove("at"));
        assertThat(yaml).isEqualTo(json);
        assertThat(json.at("/records/0/file").asText()).isEqualTo(RECORD);
        assertThat(json.at("/records/0/bootId").asText()).isEqualTo("boot-1");
        assertThat(json.get("claims")).hasSize(3);
        assertThat(json.get("claims").get(0)).isEqualTo(new ObjectMapper().readTree("""
                {"uid": "aaaa", "driver": "compute-domain.nvidia.com", "namespace": "team", "name": "worker-0-channel", "state": "completed",
                 "allocatedAt": "2026-01-02T03:04:05Z",
                 "devices": [{"type": "channel", "channel": 0, "pool": "node-1", "device": "channel-0",
                   "requests": ["channel"], "cdiDeviceIds": ["k8s.compute-domain.nvidia.com/claim=aaaa-channel-0"],
                   "computeDomain": "domain-1"}],
                 "cdiFile": {"path": "/cdi/k8s.compute-domain.nvidia.com-claim_aaaa.yaml", "present": true}}"""));
        assertThat(json.get("claims").get(2).get("abortedAt").asText()).isEqualTo("2026-01-02T03:05:00Z");
    }

    @Test
    void forgetsAClaimOfBothDriversOnceThatIsConfirmed() throws IOException {
        KubeletStates.write(host.kubeletRoot(), "other");
        FileCheckpointStore rails = rails();
        cli.answering("y");

        assertThat(cli.execute("claims", "forget", "aaaa")).isEqualTo(ExitCode.OK);

        assertThat(recorded(channels())).isEmpty();
        assertThat(recorded(rails)).isEmpty();
        assertThat(specs().file(DONE)).doesNotExist();
        assertThat(cli.journal())
                .hasSize(2)
                .allSatisfy(
                        line -> assertThat(line).startsWith("claim forgotten claim=team/worker-0-channel uid=aaaa"));
        assertThat(out())
                .contains(
                        "device           node-1/channel-0",
                        "node-1/rail-0000-03-00-0",
                        "API server  did not tell: ",
                        "kubelet     does not have it\n")
                .endsWith(String.join("\n", cli.journal()) + "\n");
        assertThat(err()).endsWith("Forget this claim? [y/N] ");
    }

    @Test
    void showsWhatTheApiServerSays() throws IOException {
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions().token("secret", UserIdentity.ADMIN))) {
            api.writeKubeconfig(folder.resolve("kubelet.conf"), new Login.TokenLogin("secret"));

            assertThat(cli.execute("claims", "forget", "aaaa", "--yes")).isEqualTo(ExitCode.OK);
        }

        assertThat(out()).contains("API server  there is no claim team/worker-0-channel");
    }

    @Test
    void forgetsWithoutAskingWhereThatIsWanted() throws IOException {
        assertThat(cli.execute("claims", "forget", "bbbb", "--yes")).isEqualTo(ExitCode.OK);

        assertThat(cli.journal()).singleElement().asString().contains(" uid=bbbb driver=" + DRIVER);
        assertThat(recorded(channels())).containsExactly(DONE);
        assertThat(out()).contains("kubelet     has no dra_manager_state");
    }

    @Test
    void forgetsWhatOneDriverHasPrepared() throws IOException {
        FileCheckpointStore rails = rails();

        assertThat(cli.execute("claims", "forget", "aaaa", "--yes", "--driver", RAILS))
                .isEqualTo(ExitCode.OK);

        assertThat(recorded(rails)).isEmpty();
        assertThat(recorded(channels())).containsExactly(DONE);
    }

    @Test
    void forgetsNothingWithoutATerminalToAskOn() throws IOException {
        assertThat(cli.execute("claims", "forget", "aaaa")).isEqualTo(ExitCode.USAGE);

        assertNothingForgotten();
        assertThat(err())
                .endsWith("imex-agent: nothing was forgotten: standard input is no terminal to ask on; give --yes to"
                        + " go on\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "n", "yesterday"})
    void forgetsNothingWhereTheAnswerIsNotYes(String answer) throws IOException {
        assertThat(cli.answering(answer).execute("claims", "forget", "aaaa")).isEqualTo(ExitCode.FAILED);

        assertNothingForgotten();
    }

    @Test
    void doesNotForgetWhatTheKubeletHas() throws IOException {
        KubeletStates.write(host.kubeletRoot(), "aaaa");

        assertThat(cli.execute("claims", "forget", "aaaa", "--yes")).isEqualTo(ExitCode.FAILED);

        assertNothingForgotten();
        assertThat(out()).contains("kubelet     has it");
        assertThat(err()).contains("delete its pod", "/kubelet/dra_manager_state");
    }

    @Test
    void yesDoesNotDecideWhatTheKubeletsStateDoesNotTell() throws IOException {
        Files.writeString(host.kubeletRoot().resolve("dra_manager_state"), "foreign");

        assertThat(cli.execute("claims", "forget", "aaaa", "--yes")).isEqualTo(ExitCode.FAILED);

        assertNothingForgotten();
        assertThat(out()).contains("kubelet     did not tell: /kubelet/dra_manager_state");
        assertThat(err()).contains("nothing was forgotten", "crictl ps", "without --yes", "/kubelet/dra_manager_state");
    }

    @Test
    void whatNobodyCanTellIsForPeopleToDecide() throws IOException {
        Files.writeString(host.kubeletRoot().resolve("dra_manager_state"), "foreign");

        assertThat(cli.answering("yes").withoutJournal().execute("claims", "forget", "aaaa"))
                .isEqualTo(ExitCode.OK);

        assertThat(out())
                .contains("API server  did not tell: ", "kubelet     did not tell: /kubelet/dra_manager_state");
        assertThat(err())
                .contains("imex-agent: the journal did not take this line: claim forgotten claim=team/worker-0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"zzzz", "team/worker-0-channel", "cccc"})
    void forgetsOnlyWhatIsPreparedAndNamedByItsUid(String claim) throws IOException {
        assertThat(cli.execute("claims", "forget", claim, "--yes")).isEqualTo(ExitCode.FAILED);

        assertNothingForgotten();
        assertThat(err()).startsWith("imex-agent: no claim " + claim + " in " + RECORD);
    }

    @Test
    void showsOneClaimAsJson() throws IOException {
        cli.execute("claims", "show", "bbbb", "--output", "json");

        JsonNode claims = new ObjectMapper().readTree(out()).get("claims");
        assertThat(claims).hasSize(1);
        assertThat(claims.get(0).get("state").asText()).isEqualTo("started");
    }

    private void assertNothingForgotten() throws IOException {
        assertThat(recorded(channels())).containsExactly(DONE);
        assertThat(cli.journal()).isEmpty();
        assertThat(specs().file(DONE)).exists();
    }
}
