package io.imexagent.kubernetes.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.core.slice.PoolSlice;
import io.imexagent.kubernetes.Claims.ClaimObject;
import io.imexagent.kubernetes.Claims.ClaimStatusText.WholeStatus;
import io.imexagent.kubernetes.ComputeDomains.DomainRef;
import io.imexagent.kubernetes.Slices.NodeRef;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the ports read of the objects that were captured from Kubernetes 1.36 clusters: one that ran the public driver, and
 * for NVLinkNode and NVLinkClique one that ran agent and controller. Who serves them makes no difference: the recorded
 * answers, or the API server double.
 */
abstract class RecordedObjectsContract {

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final Path RECORDED = Path.of("../e2e/src/test/resources/real-cluster");
    private static final String CLAIM = "imex-channel-injection-imex-channel-0-j8kfx";
    private static final ComputeDomainUid DOMAIN = new ComputeDomainUid("76c683e5-1b96-46ce-9ff0-37c93527edec");
    private static final CliqueId CLIQUE = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766");
    static final NodeRef NODE = new NodeRef("tb-node", "8941806a-7a59-4772-bfb4-0d5c3f66ae97");

    @TempDir
    Path folder;

    private HttpKubernetesApi api;
    private HttpControlPlane controlPlane;

    /** Serves an object as it was recorded. */
    abstract void serve(JsonNode recorded);

    /** The server's address; the token {@code hunter2} may read all of it. */
    abstract String url();

    @BeforeEach
    void connect() throws IOException {
        for (String kind :
                List.of("resourceclaim-allocated", "resourceslice", "computedomain", "nvlinknode", "nvlinkclique")) {
            serve(recorded(kind));
        }
        serve(recorded("resourceclaimtemplate-by-controller"));
        var fixture = new ClientFixture();
        api = fixture.client(folder, url(), "token: hunter2");
        controlPlane = fixture.controlPlane(folder, url(), Duration.ofSeconds(20));
    }

    @AfterEach
    void disconnect() {
        controlPlane.close();
        api.close();
    }

    static JsonNode recorded(String kind) throws IOException {
        return YAML.readTree(RECORDED.resolve(kind + ".yaml").toFile())
                .path("items")
                .get(0);
    }

    @Test
    void anAllocatedClaimIsReadWithItsWholeStatus() throws Exception {
        ClaimObject claim = api.claims().get(new ClaimName("default", CLAIM)).orElseThrow();

        assertThat(claim.uid()).isEqualTo("7f3c0156-3566-44cf-a6f8-8acd6bcbbf17");
        assertThat(claim.deleting()).isFalse();
        assertThat(claim.status())
                .isInstanceOfSatisfying(
                        WholeStatus.class,
                        status -> assertThat(read(status.json()))
                                .isEqualTo(read(recordedText("resourceclaim-allocated", "status"))));
    }

    @Test
    void aClaimThatIsNotThereIsNone() throws Exception {
        assertThat(api.claims().get(new ClaimName("default", "missing"))).isEmpty();
        assertThat(api.domains().named("default", "missing")).isEmpty();
        assertThat(controlPlane.template("default", "missing")).isEmpty();
    }

    @Test
    void theSlicesOfANodeAreThoseItOwns() throws Exception {
        List<ObservedSlice> slices =
                api.slices("compute-domain.nvidia.com", NODE.name()).list(NODE);

        assertThat(slices).singleElement().satisfies(slice -> {
            assertThat(slice.name()).isEqualTo("00000-compute-domain.nvidia.com-tb-node-7cxl9");
            assertThat(slice.ownedByNode()).isTrue();
            assertThat(slice.index()).hasValue(0);
            PoolSlice content = slice.content();
            assertThat(content.pool()).isEqualTo("tb-node");
            assertThat(content.generation()).isEqualTo(1);
            assertThat(content.sliceCount()).isEqualTo(1);
            assertThat(content.devices())
                    .singleElement()
                    .satisfies(device -> assertThat(device.name()).isEqualTo("channel-0"));
        });
    }

    @Test
    void aDomainIsFoundByItsNameAndByItsUid() throws Exception {
        Optional<DomainRef> expected = Optional.of(new DomainRef(DOMAIN, "default", "imex-channel-injection", false));

        assertThat(api.domains().named("default", "imex-channel-injection")).isEqualTo(expected);
        assertThat(api.domains().in("default", DOMAIN)).isEqualTo(expected);
    }

    @Test
    void theControllerFindsTheDomainAndTheTemplateThatItsForerunnerMade() throws Exception {
        assertThat(controlPlane.find(DOMAIN, "default")).hasValueSatisfying(domain -> {
            assertThat(domain.finalizers()).containsExactly("resource.nvidia.com/computeDomain");
            assertThat(domain.templateName()).isEqualTo("imex-channel-0");
            assertThat(domain.allocationMode()).isEqualTo("Single");
            assertThat(domain.ready()).isTrue();
        });
        assertThat(controlPlane.template("default", "imex-channel-0"))
                .hasValueSatisfying(
                        template -> assertThat(template.ref().uid()).isEqualTo("5530c338-86e7-4aef-a62a-a8c482af7e27"));
    }

    @Test
    void whatANodeHoldsAndWhichChannelsItsCliqueHasAreReadAsTheAgentWroteThem() throws Exception {
        DomainName red = domain("b3bbd97d-c2f4-4fdf-b5fe-de682d05c522", "team-a", "red");
        DomainName blue = domain("0c4bd93f-7b69-46d1-b9f0-c87b4f7c3376", "default", "blue");

        NvlinkNode node = api.fabric().nodes().get(NODE.name()).orElseThrow().content();
        NvlinkClique clique =
                api.fabric().cliques().get(CLIQUE.text()).orElseThrow().content();

        assertThat(node.cliques()).containsExactly(CLIQUE);
        assertThat(node.guarded()).isTrue();
        assertThat(node.channels()).hasValue(2048);
        assertThat(node.holds().values())
                .containsExactlyInAnyOrder(
                        new Hold(red, Optional.of(new ChannelId(1))), new Hold(blue, Optional.of(new ChannelId(2))));
        assertThat(clique.limit()).isEqualTo(2048);
        assertThat(clique.table().entries().values())
                .containsExactly(
                        new ChannelEntry(new ChannelId(1), red, NODE.name(), ChannelEntry.EntryState.ASSIGNED),
                        new ChannelEntry(new ChannelId(2), blue, NODE.name(), ChannelEntry.EntryState.ASSIGNED));
    }

    private static DomainName domain(String uid, String namespace, String name) {
        return new DomainName(new ComputeDomainUid(uid), namespace, name);
    }

    private static JsonNode read(String json) {
        try {
            return YAML.readTree(json);
        } catch (IOException e) {
            throw new AssertionError("not JSON: " + json, e);
        }
    }

    private static String recordedText(String kind, String field) {
        try {
            return recorded(kind).path(field).toString();
        } catch (IOException e) {
            throw new AssertionError("no recording of " + kind, e);
        }
    }
}
