package io.imexagent.imex.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.imex.health.ImexReading.Applicability;
import io.imexagent.imex.health.QueryResult.Failure;
import io.imexagent.imex.health.Verdict.VerdictLevel;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Domains as the field showed them, and every way in which states of domain, nodes and connections may differ. */
class DomainVerdictsTest {

    private static final String READY = "READY";

    private static ImexHealth judged(String daemon, QueryResult<DomainReport> domain, String... host) {
        return HealthPlanner.judge(Readings.of(
                Instant.EPOCH,
                new ImexReading.ImexNode(new Applicability.Applicable(), true, NodeIdentity.of(List.of(host))),
                true,
                new UnitState(UnitState.ActiveState.ACTIVE),
                Optional.empty(),
                Optional.empty(),
                new QueryResult.QueryAnswered<>(PrintedState.of(daemon, DaemonState.values())),
                domain));
    }

    private static ImexHealth field(String daemon, String file, String... host) throws MalformedReport {
        return judged(daemon, new QueryResult.QueryAnswered<>(DomainJson.parse(ReportSpecimens.file(file))), host);
    }

    /** A row {@code CCD}, in letters of the tool's legend, is of a ready node, {@code -III} of one that did not answer. */
    private static DomainReport report(String state, int local, String... rows) {
        return new DomainReport(
                java.util.stream.IntStream.range(0, rows.length)
                        .mapToObj(index -> node(index, rows[index]))
                        .toList(),
                PrintedState.of(state, DomainState.values()),
                OptionalInt.of(local));
    }

    private static NodeReport node(int index, String row) {
        boolean silent = row.startsWith("-");
        boolean waiting = row.startsWith("w");
        var connections = new TreeMap<Integer, PrintedState<ConnectionState>>();
        String letters = silent || waiting ? row.substring(1) : row;
        for (int to = 0; to < letters.length(); to++) {
            String letter = letters.substring(to, to + 1);
            if (!letter.equals(".")) {
                connections.put(
                        to,
                        letter.equals("?")
                                ? new PrintedState<ConnectionState>("HALF_OPEN", Optional.empty())
                                : ConnectionState.ofLetter(
                                        "VMX".contains(letter) ? "!" + letter.replace('X', 'A') + "!" : letter));
            }
        }
        return new NodeReport(
                index,
                "10.0.0." + index,
                silent ? Optional.empty() : Optional.of("n" + index),
                PrintedState.of(
                        silent ? DaemonState.UNAVAILABLE : waiting ? DaemonState.WAITING_FOR_PEERS : DaemonState.READY),
                silent ? Optional.empty() : Optional.of("580.95.05"),
                connections);
    }

    @Test
    void aConnectionThatIsLostInOneDirectionDegradesADomainThatSaysUp() throws MalformedReport {
        for (String host : List.of("tray-0", "192.0.2.2", "TRAY-2.example.com")) {
            ImexHealth health = field(READY, "one-way-domain.json", host);

            assertThat(health.domain().label()).isEqualTo("degraded");
            assertThat(health.verdict().level()).isEqualTo(VerdictLevel.DEGRADED);
            assertThat(health.verdict().code()).isEqualTo("degraded");
            assertThat(health.verdict().summary()).isEqualTo("IMEX domain DEGRADED 3/3, nvidia-imex says UP");
            assertThat(health.verdict().cause()).isEqualTo("not connected: tray-1 to tray-2 (DISCONNECTED)");
            assertThat(health.verdict().nextStep()).contains("network between them");
        }
    }

    /** Node 1 says that it is connected to node 2; the row of this node, 0, has no word on node 2. */
    @Test
    void whatThisNodesOwnRowDoesNotMentionIsNotSeenFromHere() {
        ImexHealth health = judged(READY, new QueryResult.QueryAnswered<>(report("UP", 0, "CC.", "CCC", "-III")));

        assertThat(health.verdict().level()).isEqualTo(VerdictLevel.UP);
        assertThat(health.verdict().summary()).isEqualTo("IMEX domain UP 2/3");
        assertThat(health.verdict().cause()).startsWith("the command service of 10.0.0.2 cannot be reached");
        assertThat(judged(READY, new QueryResult.QueryAnswered<>(report("UP", 0, "CCC", "CCC", "-III")))
                        .verdict()
                        .summary())
                .isEqualTo("IMEX domain works as far as this node sees, 3/3 connected");
    }

