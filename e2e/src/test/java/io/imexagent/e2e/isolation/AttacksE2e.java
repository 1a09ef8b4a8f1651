package io.imexagent.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What a tenant with the role {@code edit} can do to others: nothing. An agent and two controllers run as processes with
 * the heap that they are shipped with; the server takes objects as large as the real one does. The ComputeDomain red is
 * the tenant's, blue is a neighbour's. After each attack all three live, and a workload comes and goes as ever.
 */
@ExtendWith(Worlds.class)
class AttacksE2e {

    private static final int PODS_OF_A_NODE = 110;
    private static final String OTHER_DRIVER = "gpu.example.com";

    private World world;
    private IsolatedCluster cluster;
    private AgentProcess agent;

    @BeforeEach
    void open(World opened) throws Exception {
        // Three channels, so that none may be lost.
        world = opened.with("imex.channels", "4");
        cluster = IsolatedCluster.withControllerProcesses(world);
        agent = cluster.startTwoDomains();
    }

    @AfterEach
    void neighboursAreNotHarmed() throws Exception {
        cluster.apply("smoke.yaml");
        cluster.awaitBound(agent, "imex-smoke");
        cluster.awaitPrepared(agent, "imex-smoke");
        assertThat(world.kubelet().unprepare(cluster.claim("imex-smoke"))).isInstanceOf(ClaimResult.ClaimDone.class);
        for (AgentProcess process : processes()) {
            process.awaitTrue("readiness", () -> world.get(process, "/readyz").startsWith("200"));
        }
    }

    @Test
    void whoDeletesDomainAndClaimWhileThePodRunsGivesItsChannelToNobody() throws Exception {
        cluster.awaitPrepared(agent, "red");
        int red = cluster.channel("red");
        KubeletClaimRequest claim = cluster.claim("red");
        cluster.strip(ResourceType.RESOURCE_CLAIMS, World.NAMESPACE, claim.name());
        cluster.strip(ResourceType.COMPUTE_DOMAINS, World.NAMESPACE, "red");

        cluster.awaitPrepared(agent, "blue");

        assertThat(cluster.channel("blue")).isNotEqualTo(red);
        assertThat(cluster.holds()).hasSize(2);
        assertThat(world.kubelet().unprepare(claim)).isInstanceOf(ClaimResult.ClaimDone.class);
        agent.awaitTrue("the channel to be free", () -> cluster.entries().size() == 1);
    }

    /** Ten at a time, as a quota may say, more than there are channels; one of each ten with a pod. */
    @Test
    void whoMakesAndDeletesDomainsAgainAndAgainUsesUpNoChannel() throws Exception {
        for (int round = 0; round < 13; round++) {
            List<String> domains =
                    IntStream.range(0, 10).mapToObj(i -> "churn-" + i).toList();
            domains.forEach(cluster::create);
            agent.awaitTrue(
                    "their templates",
                    () -> domains.stream()
                            .allMatch(domain -> cluster.domain(domain)
                                    .at("/status/status")
                                    .asText()
                                    .equals("Ready")));
            KubeletClaimRequest claim = cluster.schedule(World.NODE, "pod-" + round, uid("churn-0"));
            world.awaitPrepared(agent, claim);

            domains.forEach(this::delete);
            agent.awaitTrue(
                    "them to go",
                    () -> world.api().list(ResourceType.COMPUTE_DOMAINS).size() == 2);
            assertThat(world.kubelet().unprepare(claim)).isInstanceOf(ClaimResult.ClaimDone.class);
        }
        agent.awaitTrue("all channels to be free", () -> cluster.entries().isEmpty());
    }

    private void delete(String domain) {
        world.api()
                .edit(
                        ResourceType.COMPUTE_DOMAINS,
                        World.NAMESPACE,
                        domain,
                        object -> object.withObject("/metadata").put("deletionTimestamp", "2026-11-21T12:00:00Z"));
    }

    /** Nobody's parameters may be that deep; what nobody reads may. */
    @Test
    void whatIsNestedDeeplyStopsNobody() throws Exception {
        String brackets = "[".repeat(1_500) + "]".repeat(1_500);
        ObjectNode deep = Json.literal("{\"deep\":" + brackets + "}");
        ObjectNode template = Fixtures.claimTemplate(World.NAMESPACE, "deep", uid("red"));
        template.withArray("/spec/spec/devices/config").addObject().set("opaque", config(OTHER_DRIVER, deep));
        world.api().create(template);
        KubeletClaimRequest noted = cluster.schedule(World.NODE, "noted", uid("red"));
        nest(ResourceType.COMPUTE_DOMAINS, "red", deep, brackets);
        nest(ResourceType.RESOURCE_CLAIMS, noted.name(), deep, brackets);

        for (String driver : List.of(Fixtures.DRIVER, OTHER_DRIVER)) {
            KubeletClaimRequest claim =
                    cluster.schedule(World.NODE, "claim-" + driver, uid("red"), config(driver, deep));
            awaitRefused(claim, "[claim_unreadable]");
        }
        world.awaitPrepared(agent, noted);
        cluster.awaitPrepared(agent, "red");
    }

    private void nest(ResourceType type, String name, ObjectNode deep, String text) {
        world.api().edit(type, World.NAMESPACE, name, object -> {
            ObjectNode metadata = object.withObject("/metadata");
            metadata.withObject("/annotations").put(DriverNames.DOMAIN_ANNOTATION, text);
            metadata.withArray("/managedFields").addObject().set("fieldsV1", deep);
        });
    }

