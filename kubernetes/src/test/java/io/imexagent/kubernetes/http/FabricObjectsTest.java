package io.imexagent.kubernetes.http;

import static io.imexagent.kubernetes.http.ClientFixture.failure;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.core.inventory.NodesFile;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.Outage;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.AgentReport;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeLinks;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import io.imexagent.kubernetes.clique.NodeMode;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** NVLinkNodes and NVLinkCliques against an API server that keeps versions as a real one does. */
class FabricObjectsTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final CliqueId CLIQUE = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766");
    private static final DomainName TRAIN =
            new DomainName(new ComputeDomainUid("76c683e5-1b96-46ce-9ff0-37c93527edec"), "team", "train");
    private static final DomainName SERVE =
            new DomainName(new ComputeDomainUid("76c683e5-1b96-46ce-9ff0-37c93527eded"), "team", "serve");

    @TempDir
    Path folder;

    private final ClientFixture fixture = new ClientFixture();
    private ApiDouble server;
    private HttpKubernetesApi api;

    @BeforeEach
    void start() throws IOException {
        server = ApiDouble.start(new ApiDoubleOptions().token("hunter2", UserIdentity.ADMIN));
        api = fixture.client(
                server.writeKubeconfig(folder.resolve("kubeconfig"), new Login.TokenLogin("hunter2")),
                Duration.ofSeconds(20));
    }

    @AfterEach
    void stop() {
        api.close();
        server.close();
    }

    @Test
    void aNodeIsReadAsItWasWritten() throws ApiException {
        Stored<NvlinkNode> made = api.fabric().nodes().create("tray-1", node(0));

        assertThat(made.content()).isEqualTo(node(0));
        assertThat(api.fabric().nodes().get("tray-1")).contains(made);
        assertThat(api.fabric().nodes().get("tray-2")).isEmpty();
    }

    @ParameterizedTest
    @MethodSource
    void whatTheAgentDoesIsReadAsItWasWritten(NodeMode mode) throws ApiException {
        NvlinkNode said = in(Optional.of(mode));

        assertThat(api.fabric().nodes().create("tray-1", said).content()).isEqualTo(said);
    }

    static List<NodeMode> whatTheAgentDoesIsReadAsItWasWritten() {
        return List.of(
                new NodeMode.ObservingMode(),
                new NodeMode.ChannelMode(Isolation.NONE),
                new NodeMode.ChannelMode(Isolation.IMEX_CHANNEL));
    }

    @Test
    void theStartOfNvidiaImexIsReadAsItWasWritten() throws ApiException {
        NvlinkNode plain = node(0);
        var started = new NvlinkNode(
                plain.session(),
                plain.write(),
                plain.cliques(),
                plain.boot(),
                plain.channels(),
                plain.holds(),
                plain.status().since(OptionalLong.of(71_000_001)),
                true);

        assertThat(api.fabric().nodes().create("tray-1", started).content()).isEqualTo(started);
    }

    /** Of an older agent, of a later one, or of whoever writes what he likes. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"mode\":\"Serving\"}",
                "{\"isolation\":\"None\"}",
                "{\"mode\":\"Paused\",\"isolation\":\"None\"}",
                "{\"mode\":\"Serving\",\"isolation\":\"IMEXGalaxy\"}",
                "{\"mode\":7}"
            })
    void aModeThatIsNotKnownIsNotToldAndTheHoldsCount(String status) throws Exception {
        server.apply(JSON.readTree("""
                {"apiVersion":"imexagent.io/v1alpha1","kind":"NVLinkNode","metadata":{"name":"tray-1"},
                 "spec":{"session":"s","write":1,"cliques":[],"holds":[{"computeDomain":"%s","namespace":"n","name":"d"}]},
                 "status":%s}""".formatted(TRAIN.uid(), status)));

        NvlinkNode read = api.fabric().nodes().get("tray-1").orElseThrow().content();

        assertThat(read.status().mode()).isEmpty();
        assertThat(read.holds()).containsKey(TRAIN.uid());
    }

    /** A node's agent is compromised: its clique's other nodes ask what it holds, and must get an answer. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"spec\":{\"bootID\":\" \"}",
                "\"status\":{\"clique\":\"none\"}",
                "\"status\":{\"imexSince\":\"yesterday\"}",
                "\"status\":{\"node\":\"Missing\",\"nodeSince\":\"yesterday\"}",
                "\"status\":{\"gpus\":-1,\"driver\":7,\"peers\":[],\"connections\":\"all\"}"
            })
    void whatCannotBeBesideTheHoldsHidesNeitherThemNorTheOtherNodes(String odd) throws Exception {
        ObjectNode object = (ObjectNode) JSON.readTree("""
                {"apiVersion":"imexagent.io/v1alpha1","kind":"NVLinkNode",
                 "metadata":{"name":"tray-2","labels":{"clique.imexagent.io/%s":""}},
                 "spec":{"session":"s","write":1,"cliques":["%s"],
                  "holds":[{"computeDomain":"%s","namespace":"n","name":"d"}]}}""".formatted(CLIQUE, CLIQUE, TRAIN.uid()));
        JsonNode fields = JSON.readTree("{" + odd + "}");
        object.withObject("/spec").setAll(fields.withObject("/spec"));
        object.set("status", fields.path("status"));
        server.apply(object);
        api.fabric().nodes().create("tray-1", node(0));

        List<Stored<NvlinkNode>> nodes = api.fabric().nodesOf(CLIQUE);

        assertThat(nodes).extracting(Stored::name).containsExactlyInAnyOrder("tray-1", "tray-2");
        assertThat(nodes).allMatch(node -> node.outage().isEmpty());
        assertThat(nodes).filteredOn(node -> node.name().equals("tray-2")).allSatisfy(node -> {
            assertThat(node.content().holds()).containsKey(TRAIN.uid());
            assertThat(node.content().boot()).isEmpty();
            assertThat(node.content().status().clique()).isEmpty();
            assertThat(node.content().status().imexSince()).isEmpty();
        });
    }

    private static NvlinkNode in(Optional<NodeMode> mode) {
        NvlinkNode plain = node(0);
        return new NvlinkNode(
                plain.session(),
                plain.write(),
                plain.cliques(),
                plain.boot(),
                plain.channels(),
                plain.holds(),
                plain.status().in(mode),
                true);
    }

    @Test
    void connectionsOfTheLargestDomainAreReadAsTheyWereWritten() throws ApiException {
        List<String> many = IntStream.range(0, 1000)
                .mapToObj(i -> "node-%035d".formatted(i))
                .toList();
        var links = NodeLinks.of(
                "self",
                Map.of(
                        LinkState.CONNECTED,
                        many,
                        LinkState.DEGRADED,
                        many,
                        LinkState.LOST,
                        many,
                        LinkState.UNKNOWN,
                        many));
        NodeStatus none = NodeStatus.NONE;
        NvlinkNode plain = node(0);
        var told = new NvlinkNode(
                plain.session(),
                plain.write(),
                plain.cliques(),
                plain.boot(),
                plain.channels(),
                plain.holds(),
                new NodeStatus(
                        none.clique(),
                        none.driver(),
                        0,
                        none.imex(),
                        none.imexSince(),
                        none.peers(),
                        Optional.of(links),
                        Optional.empty(),
                        OptionalLong.empty(),
                        Optional.empty(),
                        Optional.empty()),
                true);

        Stored<NvlinkNode> made = api.fabric().nodes().create("tray-1", told);

        assertThat(made.content()).isEqualTo(told);
        assertThat(links.unknown()).hasSize(256 * 41 - 1);
    }

    @Test
    void aNodeThatHoldsIsFoundByItsCliqueAndKeptByAFinalizer() throws ApiException {
        api.fabric().nodes().create("tray-1", node(0));

        JsonNode metadata = server.get(ResourceType.NVLINK_NODES, "", "tray-1")
                .orElseThrow()
                .path("metadata");
        assertThat(metadata.path("labels").has("clique.imexagent.io/" + CLIQUE)).isTrue();
        assertThat(metadata.path("finalizers").path(0).asText()).isEqualTo("imexagent.io/holds");
        assertThat(metadata.has("ownerReferences")).isFalse();
    }

    @Test
    void whoWritesOverWhatHasChangedIsRefused() throws ApiException {
        Stored<NvlinkNode> first = api.fabric().nodes().create("tray-1", node(0));
        Stored<NvlinkNode> second = api.fabric().nodes().replace(first, node(1));

        assertThat(second.content()).isEqualTo(node(1));
        assertThat(second.version()).isNotEqualTo(first.version());
        assertThat(failure(() -> api.fabric().nodes().replace(first, node(2))).kind())
                .isEqualTo(FailureKind.CONFLICT);
        assertThat(failure(() -> api.fabric().nodes().create("tray-1", node(2))).kind())
                .isEqualTo(FailureKind.CONFLICT);
        assertThat(api.fabric().nodes().get("tray-1")).contains(second);
    }

    @Test
    void aWriteThatChangesNothingMakesNoVersion() throws ApiException {
        Stored<NvlinkNode> first = api.fabric().nodes().create("tray-1", node(0));

        assertThat(api.fabric().nodes().replace(first, node(0))).isEqualTo(first);
    }

    @Test
    void anotherObjectOfTheNameIsNotWrittenOver() throws ApiException {
        Stored<NvlinkNode> gone = api.fabric().nodes().create("tray-1", node(0));
        assertThat(server.remove(ResourceType.NVLINK_NODES, "", "tray-1")).isTrue();
        assertThat(failure(() -> api.fabric().nodes().replace(gone, node(1))).kind())
                .isEqualTo(FailureKind.NOT_FOUND);
        Stored<NvlinkNode> other = api.fabric().nodes().create("tray-1", node(2));

        var confused = new Stored<>("tray-1", gone.uid(), other.version(), false, gone.content());
        assertThat(failure(() -> api.fabric().nodes().replace(confused, node(1)))
                        .kind())
                .isEqualTo(FailureKind.CONFLICT);
    }

    @Test
    void whatTheControllerSaysOfANodeStaysWhenItsAgentWrites() throws ApiException {
        var outage = Optional.of(new Outage(Outage.OutageState.NOT_READY, Instant.parse("2026-11-26T12:00:00Z")));
        Stored<NvlinkNode> made = api.fabric().nodes().create("tray-1", node(0));
        assertThat(made.outage()).isEmpty();

        Stored<NvlinkNode> marked = api.fabric().mark(made, outage);
        assertThat(marked.outage()).isEqualTo(outage);
        assertThat(marked.content()).isEqualTo(made.content());
        assertThat(failure(() -> api.fabric().mark(made, outage)).kind()).isEqualTo(FailureKind.CONFLICT);

        Stored<NvlinkNode> written = api.fabric().nodes().replace(marked, node(1));
        assertThat(written.outage()).isEqualTo(outage);

        assertThat(api.fabric().mark(written, Optional.empty()).outage()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2048})
    void aCountOfChannelsIsReadAsItWasWritten(int count) throws ApiException {
        NvlinkNode plain = node(0);
        var counted = new NvlinkNode(
                plain.session(),
                plain.write(),
                plain.cliques(),
                plain.boot(),
                OptionalInt.of(count),
                plain.holds(),
                plain.status(),
                true);

        assertThat(api.fabric().nodes().create("tray-1", counted).content()).isEqualTo(counted);
    }

    @Test
    void aTableKeepsTheNodeThatLimitsIt() throws ApiException {
        var limited = new NvlinkClique(8, Optional.of("tray-1"), ChannelTable.EMPTY);

        Stored<NvlinkClique> made = api.fabric().cliques().create(CLIQUE.text(), limited);

        assertThat(made.content()).isEqualTo(limited);
        ChannelTable more = ChannelTable.of(List.of(entry(1, SERVE, ChannelEntry.EntryState.ASSIGNED)));
        assertThat(api.fabric()
                        .cliques()
                        .replace(made, made.content().with(more))
                        .content())
                .isEqualTo(new NvlinkClique(8, Optional.of("tray-1"), more));
    }

    @Test
    void aTableIsReplacedAsAWhole() throws Exception {
        server.apply(JSON.readTree("""
                {"apiVersion":"imexagent.io/v1alpha1","kind":"NVLinkClique","metadata":{"name":"%s"},
                 "spec":{"limit":2048,"channels":[{"id":7,"computeDomain":"76c683e5-1b96-46ce-9ff0-37c93527edec","namespace":"team","name":"train",
                 "by":"tray-1","state":"Releasing"}]}}""".formatted(CLIQUE)));
        Stored<NvlinkClique> read = api.fabric().cliques().get(CLIQUE.text()).orElseThrow();
        assertThat(read.content())
                .isEqualTo(new NvlinkClique(
                        2048,
                        Optional.empty(),
                        ChannelTable.of(List.of(entry(7, TRAIN, ChannelEntry.EntryState.RELEASING)))));

        var changed = new NvlinkClique(
                2048,
                Optional.empty(),
                ChannelTable.of(List.of(
                        entry(7, TRAIN, ChannelEntry.EntryState.ASSIGNED),
                        entry(1, SERVE, ChannelEntry.EntryState.ASSIGNED))));
        Stored<NvlinkClique> written = api.fabric().cliques().replace(read, changed);

        assertThat(written.content()).isEqualTo(changed);
        assertThat(failure(() -> api.fabric().cliques().replace(read, changed)).kind())
                .isEqualTo(FailureKind.CONFLICT);
    }

    @Test
    void anObjectThatLostItsLabelIsNotWhatItsNodeWrote() throws Exception {
        Stored<NvlinkNode> made = api.fabric().nodes().create("tray-1", node(0));
        ObjectNode object = server.get(ResourceType.NVLINK_NODES, "", "tray-1")
                .orElseThrow()
                .deepCopy();
        object.withObject("/metadata").remove("labels");
        server.apply(object);

        NvlinkNode bare = api.fabric().nodes().get("tray-1").orElseThrow().content();
        assertThat(bare.guarded()).isFalse();
        assertThat(bare).isNotEqualTo(made.content());
    }

    @Test
    void theControllerFindsWhoHoldsInACliqueAndWhoCannotBeReadFailsTheList() throws Exception {
        Stored<NvlinkNode> made = api.fabric().nodes().create("tray-1", node(0));
        try (HttpControlPlane cluster = fixture.controlPlane(
                server.writeKubeconfig(folder.resolve("controller"), new Login.TokenLogin("hunter2")),
                Duration.ofSeconds(20))) {
            assertThat(cluster.fabric().nodesOf(CLIQUE)).containsExactly(made);
            assertThat(cluster.fabric().nodesOf(new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.1")))
                    .isEmpty();

            server.apply(JSON.readTree("""
                    {"apiVersion":"imexagent.io/v1alpha1","kind":"NVLinkNode","metadata":{"name":"tray-2",
                     "labels":{"%s":""}},"spec":{"cliques":["elsewhere"]}}""".formatted(FabricObjects.label(CLIQUE))));
            assertThat(failure(() -> cluster.fabric().nodesOf(CLIQUE)).kind()).isEqualTo(FailureKind.UNREADABLE);
        }
    }

    @Test
    void theControllerDeletesWhatHasNotChangedAndTakesItsFinalizerOff() throws Exception {
        Stored<NvlinkNode> first = api.fabric().nodes().create("tray-1", node(0));
        try (HttpControlPlane cluster = fixture.controlPlane(
                server.writeKubeconfig(folder.resolve("controller"), new Login.TokenLogin("hunter2")),
                Duration.ofSeconds(20))) {
            Stored<NvlinkNode> second = api.fabric().nodes().replace(first, node(1));
            assertThat(failure(() -> {
                                cluster.fabric().nodes().delete(first);
                                return "";
                            })
                            .kind())
                    .isEqualTo(FailureKind.CONFLICT);
            cluster.fabric().nodes().delete(second);
            assertThat(api.fabric().nodes().get("tray-1")).isEmpty();

            Stored<NvlinkClique> table = cluster.fabric()
                    .cliques()
                    .create(CLIQUE.text(), new NvlinkClique(8, Optional.empty(), ChannelTable.EMPTY));
            assertThat(api.fabric().cliques().get(CLIQUE.text())).contains(table);
            cluster.fabric().cliques().delete(table);
            assertThat(api.fabric().cliques().get(CLIQUE.text())).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"holds\":[{\"namespace\":\"team\",\"name\":\"train\"}]}",
                "{\"holds\":[{\"computeDomain\":\"u\",\"namespace\":\"team\",\"name\":\"train\",\"channel\":-1}]}",
                "{\"holds\":[{\"computeDomain\":\"u\",\"namespace\":\"team\",\"name\":\"train\",\"channel\":\"3\"}]}",
                "{\"cliques\":[\"elsewhere\"]}"
            })
    void whatNoAgentWritesIsUnreadableAsAWhole(String spec) throws Exception {
        server.apply(JSON.readTree("""
                {"apiVersion":"imexagent.io/v1alpha1","kind":"NVLinkNode","metadata":{"name":"tray-1"},"spec":%s}""".formatted(spec)));

        assertThat(failure(() -> api.fabric().nodes().get("tray-1")).kind()).isEqualTo(FailureKind.UNREADABLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"limit\":8}",
                "{\"channels\":[{\"id\":1,\"computeDomain\":\"u\",\"namespace\":\"n\",\"name\":\"d\",\"by\":\"x\",\"state\":\"Assigned\"},"
                        + "{\"id\":1,\"computeDomain\":\"v\",\"namespace\":\"n\",\"name\":\"e\",\"by\":\"x\",\"state\":\"Assigned\"}]}",
                "{\"channels\":[{\"id\":0,\"computeDomain\":\"u\",\"namespace\":\"n\",\"name\":\"d\",\"by\":\"x\",\"state\":\"Assigned\"}]}",
                "{\"channels\":[{\"id\":1,\"computeDomain\":\"u\",\"namespace\":\"n\",\"name\":\"d\",\"by\":\"x\",\"state\":\"Free\"}]}"
            })
    void aTableOfWhichAnEntryCouldBeMissedIsUnreadableAsAWhole(String spec) throws Exception {
        server.apply(JSON.readTree("""
                {"apiVersion":"imexagent.io/v1alpha1","kind":"NVLinkClique","metadata":{"name":"%s"},"spec":%s}""".formatted(CLIQUE, spec)));

        assertThat(failure(() -> api.fabric().cliques().get(CLIQUE.text())).kind())
                .isEqualTo(FailureKind.UNREADABLE);
    }

    private static NvlinkNode node(long write) {
        return new NvlinkNode(
                "session",
                write,
                new TreeSet<>(Set.of(CLIQUE)),
                Optional.of(new BootId("boot")),
                OptionalInt.of(2048),
                NvlinkNode.byDomain(List.of(
                        new Hold(TRAIN, Optional.of(new ChannelId(7)), true), new Hold(SERVE, Optional.empty()))),
                new NodeStatus(
                                Optional.of(CLIQUE),
                                Optional.of("580.95.05"),
                                4,
                                Optional.of("up"),
                                Optional.of(Instant.parse("2026-07-28T08:00:00Z")),
                                Optional.of("17/18"),
                                Optional.of(new NodeLinks("10.0.0.1", "10.0.0.2 10.0.0.3", "", "10.0.0.4", "")),
                                Optional.empty(),
                                OptionalLong.empty(),
                                Optional.empty(),
                                Optional.empty())
                        .with(Optional.of(NodesFile.of(
                                List.of("10.0.0.1", "tray-2"), NodeIdentity.of(List.of("10.0.0.9")), true)))
                        .reporting(Optional.of(new AgentReport(
                                "0.3.0",
                                4,
                                "NVIDIA GB200",
                                "critical:gpu-lost",
                                Optional.of(Instant.parse("2026-07-28T08:00:00Z")),
                                "1,79,2,2026-07-28T08:00:00Z"))),
                true);
    }

    private static ChannelEntry entry(int id, DomainName domain, ChannelEntry.EntryState state) {
        return new ChannelEntry(new ChannelId(id), domain, "tray-1", state);
    }
}