    @Test
    void aNodeWhoseNameDiffersInCaseIsNotToldToStartItself() throws MalformedReport {
        ImexHealth health = field("WAITING_FOR_PEERS", "mixed-case-domain.json", "rack2-tray06", "192.0.2.6");

        assertThat(health.domain().report().orElseThrow().local()).hasValue(1);
        assertThat(health.verdict().level()).isEqualTo(VerdictLevel.DOWN);
        assertThat(health.verdict().cause())
                .isEqualTo("other nodes of nodes_config.cfg are not there yet, not ready: Rack2-Tray05");
        assertThat(health.verdict().nextStep()).startsWith("start nvidia-imex there");
        assertThat(health.notes()).isEmpty();
    }

    /** Also where the host has no name but the address of its Node: only this node answered. */
    @ParameterizedTest
    @ValueSource(strings = {"192.0.2.22 gpu-1022", "192.0.2.22", "GPU-1022.cluster.example."})
    void aNodeThatIsNamedByAnAddressIsFoundAllTheSame(String host) throws MalformedReport {
        ImexHealth health = field("WAITING_FOR_RECOVERY", "name-is-address-domain.json", host.split(" "));

        assertThat(health.domain().report().orElseThrow().local()).hasValue(1);
        assertThat(health.verdict().code()).isEqualTo("waiting-for-recovery");
        assertThat(health.verdict().cause()).endsWith("not ready: gpu-1021, gpu-1023");
    }

    @Test
    void peersWhoseCommandServiceCannotBeReachedAreConnectedAllTheSame() throws MalformedReport {
        ImexHealth health = field(READY, "peers-command-service-domain.json", "tray-2");

        assertThat(health.domain().label()).isEqualTo("up");
        assertThat(health.verdict().level()).isEqualTo(VerdictLevel.UP);
        assertThat(health.verdict().summary()).isEqualTo("IMEX domain works as far as this node sees, 4/4 connected");
        assertThat(health.verdict().cause())
                .startsWith("the command service of 192.0.2.1, 192.0.2.2, 192.0.2.4 cannot be reached from here");
        assertThat(health.verdict().nextStep()).contains("IMEX_CMD_PORT");
    }

