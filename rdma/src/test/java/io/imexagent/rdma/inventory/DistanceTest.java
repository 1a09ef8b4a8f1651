package io.imexagent.rdma.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.rdma.inventory.PciFunction.PciPath;
import io.imexagent.rdma.inventory.RdmaInventory.GpuPlace;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DistanceTest {

    private static final Optional<Integer> NODE = Optional.of(0);
    private static final PciPath NIC = path("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0");

    @Test
    void theDeepestCommonAncestorDecides() {
        assertThat(distance("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:04:00.0"))
                .isEqualTo(GpuPlace.Distance.SAME_SWITCH);
        assertThat(distance("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:01.0/0000:05:00.0"))
                .isEqualTo(GpuPlace.Distance.SAME_SWITCH);
        assertThat(distance("pci0000:00/0000:00:02.0/0000:09:00.0")).isEqualTo(GpuPlace.Distance.SAME_ROOT);
        assertThat(distance("pci0001:00/0001:00:01.0/0001:01:00.0")).isEqualTo(GpuPlace.Distance.SAME_NUMA_NODE);
        assertThat(distance(NIC, NODE, path("pci0001:00/0001:00:01.0/0001:01:00.0"), Optional.of(1)))
                .isEqualTo(GpuPlace.Distance.SYSTEM);
    }

    @Test
    void aNumaNodeThatIsNotToldIsNobodysNeighbour() {
        assertThat(distance(NIC, Optional.empty(), path("pci0001:00/0001:00:01.0/0001:01:00.0"), Optional.empty()))
                .isEqualTo(GpuPlace.Distance.SYSTEM);
    }

    @Test
    void functionsOfTheRootBusShareNoBridge() {
        assertThat(distance(path("pci0000:00/0000:00:03.0"), NODE, path("pci0000:00/0000:00:03.1"), NODE))
                .isEqualTo(GpuPlace.Distance.SAME_ROOT);
    }

    @Test
    void theBridgesAboveBothAreCounted() {
        assertThat(NIC.sharedBridges(path("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.1")))
                .isEqualTo(3);
        assertThat(NIC.sharedBridges(path("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:01.0/0000:05:00.0")))
                .isEqualTo(2);
        assertThat(NIC.sharedBridges(path("pci0000:00/0000:00:01.0/0000:08:00.0")))
                .isEqualTo(1);
        assertThat(NIC.sharedBridges(path("pci0000:00/0000:00:02.0/0000:09:00.0")))
                .isZero();
        assertThat(NIC.sharedBridges(path("pci0001:00/0000:00:01.0/0000:01:00.0")))
                .isZero();
    }

    private static GpuPlace.Distance distance(
            PciPath nic, Optional<Integer> nicNode, PciPath gpu, Optional<Integer> gpuNode) {
        return new GpuPlace(0, "GPU", gpu, gpuNode)
                .from(new PciFunction(
                        nic,
                        nicNode,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        new PciFunction.Vpd.OrdinaryVpd(),
                        List.of()));
    }

    private static GpuPlace.Distance distance(String gpu) {
        return distance(NIC, NODE, path(gpu), NODE);
    }

    private static PciPath path(String text) {
        return PciPath.parse("sys/devices/" + text).orElseThrow();
    }
}
