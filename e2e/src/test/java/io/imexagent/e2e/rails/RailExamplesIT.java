package io.imexagent.e2e.rails;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.agent.Rails;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.isolation.IsolatedCluster;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The templates of {@code rdma-rails.yaml}: the scheduler evaluates the CEL of classes and requests over the slices that
 * an agent has published for a GB200 tray, and the agent prepares what was allocated.
 */
@ExtendWith(Worlds.class)
class RailExamplesIT {

    private static final String RDMA0 = "rail-0000-03-00-0";
    private static final String RDMA1 = "rail-0002-03-00-0";
    private static final String RDMA2 = "rail-0010-03-00-0";
    private static final String RDMA3 = "rail-0012-03-00-0";
    private static final List<String> ALL = List.of(RDMA0, RDMA1, RDMA2, RDMA3);

    @Test
    void eachTemplateIsGivenTheDevicesThatItSaysAndTheAgentPreparesThem(World world) throws Exception {
        try (var tray = Tray.open(world)) {
            tray.gpus("pci0008:00", "pci0009:00", "pci0018:00", "pci0019:00");

            assertThat(tray.given("one-rail")).containsExactly(RDMA0);
            assertThat(tray.given("all-rails")).isEqualTo(ALL);
            assertThat(tray.given("two-rails-of-one-numa-node")).containsExactly(RDMA0, RDMA1);
            assertThat(tray.given("rails-near-gpu-0")).containsExactly(RDMA0, RDMA1);
            assertThat(tray.given("gpu-2-with-its-rails")).containsExactly("gpu-2", RDMA2, RDMA3);
            assertThat(tray.given("rails-with-debug")).isEqualTo(ALL);
            assertThat(tray.variables)
                    .contains(
                            "NCCL_IB_HCA==mlx5_0,mlx5_1,mlx5_4,mlx5_5",
                            "NCCL_DEBUG=INFO",
                            "NCCL_DEBUG_SUBSYS=NET",
                            "NCCL_TOPO_FILE=/workspace/nccl-topo.xml");
        }
    }

    @Test
    void whereTheFirstNodeIsTakenTheOtherOneIsGiven(World world) throws Exception {
        try (var tray = Tray.open(world)) {
            tray.pod("one", "one-rail");
            tray.pod("two", "two-rails-of-one-numa-node");
            assertThat(tray.cluster.scheduler().pass()).isEmpty();
            tray.pod("all", "all-rails");

            assertThat(tray.cluster.scheduler().pass().get("default/all"))
                    .contains("request rails wants all devices, and " + RDMA0 + " is held");
            assertThat(tray.cluster.devices(tray.cluster.claim("one"))).containsExactly(RDMA0);
            assertThat(tray.cluster.devices(tray.cluster.claim("two"))).containsExactly(RDMA2, RDMA3);
            tray.cluster.scheduler().end(World.NAMESPACE, "one");
            tray.cluster.scheduler().end(World.NAMESPACE, "two");
            assertThat(tray.cluster.scheduler().pass()).isEmpty();
        }
    }

    @Test
    void aSelectorThatMatchesNothingLeavesItsPodPending(World world) throws Exception {
        try (var tray = Tray.open(world)) {
            world.api()
                    .edit(
                            ResourceType.RESOURCE_CLAIM_TEMPLATES,
                            World.NAMESPACE,
                            "rails-near-gpu-0",
                            template -> ((ObjectNode)
                                            template.at("/spec/spec/devices/requests/0/exactly/selectors/0/cel"))
                                    .put("expression", "device.attributes['rdma.imexagent.io'].rateGbps >= 4000"));
            tray.pod("fast", "rails-near-gpu-0");

            assertThat(tray.cluster.scheduler().pass().get("default/fast")).contains("request rails finds no device");
        }
    }