    @Test
    void aNodeFullOfLargeClaimsIsRefusedClaimByClaim() throws Exception {
        List<KubeletClaimRequest> large = claims(PODS_OF_A_NODE, 31);
        List<Future<ClaimResult>> asked;
        try (var kubelets = Executors.newVirtualThreadPerTaskExecutor()) {
            asked = large.stream()
                    .map(claim -> kubelets.submit(() -> world.kubelet().prepare(claim)))
                    .toList();
            cluster.awaitPrepared(agent, "blue");
        }
        for (Future<ClaimResult> answer : asked) {
            // Some are not told in time: so many calls at once are spread.
            assertThat(World.refusal(answer.get())).containsAnyOf("[claim_too_large]", "[api_unavailable]");
        }
    }

    @Test
    void largeObjectsAreNamedAndReadAroundAlsoByAnAgentThatStarts() throws Exception {
        for (int i = 0; i < 20; i++) {
            ObjectNode domain = Fixtures.computeDomain(World.NAMESPACE, "large-" + i, "", "large-" + i);
            // Before the controller makes one of that name.
            for (ObjectNode object :
                    List.of(Fixtures.claimTemplate(World.NAMESPACE, "large-" + i, Fixtures.uid(i)), domain)) {
                fill(object.withObject("/metadata"), i % 2 == 0);
                world.api().create(object);
            }
        }
        cluster.awaitPrepared(agent, "blue");
        agent.kill();
        // The ComputeDomains are tens of megabytes, which take longer than usual on a busy machine.
        world.with("prepare.answerWithin", "20s");
        agent = cluster.startAgent();

        awaitRefused(cluster.schedule(World.NODE, "unknown", Fixtures.uid(4711)), "[domain_not_found]");
        KubeletClaimRequest unnamed = cluster.schedule(World.NODE, "unnamed", uid("blue"));
        world.api()
                .edit(
                        ResourceType.RESOURCE_CLAIMS,
                        World.NAMESPACE,
                        unnamed.name(),
                        claim -> claim.withObject("/metadata").remove("annotations"));
        world.awaitPrepared(agent, unnamed);
        for (AgentProcess controller : cluster.controllers()) {
            controller.awaitTrue(
                    "what it cannot read",
                    () -> world.get(controller, "/readyz")
                            .matches("(?s).*10 of computedomains\\S+ cannot be read: default/large-.*"
                                    + "20 of resourceclaimtemplates\\S+ cannot be read: default/large-.*"));
        }
    }

    /** Adds to metadata what the server takes: annotations, and labels or finalizers. Nobody reads those labels of domains. */
    private static void fill(ObjectNode metadata, boolean labels) {
        metadata.withObject("/annotations").put("text", "x".repeat(256 * 1024 - 4));
        for (int i = 0; i < 4_100; i++) {
            String name = "x".repeat(240) + "/" + "y".repeat(50) + "-" + i;
            if (labels) {
                metadata.withObject("/labels").put(name, "value");
            } else {
                metadata.withArray("/finalizers").add(name);
            }
        }
    }

    @Test
    void theCheckpointKeepsNothingOfOtherDrivers() throws Exception {
        for (KubeletClaimRequest claim : claims(14, 30)) {
            awaitRefused(claim, "[claim_too_large]");
        }
        List<KubeletClaimRequest> largest = claims(40, 6);
        for (KubeletClaimRequest claim : largest) {
            world.awaitPrepared(agent, claim);
        }
        cluster.awaitPrepared(agent, "blue");
        assertThat(world.checkpoint()).doesNotContain(OTHER_DRIVER).hasSizeLessThan(200_000);
        agent.kill();
        agent = cluster.startAgent();

        for (KubeletClaimRequest claim : largest) {
            world.awaitPrepared(agent, claim);
            assertThat(world.kubelet().unprepare(claim)).isInstanceOf(ClaimResult.ClaimDone.class);
        }
    }

    /** Asks until a claim is refused for this, and not because the server was slow. */
    private void awaitRefused(KubeletClaimRequest claim, String code) throws InterruptedException {
        agent.awaitTrue(
                code, () -> World.refusal(world.kubelet().prepare(claim)).contains(code));
    }

    private String uid(String domain) {
        return cluster.domain(domain).at("/metadata/uid").asText();
    }

    /** Claims of the ComputeDomain red with as many configurations of another driver, as large as they may be. */
    private List<KubeletClaimRequest> claims(int count, int configs) {
        ObjectNode parameters = Json.object().put("text", "x".repeat(10 * 1024 - 11));
        ObjectNode[] more = Stream.generate(() -> config(OTHER_DRIVER, parameters))
                .limit(configs)
                .toArray(ObjectNode[]::new);
        return IntStream.range(0, count)
                .mapToObj(i -> cluster.schedule(World.NODE, "large-" + configs + "-" + i, uid("red"), more))
                .toList();
    }

    private static ObjectNode config(String driver, ObjectNode parameters) {
        ObjectNode config = Json.object().put("driver", driver);
        config.set("parameters", parameters);
        return config;
    }

    private List<AgentProcess> processes() {
        return Stream.concat(Stream.of(agent), cluster.controllers().stream()).toList();
    }
}