    /**
     * The domain's word, the rows, and what is judged of it. Row 0 is this node's; letters are those of the tool, {@code .}
     * is no word, {@code V}, {@code M} and {@code X} refuse the other node (version, node map, authentication), {@code ?} is
     * a word without a meaning, {@code -} before a row a node that did not answer, {@code w} one that
     * waits.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            UP       | CCC CCC CCC   | UP       | ""
            UP       | CCC CCC CDC   | DEGRADED | not connected: n2 to n1 (DISCONNECTED)
            UP       | CDC CCC CCC   | DEGRADED | not connected: n0 to n1 (DISCONNECTED)
            UP       | CDC DCC CCC   | DEGRADED | not connected: n0 to n1 (DISCONNECTED)
            UP       | CDC NCC CCC   | DEGRADED | not connected: n0 to n1 (DISCONNECTED, NEVER_CONNECTED)
            UP       | C?C CCC CCC   | DEGRADED | not connected: n0 to n1 (HALF_OPEN)
            UP       | CIC CCC CCC   | DEGRADED | not connected: n0 to n1 (INVALID)
            UP       | CRA CCC CCC   | DEGRADED | not connected: n0 to n1 (RECOVERING), n0 to n2 (AUTHENTICATING)
            UP       | CCC CNC CCC   | DEGRADED | not connected: n1 to itself (NEVER_CONNECTED)
            UP       | C.C CCC CCC   | UP       | ""
            UP       | ... ... ...   | UP       | ""
            UP       | CCC wCCC CCC  | DEGRADED | not ready: n1
            UP       | CNC -III CNC  | DEGRADED | not ready: 10.0.0.1
            UP       | CCC -III CDC  | DEGRADED | not connected: n2 to 10.0.0.1 (DISCONNECTED); the command service of 10.0.0.1 cannot be reached
            UP       | CCC -III CCC  | UP       | the command service of 10.0.0.1 cannot be reached
            UP       | CCC -IID CCC  | DEGRADED | not connected: 10.0.0.1 to n2 (DISCONNECTED); the command service of 10.0.0.1 cannot be reached
            DEGRADED | CCC CCC CCC   | DEGRADED | every node is ready and no connection is lost
            DEGRADED | CNC -III CNC  | DEGRADED | not ready: 10.0.0.1
            DEGRADED | CCC -III -III | UP       | the command service of 10.0.0.1, 10.0.0.2 cannot be reached
            DEGRADED | CCN -III -III | DEGRADED | not ready: 10.0.0.2; the command service of 10.0.0.1 cannot be reached
            DEGRADED | C.C -III CCC  | DEGRADED | the command service of 10.0.0.1 cannot be reached
            DEGRADED | CDC -III CCC  | DEGRADED | not connected: n0 to 10.0.0.1 (DISCONNECTED); the command service of 10.0.0.1 cannot be reached
            DEGRADED | CCC CCD CDC   | DEGRADED | not connected: n1 to n2 (DISCONNECTED)
            DEGRADED | CVC CCC CCC   | DEGRADED | version mismatch between n0 and n1
            DOWN     | CCC CCC CCC   | DEGRADED | every node is ready and no connection is lost
            DOWN     | C.C CCC CCC   | DOWN     | every node is ready and no connection is lost
            DOWN     | CCC -III -III | DEGRADED | the command service of 10.0.0.1, 10.0.0.2 cannot be reached
            DOWN     | CNN -III -III | DOWN     | not ready: 10.0.0.1, 10.0.0.2
            DOWN     | CDC CCC CCC   | DOWN     | not connected: n0 to n1 (DISCONNECTED)
            DOWN     | CVC CCC CCC   | DOWN     | version mismatch between n0 and n1
            SPLIT    | CCC CCC CCC   | DEGRADED | the domain's state "SPLIT" is not known
            SPLIT    | CVC CCC CCC   | DEGRADED | version mismatch between n0 and n1
            DOWN     | -III -III -III | DEGRADED | no node answered 'nvidia-imex-ctl -N', this one included
            UP       | -III -III -III | DEGRADED | no node answered 'nvidia-imex-ctl -N', this one included
            """)
    void statesOfDomainNodesAndConnectionsAreJudgedApart(String state, String rows, VerdictLevel level, String cause) {
        Verdict verdict = judged(READY, new QueryResult.QueryAnswered<>(report(state, 0, rows.split(" "))))
                .verdict();

        assertThat(verdict.level()).isEqualTo(level);
        assertThat(verdict.cause())
                .startsWith(cause)
                .satisfies(said -> assertThat(said.isEmpty()).isEqualTo(cause.isEmpty()));
        assertThat(verdict.nextStep().isEmpty()).isEqualTo(cause.isEmpty());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            DOWN     | CCC CCC CCC    | DEGRADED 3/3, nvidia-imex says DOWN
            DOWN     | CCC CCD CDC    | DOWN 3/3
            DOWN     | -III CCC CCC   | DEGRADED 2/3, nvidia-imex says DOWN
            DOWN     | -III CCC DCC   | DOWN 2/3
            DOWN     | -III CCC -III  | DOWN 1/3
            UP       | CVC CCC CCC    | DEGRADED 3/3, nvidia-imex says UP, version mismatch
            UP       | CVX MCC XCC    | DEGRADED 3/3, nvidia-imex says UP, version mismatch, authentication error
            UP       | CCCV CCCC CCCC | DEGRADED 3/3, nvidia-imex says UP, version mismatch
            DEGRADED | CXC CCC CCC    | DEGRADED 3/3, authentication error
            DOWN     | CMC MCC CCC    | DOWN 3/3, node-map mismatch
            SPLIT    | CVC CCC CCC    | SPLIT 3/3, version mismatch
            """)
    void theSummaryHasTheJudgedStateTheWordWhereItDiffersAndEachKindOfRefusal(
            String word, String rows, String summary) {
        assertThat(judged(READY, new QueryResult.QueryAnswered<>(report(word, 0, rows.split(" "))))
                        .verdict()
                        .summary())
                .isEqualTo("IMEX domain " + summary);
    }

    /** Each pair once, each kind for itself, and beside them what is wrong with other nodes; all of it, in this order. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            UP       | CCVCCC CCCDCC VCCCCC CCCCCC CCCCCX CCCCCC | version mismatch between n0 and n2; authentication error between n4 and n5; not connected: n1 to n3 (DISCONNECTED)
            UP       | CVC VCC CCC                               | version mismatch between n0 and n1
            UP       | CVC DCC CCC                               | version mismatch between n0 and n1 (VERSION_MISMATCH, DISCONNECTED)
            UP       | CVC XCC CCC                               | version mismatch between n0 and n1 (VERSION_MISMATCH, AUTHENTICATION_ERROR)
            UP       | CCC XCC CCC                               | authentication error between n1 and n0
            UP       | CCC CMC CCC                               | node-map mismatch between n1 and itself
            DEGRADED | CVN VCN -III                              | version mismatch between n0 and n1; not ready: 10.0.0.2
            DEGRADED | CVC wCCC CCC                              | version mismatch between n0 and n1; not ready: n1
            DEGRADED | CVC VCC -III                              | version mismatch between n0 and n1; the command service of 10.0.0.2 cannot be reached from here, so what they say of their connections is not known
            DEGRADED | CCD CCC -IID                              | not connected: n0 to 10.0.0.2 (DISCONNECTED), 10.0.0.2 to itself (DISCONNECTED); the command service of 10.0.0.2 cannot be reached from here, so what they say of their connections is not known
            DEGRADED | CC.C CCCC CCCC -CDIC                      | not connected: 10.0.0.3 to n1 (DISCONNECTED); the command service of 10.0.0.3 cannot be reached from here, so what is shown of their connections may be old or incomplete
            UP       | CCC CCC -CCC                              | the command service of 10.0.0.2 cannot be reached from here, so what is shown of their connections may be old or incomplete
            UP       | CCCV CCCC CCCC                            | version mismatch between n0 and node 3
            DEGRADED | -III CCC CCC                              | this node's own command service does not answer under its address in nodes_config.cfg (10.0.0.0)
            DEGRADED | -III NCC NCC                              | not connected: n1 to 10.0.0.0 (NEVER_CONNECTED), n2 to 10.0.0.0 (NEVER_CONNECTED); this node's own command service does not answer under its address in nodes_config.cfg (10.0.0.0)
            DEGRADED | -III CCN -III                             | not ready: 10.0.0.2; this node's own command service does not answer under its address in nodes_config.cfg (10.0.0.0)
            DEGRADED | -III CCC CCD                              | not connected: n2 to itself (DISCONNECTED); this node's own command service does not answer under its address in nodes_config.cfg (10.0.0.0)
            """)
    void noCauseHidesAnother(String word, String rows, String cause) {
        assertThat(judged(READY, new QueryResult.QueryAnswered<>(report(word, 0, rows.split(" "))))
                        .verdict()
                        .cause())
                .isEqualTo(cause);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            DEGRADED | CCC CCC CCC  | see whether 'nvidia-imex-ctl -N' still says so             | named nodes
            DOWN     | CCC CCC CCC  | see whether 'nvidia-imex-ctl -N' still says so             | named nodes
            DEGRADED | CDC CCC CCC  | look at 'systemctl status nvidia-imex'                     | this node's
            UP       | CVX CCC CCC  | to one version, then restart nvidia-imex there; check that | named nodes
            UP       | CVD CCC CCC  | restart nvidia-imex there; look at 'systemctl status       | this node's
            DEGRADED | CVN VCN -III | restart nvidia-imex there; look at 'systemctl status       | this node's
            DEGRADED | -III CCC CCC | IMEX_CMD_BIND_INTERFACE_IP in its config.cfg               | workloads do not need it
            DEGRADED | CCC -III CCC | workloads do not need it                                   | this node's
            """)
    void theNextStepIsForWhatIsNamed(String word, String rows, String step, String other) {
        assertThat(judged(READY, new QueryResult.QueryAnswered<>(report(word, 0, rows.split(" "))))
                        .verdict()
                        .nextStep())
                .contains(step)
                .doesNotContain(other);
    }

    @Test
    void ofManyPairsThatRefuseEachOtherSomeAreNamed() {
        String cause = judged(
                        READY,
                        new QueryResult.QueryAnswered<>(report("UP", 0, "CVVVVVVV", "C", "C", "C", "C", "C", "C", "C")))
                .verdict()
                .cause();

        assertThat(cause).endsWith("n0 and n5 and 2 more");
    }

    @Test
    void aDaemonThatWaitsIsShownWhoIsMissingBesideWhoRefuses() {
        Verdict verdict = judged(
                        "WAITING_FOR_PEERS", new QueryResult.QueryAnswered<>(report("DOWN", 0, "wCVN", "VCN", "-III")))
                .verdict();

        assertThat(verdict.level()).isEqualTo(VerdictLevel.DOWN);
        assertThat(verdict.code()).isEqualTo("version-mismatch");
        assertThat(verdict.cause()).isEqualTo("version mismatch between n0 and n1; not ready: 10.0.0.2");
        assertThat(verdict.nextStep()).contains("to one version").contains("systemctl status nvidia-imex");
    }

    @Test
    void aDaemonThatWaitsWithAllOthersIsShownTheConnectionsAndNotToldToStartThem() {
        DomainReport waiting = report("DOWN", 0, "wCNC", "wCCC", "wCCC");

        Verdict verdict = judged("WAITING_FOR_PEERS", new QueryResult.QueryAnswered<>(waiting))
                .verdict();

        assertThat(verdict.cause()).endsWith("not there yet, not connected: n0 to n1 (NEVER_CONNECTED)");
        assertThat(verdict.nextStep()).doesNotContain("start nvidia-imex").contains("50000");
    }

    @Test
    void aDaemonThatWaitsIsNotToldToStartAPeerToWhichOthersAreConnected() {
        DomainReport waiting = report("DOWN", 0, "wCNN", "-III", "CCC");

        assertThat(judged("WAITING_FOR_PEERS", new QueryResult.QueryAnswered<>(waiting))
                        .verdict()
                        .cause())
                .endsWith("not connected: n0 to 10.0.0.1 (NEVER_CONNECTED), n0 to n2 (NEVER_CONNECTED)");
    }

    @Test
    void aHostThatStandsThereTwiceIsNotGuessed() {
        DomainReport twice = new DomainReport(
                List.of(
                        node(0, "CC"),
                        new NodeReport(
                                1,
                                "::ffff:10.0.0.0",
                                Optional.of("n0"),
                                PrintedState.of(DaemonState.READY),
                                Optional.of("1"),
                                node(1, "CC").connections())),
                PrintedState.of(DomainState.UP),
                OptionalInt.empty());

        ImexHealth health = judged(READY, new QueryResult.QueryAnswered<>(twice), "10.0.0.0");

        assertThat(health.domain().report().orElseThrow().local()).isEmpty();
        assertThat(health.notes())
                .singleElement()
                .asString()
                .startsWith("several nodes of the domain have an address or a name of this host: 0 (n0 (10.0.0.0)), 1");
    }

    @Test
    void aHostThatTheDomainDoesNotKnowIsNoted() {
        ImexHealth health = judged(READY, new QueryResult.QueryAnswered<>(ReportSpecimens.up(3)), "tray-9", "10.0.0.9");

        assertThat(health.notes())
                .singleElement()
                .asString()
                .startsWith("no node of the domain has an address or a name of this host");
    }

    @Test
    void twoNodesOfOneNameAreToldApart() {
        NodeReport one = node(0, "CD");
        NodeReport other = node(1, "CC");
        var clones =
                new DomainReport(List.of(named(one), named(other)), PrintedState.of(DomainState.UP), OptionalInt.of(0));

        assertThat(judged(READY, new QueryResult.QueryAnswered<>(clones))
                        .verdict()
                        .cause())
                .isEqualTo("not connected: gb200 (10.0.0.0) to gb200 (10.0.0.1) (DISCONNECTED)");
    }

    private static NodeReport named(NodeReport node) {
        return new NodeReport(
                node.index(), node.address(), Optional.of("gb200"), node.state(), node.version(), node.connections());
    }

    @Test
    void aLongNameIsFoundWhole() {
        String name = "a-rather-long-name-of-a-tray-in-a-rack-07.of-a-row.of-a-hall.of-a-site.example.com";
        NodeReport node = node(0, "CC");
        var report = new DomainReport(
                List.of(
                        new NodeReport(0, name, Optional.empty(), node.state(), node.version(), node.connections()),
                        node(1, "CC")),
                PrintedState.of(DomainState.UP),
                OptionalInt.empty());

        assertThat(judged(READY, new QueryResult.QueryAnswered<>(report), name.toUpperCase(java.util.Locale.ROOT))
                        .domain()
                        .report()
                        .orElseThrow()
                        .local())
                .hasValue(0);
    }

    @Test
    void eachReasonForAnUnknownDomainHasItsOwnNextStep() {
        List<String> steps = Arrays.stream(Failure.values())
                .map(failure -> judged(READY, new QueryResult.QueryFailed<>(failure, "why"))
                        .verdict())
                .peek(verdict -> assertThat(verdict)
                        .returns(VerdictLevel.DEGRADED, Verdict::level)
                        .returns("domain-unknown", Verdict::code)
                        .returns("why", Verdict::cause))
                .map(Verdict::nextStep)
                .toList();

        assertThat(steps).doesNotHaveDuplicates().doesNotContain("");
    }
}