    @Test
    void onGraceNoNicSharesTheRootOfAGpuAndElsewhereTheOneThatDoesIsGiven(World world) throws Exception {
        try (var tray = Tray.open(world)) {
            tray.gpus("pci0008:00", "pci0009:00");
            tray.pod("aligned", "gpu-with-its-rail");
            assertThat(tray.cluster.scheduler().pass().get("default/aligned"))
                    .contains("request rail finds no device with the same resource.kubernetes.io/pcieRoot");

            tray.gpus("pci0008:00", "pci0010:00");
            assertThat(tray.cluster.scheduler().pass()).isEmpty();
            assertThat(tray.cluster.devices(tray.cluster.claim("aligned"))).containsExactly("gpu-1", RDMA2);
        }
    }

    @Test
    void aGpuAndARailOfOneNumaNodeAreGivenTogether(World world) throws Exception {
        try (var tray = Tray.open(world)) {
            tray.gpus("pci0008:00", "pci0009:00");
            tray.pod("near", "gpu-and-rail-of-one-numa-node");

            assertThat(tray.cluster.scheduler().pass()).isEmpty();
            assertThat(tray.cluster.devices(tray.cluster.claim("near"))).containsExactly("gpu-0", RDMA2);
        }
    }

    @Test
    void aRailThatIsDownAndStillListedKeepsBackWhoWantsAllAndIsGivenToNobody(World world) throws Exception {
        world.with("rdma.taint", "true").with("rdma.settleAfter", "0s");
        try (var tray = Tray.open(world)) {
            tray.tree.change("mlx5_0", nic -> nic.port("1: DOWN", "3: Disabled"));
            tray.agent.awaitTrue(
                    "the taint",
                    () -> tray.rails
                                    .slices()
                                    .getFirst()
                                    .at("/spec/devices/0/taints")
                                    .size()
                            == 1);
            tray.pod("all", "all-rails");
            tray.pod("two", "two-rails-of-one-numa-node");

            assertThat(tray.cluster.scheduler().pass())
                    .containsOnlyKeys("default/all")
                    .allSatisfy((pod, why) -> assertThat(why).contains(RDMA0 + " is tainted"));
            assertThat(tray.cluster.devices(tray.cluster.claim("two"))).containsExactly(RDMA2, RDMA3);
        }
    }

    @Test
    void onePodWithChannelAndRailsIsPreparedAndUnpreparedInEitherOrder(World world) throws Exception {
        try (var tray = Tray.open(world, true)) {
            tray.cluster.awaitBound(tray.agent, "train");
            KubeletClaimRequest channel = tray.cluster.claim("train", 0);
            KubeletClaimRequest rails = tray.cluster.claim("train", 1);
            assertThat(tray.cluster.devices(rails)).isEqualTo(ALL);

            tray.cluster.awaitPrepared(tray.agent, "train");
            assertThat(tray.rails.prepare(rails)).isInstanceOf(ClaimResult.ClaimDone.class);
            assertBoth(world, tray, channel, rails);
            assertThat(tray.rails.unprepare(rails)).isInstanceOf(ClaimResult.ClaimDone.class);
            assertThat(world.host().cdiFiles(channel.uid())).hasSize(1);
            assertThat(world.kubelet().unprepare(channel)).isInstanceOf(ClaimResult.ClaimDone.class);
            assertThat(world.host().cdiFiles()).isEmpty();

            assertThat(tray.rails.prepare(rails)).isInstanceOf(ClaimResult.ClaimDone.class);
            tray.cluster.awaitPrepared(tray.agent, "train");
            assertBoth(world, tray, channel, rails);
            assertThat(world.kubelet().unprepare(channel)).isInstanceOf(ClaimResult.ClaimDone.class);
            assertThat(world.host().cdiFiles(rails.uid()))
                    .containsExactly(tray.rails.variables(rails), tray.rails.spec(rails));
            assertThat(tray.rails.unprepare(rails)).isInstanceOf(ClaimResult.ClaimDone.class);
            assertThat(world.host().cdiFiles()).isEmpty();
        }
    }

