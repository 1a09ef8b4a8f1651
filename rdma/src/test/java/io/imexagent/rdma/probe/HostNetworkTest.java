package io.imexagent.rdma.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.host.ProgramOutcome;
import io.imexagent.host.Programs;
import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.NetworkedFiles;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.inventory.RdmaInventory.Uplinks;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostNetworkTest {

    private static final String ECMP = """
            [{"dst":"default","protocol":"static","flags":[],"nexthops":[
              {"gateway":"10.0.0.1","dev":"rdma0","weight":1,"flags":[]},
              {"gateway":"10.0.1.1","dev":"rdma1","weight":1,"flags":[]}]}]""";

    /** Of iproute2 6.1; an address with a label, and one that is none. */
    private static final String ADDRESSES = """
            [{"ifindex":1,"ifname":"lo","addr_info":[{"family":"inet","local":"127.0.0.1","prefixlen":8}]},{},
             {"ifindex":2,"ifname":"eth0","addr_info":[
               {"family":"inet","local":"10.0.0.7","prefixlen":24,"label":"eth0:1"},
               {"family":"inet6","local":"fe80::1","prefixlen":64},{"local":"none"}]}]""";

    @TempDir
    Path root;

    /** Each form that iproute2 6.1 prints. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[] | ''",
                "`` | ''",
                "[{\"dst\":\"default\",\"gateway\":\"10.0.0.1\",\"dev\":\"eth0\",\"metric\":100,\"flags\":[]}] | eth0",
                "[{\"dst\":\"default\",\"dev\":\"ppp0\",\"scope\":\"link\",\"flags\":[]}] | ppp0",
                "[{\"dst\":\"default\",\"nhid\":7,\"nexthops\":[{\"via\":{\"family\":\"inet6\",\"host\":\"fe80::1\"},\"dev\":\"e0\",\"weight\":1,\"flags\":[]},{\"dev\":\"e1\",\"weight\":1,\"flags\":[]}]}] | e0 e1",
            })
    void everyNextHopCounts(String output, String interfaces) {
        assertThat(telling(output).defaultRoutes().orElseThrow())
                .extracting(InterfaceName::text)
                .containsExactlyElementsOf(
                        interfaces.replace("''", "").isEmpty() ? List.of() : List.of(interfaces.split(" ", -1)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Error: ...", "{", "[{]"})
    void anOutputThatIsNoneSaysNothing(String output) {
        assertThat(telling(output).defaultRoutes()).isEmpty();
    }

    @Test
    void aProgramThatIsMissingOrFailsSaysNothing() {
        for (ProgramOutcome outcome :
                List.of(new ProgramOutcome.NotStarted("no such program"), new ProgramOutcome.Ended(255, ECMP, ""))) {
            assertThat(new HostNetwork(new RootedFiles(Path.of("/"), program -> outcome)).defaultRoutes())
                    .isEmpty();
        }
    }

    @Test
    void eachAddressOfAnInterfaceIsFound() {
        assertThat(telling(ADDRESSES).owners().orElseThrow())
                .containsOnly(
                        Map.entry(InetAddress.ofLiteral("127.0.0.1"), new InterfaceName("lo")),
                        Map.entry(InetAddress.ofLiteral("10.0.0.7"), new InterfaceName("eth0")),
                        Map.entry(InetAddress.ofLiteral("fe80::1"), new InterfaceName("eth0")));
    }

    @Test
    void onlyTheFilesOfThisMachineHaveItsNetwork() {
        Programs answering = program -> new ProgramOutcome.Ended(0, ECMP, "");

        assertThat(new HostNetwork(new RootedFiles(Path.of("/"), answering)).defaultRoutes())
                .isPresent();
        assertThat(new HostNetwork(new RootedFiles(root, answering)).defaultRoutes())
                .isEmpty();
    }

    /** The kernel's file shows rdma0 alone. */
    @Test
    void everyNextHopOfTheHostIsAnUplinkAndNothingIsLeftToTell() throws Exception {
        RdmaTree tree = RdmaTree.empty(root)
                .add(new FixtureNic("mlx5_0", "0000:03:00.0", "rdma0").ipv4("10.0.0.2/24"))
                .add(new FixtureNic("mlx5_1", "0002:03:00.0", "rdma1").ipv4("10.0.1.2/24"))
                .ecmpDefaultRoute("rdma0", "rdma1");

        Uplinks.KnownUplinks known = uplinks(tree, ECMP, Set.of());

        assertThat(known.reasons().keySet())
                .extracting(InterfaceName::text)
                .containsExactlyInAnyOrder("rdma0", "rdma1");
        assertThat(known.firstHops()).isEmpty();
    }

    /** Management and rails in one flat subnet: only the owner of the node's address is an uplink. */
    @Test
    void theOwnerOfTheNodesAddressIsAskedOfTheKernel() throws Exception {
        RdmaTree tree = RdmaTree.empty(root)
                .add(new FixtureNic("mlx5_0", "0000:03:00.0", "rdma0").ipv4("10.0.0.2/24"))
                .add(new FixtureNic("mlx5_1", "0002:03:00.0", "rdma1").ipv4("10.0.0.3/24"));

        Uplinks.KnownUplinks known = uplinks(tree, ADDRESSES, Set.of(InetAddress.ofLiteral("10.0.0.7")));

        assertThat(known.reasons())
                .containsExactly(Map.entry(new InterfaceName("eth0"), "owns the node's address 10.0.0.7"));
    }

    private Uplinks.KnownUplinks uplinks(RdmaTree tree, String output, Set<InetAddress> addresses) throws IOException {
        RdmaInventory inventory = new RdmaProbe(telling(output).files()).scan(tree.gpus(), Settings.OFF, addresses);
        return (Uplinks.KnownUplinks) inventory.uplinks();
    }

    private HostNetwork telling(String output) {
        return new HostNetwork(new NetworkedFiles(
                new RootedFiles(root), Map.of("ip -j address show", output, "ip -j -4 route show default", output)));
    }
}
