package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.imexagent.agent.cli.ClaimRecords.CdiFile;
import io.imexagent.agent.cli.ClaimRecords.Reading;
import io.imexagent.agent.cli.ClaimRecords.Unreadable;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.checkpoint.KubeletClaims;
import io.imexagent.core.claim.AllocatedDevice;
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
import io.imexagent.dra.recovery.Sighting;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimsCommandsTest {

    private static final String DRIVER = "compute-domain.nvidia.com";
    private static final String RAILS = "rdma.imexagent.io";
    private static final Sighting ABSENT = new Sighting.Gone("there is no claim team/worker-0-channel");
    private static final ClaimUid DONE = new ClaimUid("aaaa");
    private static final ClaimUid BEGUN = new ClaimUid("bbbb");
    private static final ClaimUid GONE = new ClaimUid("cccc");
    private static final ClaimStatus STATUS = new ClaimStatus(
            Optional.of(new Allocation(
                    List.of(AllocatedDevice.of("channel", "compute-domain.nvidia.com", "node-1", "channel-0")),
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
                                    new PreparedDevice.Handed(
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

    private final CliFixture cli = new CliFixture().claims(config -> List.of(reading(true)));

    private static Reading reading(boolean present) {
        return new Reading(
                DRIVER,
                Path.of("/plugin/checkpoint.json"),
                LEDGER,
                Optional.empty(),
                uid -> new CdiFile(Path.of("/cdi/" + uid + ".yaml"), present && uid.equals(DONE)));
    }

    private static Reading none(String driver, String file) {
        return new Reading(
                driver,
                Path.of(file),
                Ledger.empty(Optional.empty()),
                Optional.empty(),
                uid -> new CdiFile(Path.of("/"), false));
    }

    /** The claim {@code aaaa} has a NIC as well. */
    private static Reading rails() {
        var rail = new PreparedDevice.Plain(new PreparedDevice.Handed(
                List.of("nics"),
                "node-1",
                "rail-0000-03-00-0",
                List.of("k8s.rdma.imexagent.io/claim=aaaa-rail-0000-03-00-0"),
                Optional.empty()));
        return new Reading(
                RAILS,
                Path.of("/rails/rails.state"),
                Ledger.empty(Optional.of(new BootId("boot-1")))
                        .with(new ClaimEntry.Completed(
                                DONE,
                                ClaimName.parse("team", "worker-0-channel"),
                                STATUS,
                                List.of(PreparedGroup.plain(List.of(rail))))),
                Optional.empty(),
                uid -> new CdiFile(Path.of("/cdi/rails-" + uid + ".yaml"), true));
    }

    @Test
    void listsTheClaimsOfBothDrivers() throws IOException {
        cli.claims(config -> List.of(reading(true), rails()));

        assertThat(cli.execute("claims", "list")).isEqualTo(ExitCode.OK);
        assertThat(cli.out().lines().map(line -> line.replaceAll(" +", " ")))
                .hasSize(5)
                .contains("team/worker-0-channel aaaa rdma.imexagent.io completed rail-0000-03-00-0"
                        + " 2026-01-02T03:04:05Z /cdi/rails-aaaa.yaml");
        cli.execute("claims", "list", "-o", "json");
        JsonNode json = new ObjectMapper().readTree(cli.out());
        assertThat(json.get("records").findValuesAsText("driver")).containsExactly(DRIVER, RAILS);
        assertThat(json.at("/records/1/file").asText()).isEqualTo("/rails/rails.state");
        assertThat(json.at("/claims/3/driver").asText()).isEqualTo(RAILS);
        assertThat(json.at("/claims/3/devices/0/type").asText()).isEqualTo("rail");
    }

    @Test
    void showsAClaimOncePerDriver() {
        cli.claims(config -> List.of(reading(true), rails()));

        assertThat(cli.execute("claims", "show", "aaaa")).isEqualTo(ExitCode.OK);

        assertThat(cli.out()).contains("device           node-1/channel-0").endsWith("""

                claim          team/worker-0-channel
                uid            aaaa
                driver         rdma.imexagent.io
                state          completed
                allocated      2026-01-02T03:04:05Z
                reserved for   pods/worker-0
                CDI file       /cdi/rails-aaaa.yaml
                device         node-1/rail-0000-03-00-0
                  requests     nics
                  CDI devices  k8s.rdma.imexagent.io/claim=aaaa-rail-0000-03-00-0
                """);
    }

    @Test
    void aRecordThatCannotBeReadKeepsTheOthersNotBackAndFailsTheCommand() throws IOException {
        var unreadable = new Unreadable(RAILS, "cannot read /rails/rails.state: Permission denied; run it as root");
        cli.claims(config -> List.of(reading(true), unreadable));

        assertThat(cli.execute("claims", "list", "-o", "json")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err())
                .isEqualTo("imex-agent: cannot read /rails/rails.state: Permission denied; run it as root\n");
        JsonNode json = new ObjectMapper().readTree(cli.out());
        assertThat(json.get("claims")).hasSize(3);
        assertThat(json.at("/records/1/unreadable").asText()).startsWith("cannot read");
        assertThat(cli.execute("claims", "show", "aaaa")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.out()).contains("channel-0");
    }

    @Test
    void saysWhereItLookedForTheClaimsOfBothDrivers() {
        cli.claims(config -> List.of(none(DRIVER, "/plugin/checkpoint.json"), none(RAILS, "/rails/rails.state")));

        assertThat(cli.execute("claims", "list")).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).isEqualTo("no claims in /plugin/checkpoint.json and /rails/rails.state\n");
    }

    @Test
    void listsEveryClaim() {
        assertThat(cli.execute("claims", "list")).isEqualTo(ExitCode.OK);

        assertThat(cli.out()).isEqualTo("""
                CLAIM                  UID   DRIVER                     STATE                         DEVICES    ALLOCATED             CDI FILE
                team/worker-0-channel  aaaa  compute-domain.nvidia.com  completed                     channel-0  2026-01-02T03:04:05Z  /cdi/aaaa.yaml
                team/worker-1-channel  bbbb  compute-domain.nvidia.com  started                       -          2026-01-02T03:04:05Z  -
                -                      cccc  compute-domain.nvidia.com  aborted 2026-01-02T03:05:00Z  -          -                     -
                """);
    }

    @Test
    void aCompletedClaimWithoutItsFileStandsOut() {
        cli.claims(config -> List.of(reading(false))).execute("claims", "list");

        assertThat(cli.out()).contains("/cdi/aaaa.yaml is missing").doesNotContain("/cdi/bbbb.yaml");
    }

    @Test
    void saysWhereItLookedWhenThereIsNone() {
        cli.claims(config -> List.of(none(DRIVER, "/plugin/checkpoint.json")));

        assertThat(cli.execute("claims", "list")).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).isEqualTo("no claims in /plugin/checkpoint.json\n");
    }

    @Test
    void saysWhenItReadTheBackup() throws IOException {
        cli.claims(config -> List.of(new Reading(
                DRIVER,
                Path.of("/plugin/checkpoint.json.bak"),
                LEDGER,
                Optional.of("/plugin/checkpoint.json is missing; its backup is read"),
                uid -> new CdiFile(Path.of("/"), false))));

        assertThat(cli.execute("claims", "list", "-o", "json")).isEqualTo(ExitCode.OK);
        assertThat(cli.err()).isEqualTo("imex-agent: /plugin/checkpoint.json is missing; its backup is read\n");
        JsonNode json = new ObjectMapper().readTree(cli.out());
        assertThat(json.at("/records/0/file").asText()).isEqualTo("/plugin/checkpoint.json.bak");
        assertThat(json.at("/records/0/remark").asText()).contains("is missing");
        assertThat(cli.execute("claims", "show", "aaaa")).isEqualTo(ExitCode.OK);
        assertThat(cli.err()).contains("its backup is read");
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
                CDI file         /cdi/aaaa.yaml
                device           node-1/channel-0
                  requests       channel
                  CDI devices    k8s.compute-domain.nvidia.com/claim=aaaa-channel-0
                  ComputeDomain  domain-1
                """;

        assertThat(cli.execute("claims", "show", "aaaa")).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).isEqualTo(expected);
        assertThat(cli.execute("claims", "show", "team/worker-0-channel")).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).isEqualTo(expected);
    }

    @Test
    void anUnknownClaimIsAFailureThatSaysWhereToLook() {
        assertThat(cli.execute("claims", "show", "zzzz")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err())
                .isEqualTo("imex-agent: no claim zzzz in /plugin/checkpoint.json; 'imex-agent claims list' lists"
                        + " them\n");
        assertThat(cli.out()).isEmpty();
    }

    @Test
    void aClaimMustBeNamed() {
        assertThat(cli.execute("claims", "show")).isEqualTo(ExitCode.USAGE);
        assertThat(cli.err()).contains("CLAIM");
    }

    @Test
    void printsJsonAndTheSameAsYaml() throws IOException {
        cli.execute("claims", "list", "-o", "json");
        JsonNode json = new ObjectMapper().readTree(cli.out());
        cli.execute("claims", "list", "-o", "yaml");

        assertThat(new YAMLMapper().readTree(cli.out())).isEqualTo(json);
        assertThat(json.at("/records/0/file").asText()).isEqualTo("/plugin/checkpoint.json");
        assertThat(json.at("/records/0/bootId").asText()).isEqualTo("boot-1");
        assertThat(json.get("claims")).hasSize(3);
        assertThat(json.get("claims").get(0)).isEqualTo(new ObjectMapper().readTree("""
                {"uid": "aaaa", "driver": "compute-domain.nvidia.com", "namespace": "team", "name": "worker-0-channel", "state": "completed",
                 "allocatedAt": "2026-01-02T03:04:05Z",
                 "devices": [{"type": "channel", "channel": 0, "pool": "node-1", "device": "channel-0",
                   "requests": ["channel"], "cdiDeviceIds": ["k8s.compute-domain.nvidia.com/claim=aaaa-channel-0"],
                   "computeDomain": "domain-1"}],
                 "cdiFile": {"path": "/cdi/aaaa.yaml", "present": true}}"""));
        assertThat(json.get("claims").get(2).get("abortedAt").asText()).isEqualTo("2026-01-02T03:05:00Z");
    }

    @Test
    void forgetsAClaimOfBothDriversOnceThatIsConfirmed() {
        var forgetter = new FakeForgetter(ABSENT, new KubeletClaims.Named(Set.of("other")));
        cli.claims(config -> List.of(reading(true), rails())).forget(forgetter).answering("y");

        assertThat(cli.execute("claims", "forget", "aaaa")).isEqualTo(ExitCode.OK);

        assertThat(forgetter.forgotten).containsExactly(DRIVER + " aaaa", RAILS + " aaaa");
        assertThat(cli.out())
                .contains("device           node-1/channel-0", "node-1/rail-0000-03-00-0")
                .endsWith("""

                API server  there is no claim team/worker-0-channel
                kubelet     does not have it
                forgotten compute-domain.nvidia.com aaaa
                forgotten rdma.imexagent.io aaaa
                """);
        assertThat(cli.err()).isEqualTo("Forget this claim? [y/N] ");
    }

    @Test
    void forgetsWithoutAskingWhereThatIsWanted() {
        var forgetter = new FakeForgetter(ABSENT, new KubeletClaims.Missing());

        assertThat(cli.forget(forgetter).execute("claims", "forget", "bbbb", "--yes"))
                .isEqualTo(ExitCode.OK);

        assertThat(forgetter.forgotten).containsExactly(DRIVER + " bbbb");
        assertThat(cli.out()).contains("kubelet     has no dra_manager_state");
        assertThat(cli.err()).isEmpty();
    }

    @Test
    void forgetsWhatOneDriverHasPrepared() {
        var forgetter = new FakeForgetter(ABSENT, new KubeletClaims.Missing());
        cli.claims(config -> List.of(reading(true), rails())).forget(forgetter);

        assertThat(cli.execute("claims", "forget", "aaaa", "--yes", "--driver", RAILS))
                .isEqualTo(ExitCode.OK);

        assertThat(forgetter.forgotten).containsExactly(RAILS + " aaaa");
    }

    @Test
    void forgetsNothingWithoutATerminalToAskOn() {
        var forgetter = new FakeForgetter(ABSENT, new KubeletClaims.Missing());

        assertThat(cli.forget(forgetter).execute("claims", "forget", "aaaa")).isEqualTo(ExitCode.USAGE);

        assertThat(forgetter.forgotten).isEmpty();
        assertThat(cli.err())
                .isEqualTo("imex-agent: nothing was forgotten: standard input is no terminal to ask on; give --yes to"
                        + " go on\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "n", "yesterday"})
    void forgetsNothingWhereTheAnswerIsNotYes(String answer) {
        var forgetter = new FakeForgetter(ABSENT, new KubeletClaims.Missing());

        assertThat(cli.forget(forgetter).answering(answer).execute("claims", "forget", "aaaa"))
                .isEqualTo(ExitCode.FAILED);

        assertThat(forgetter.forgotten).isEmpty();
    }

    @Test
    void doesNotForgetWhatTheKubeletHas() {
        var forgetter = new FakeForgetter(ABSENT, new KubeletClaims.Named(Set.of("aaaa")));

        assertThat(cli.forget(forgetter).execute("claims", "forget", "aaaa", "--yes"))
                .isEqualTo(ExitCode.FAILED);

        assertThat(forgetter.forgotten).isEmpty();
        assertThat(cli.out()).contains("kubelet     has it");
        assertThat(cli.err()).contains("delete its pod", "/var/lib/kubelet/dra_manager_state");
    }

    @Test
    void whatNobodyCanTellIsForPeopleToDecide() {
        var forgetter = new FakeForgetter(
                new Sighting.Untold("no connection"), new KubeletClaims.Unreadable("/k/dra_manager_state is foreign"));
        forgetter.inJournal = false;

        assertThat(cli.forget(forgetter).execute("claims", "forget", "aaaa", "--yes"))
                .isEqualTo(ExitCode.OK);

        assertThat(cli.out())
                .contains(
                        "API server  did not tell: no connection",
                        "kubelet     did not tell: /k/dra_manager_state is foreign");
        assertThat(cli.err())
                .isEqualTo("imex-agent: the journal did not take this line: forgotten " + DRIVER + " aaaa\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"zzzz", "team/worker-0-channel", "cccc"})
    void forgetsOnlyWhatIsPreparedAndNamedByItsUid(String claim) {
        assertThat(cli.execute("claims", "forget", claim, "--yes")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err()).startsWith("imex-agent: no claim " + claim + " in /plugin/checkpoint.json");
    }

    /** Remembers what it was to forget. */
    private static final class FakeForgetter implements Collaborators.ForgetSource {

        private final Collaborators.Witnesses witnesses;
        private final List<String> forgotten = new ArrayList<>();
        private boolean inJournal = true;

        FakeForgetter(Sighting apiServer, KubeletClaims kubelet) {
            witnesses = new Collaborators.Witnesses(apiServer, kubelet);
        }

        @Override
        public Collaborators.Witnesses ask(AgentConfig config, ClaimEntry entry) {
            return witnesses;
        }

        @Override
        public Collaborators.Forgotten forget(AgentConfig config, String driver, ClaimEntry entry) {
            forgotten.add(driver + " " + entry.uid());
            return new Collaborators.Forgotten("forgotten " + driver + " " + entry.uid(), inJournal);
        }
    }

    @Test
    void showsOneClaimAsJson() throws IOException {
        cli.execute("claims", "show", "bbbb", "--output", "json");

        JsonNode claims = new ObjectMapper().readTree(cli.out()).get("claims");
        assertThat(claims).hasSize(1);
        assertThat(claims.get(0).get("state").asText()).isEqualTo("started");
    }
}