    /** Each driver has its own claim in its own file, and nothing of the other's. */
    private static void assertBoth(World world, Tray tray, KubeletClaimRequest channel, KubeletClaimRequest rails)
            throws Exception {
        assertThat(tray.cluster.spec(channel)).contains("imex-channels").doesNotContain("infiniband", "NCCL");
        assertThat(tray.rails.variables(rails)).content().contains("NCCL_IB_HCA");
        assertThat(Files.readString(tray.rails.spec(rails)))
                .contains("/dev/infiniband/uverbs0")
                .doesNotContain("imex-channels");
        assertThat(world.checkpoint()).contains(channel.uid()).doesNotContain(rails.uid());
        assertThat(tray.rails.state()).contains(rails.uid()).doesNotContain(channel.uid());
    }

    /** A GB200 tray in a cluster with the examples, whose agent has published its rails. */
    private static final class Tray implements AutoCloseable {

        private final World world;
        private final RdmaTree tree;
        private final IsolatedCluster cluster;
        private final Rails rails;
        private final AgentProcess agent;
        private String variables = "";
        private int pods;

        private Tray(World world, RdmaTree tree, IsolatedCluster cluster) throws Exception {
            this.world = world;
            this.tree = tree;
            this.cluster = cluster;
            this.rails = new Rails(world);
            this.agent = cluster.startAgent();
            agent.awaitTrue("both drivers to be registered", () -> world.registrations() == 2);
            agent.awaitTrue("four rails", () -> rails.published().equals(ALL));
        }

        /** With the templates alone. */
        static Tray open(World world) throws Exception {
            return open(world, false);
        }

        static Tray open(World world, boolean withPod) throws Exception {
            RdmaTree tree = RdmaTree.gb200(world.host().root());
            IsolatedCluster cluster = IsolatedCluster.withRails(world);
            cluster.apply("rdma-rails.yaml");
            if (!withPod) {
                world.api().remove(ResourceType.PODS, World.NAMESPACE, "train");
            }
            return new Tray(world, tree, cluster);
        }

        /** Publishes GPUs as NVIDIA's driver does, below these PCI roots, on NUMA node 1. */
        void gpus(String... roots) {
            world.api().apply(Json.literal("""
                    {"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"gpu.nvidia.com"},
                     "spec":{"selectors":[{"cel":{"expression":"device.driver == 'gpu.nvidia.com'"}}]}}"""));
            ObjectNode slice = Json.literal("""
                    {"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"gpus"},
                     "spec":{"driver":"gpu.nvidia.com","nodeName":"%1$s",
                      "pool":{"name":"%1$s","generation":1,"resourceSliceCount":1},"devices":[]}}""".formatted(World.NODE));
            for (int index = 0; index < roots.length; index++) {
                slice.withArray("/spec/devices").add(Json.literal("""
                                {"name":"gpu-%1$d","attributes":{"index":{"int":%1$d},
                                 "resource.kubernetes.io/numaNode":{"int":1},
                                 "resource.kubernetes.io/pcieRoot":{"string":"%2$s"}}}""".formatted(index, roots[index])));
            }
            world.api().apply(slice);
        }

        /** Makes a pod with a claim of the template. */
        void pod(String name, String template) {
            world.api().apply(Json.literal("""
                    {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"%s"},
                     "spec":{"containers":[],"resourceClaims":[
                      {"name":"rails","resourceClaimTemplateName":"%s"}]}}""".formatted(name, template)));
        }

        /** The devices that a pod with the template is given; the agent has prepared its own by then, and ended them. */
        List<String> given(String template) throws Exception {
            String name = "pod-" + pods++;
            pod(name, template);
            cluster.awaitBound(agent, name);
            KubeletClaimRequest claim = cluster.claim(name);
            List<String> devices = cluster.devices(claim);
            assertThat(Rails.cdiDevices(rails.prepare(claim)))
                    .containsExactlyElementsOf(devices.stream()
                            .filter(device -> device.startsWith("rail-"))
                            .map(device -> "k8s.rdma.imexagent.io/claim=" + claim.uid() + "-" + device)
                            .toList());
            variables = Files.readString(rails.variables(claim));
            assertThat(rails.unprepare(claim)).isInstanceOf(ClaimResult.ClaimDone.class);
            cluster.scheduler().end(World.NAMESPACE, name);
            return devices;
        }

        @Override
        public void close() {
            cluster.close();
        }
    }
}
