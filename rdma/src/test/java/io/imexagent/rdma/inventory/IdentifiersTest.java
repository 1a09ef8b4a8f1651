package io.imexagent.rdma.inventory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.rdma.inventory.PciFunction.PciPath;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class IdentifiersTest {

    @Test
    void namesAreOrderedAsPeopleCount() {
        assertThat(Stream.of("mlx5_10", "mlx5_1", "mlx5_bond_0", "mlx5_2", "mlx4_0", "mlx5_02")
                        .map(RdmaDeviceName::new)
                        .sorted()
                        .map(RdmaDeviceName::text))
                .containsExactly("mlx4_0", "mlx5_1", "mlx5_02", "mlx5_2", "mlx5_10", "mlx5_bond_0");
    }

    @Property
    void theOrderOfNamesIsTotal(@ForAll @Size(max = 20) List<String> texts) {
        List<String> sorted =
                texts.stream().sorted(RdmaDeviceName.AS_PEOPLE_COUNT).toList();

        for (int at = 1; at < sorted.size(); at++) {
            assertThat(RdmaDeviceName.AS_PEOPLE_COUNT.compare(sorted.get(at - 1), sorted.get(at)))
                    .isLessThanOrEqualTo(0);
            assertThat(RdmaDeviceName.AS_PEOPLE_COUNT.compare(sorted.get(at), sorted.get(at - 1)))
                    .isGreaterThanOrEqualTo(0);
        }
    }

    @Test
    void aDeviceNameCannotMeanSomethingElseToNccl() {
        assertThat(RdmaDeviceName.parse("mlx5_0")).isPresent();
        for (String bad : List.of("", "=mlx5_0", "^mlx5_0", "mlx5_0,mlx5_1", "mlx5_0:1", "../mlx5_0", "a b")) {
            assertThat(RdmaDeviceName.parse(bad)).as(bad).isEmpty();
            assertThatThrownBy(() -> new RdmaDeviceName(bad)).hasMessageContaining("no name of an RDMA device");
        }
    }

    @Test
    void anInterfaceNameIsOneThatTheKernelTakes() {
        assertThat(InterfaceName.parse("enP22p3s0f0np0")).isPresent();
        assertThat(InterfaceName.parse("bond0.100")).isPresent();
        for (String bad : List.of("", ".", "..", "a/b", "eth0:1", "a b", "sixteen-letters0")) {
            assertThat(InterfaceName.parse(bad)).as(bad).isEmpty();
        }
    }

    @Test
    void aSubnetKnowsItsAddresses() {
        var subnet = new Ipv4.Subnet(new Ipv4(0x0a010203), 12);

        assertThat(subnet).hasToString("10.0.0.0/12");
        assertThat(subnet.contains(new Ipv4(0x0a0fffff))).isTrue();
        assertThat(subnet.contains(new Ipv4(0x0a100000))).isFalse();
        assertThat(new Ipv4.Subnet(new Ipv4(-1), 0).contains(new Ipv4(5))).isTrue();
        assertThat(new Ipv4.Subnet(new Ipv4(5), 32).contains(new Ipv4(5))).isTrue();
    }

    @Test
    void aPciPathBeginsAtARoot() {
        Optional<PciPath> path = PciPath.parse("sys/devices/pci10000:00/10000:00:00.0/10000:03:00.1");

        assertThat(path).hasValueSatisfying(found -> {
            assertThat(found.root()).isEqualTo("pci10000:00");
            assertThat(found.function()).hasToString("10000:03:00.1");
            assertThat(found.sysfs()).isEqualTo("sys/devices/pci10000:00/10000:00:00.0/10000:03:00.1");
        });
        for (String bad : List.of(
                "sys/devices/virtual/net/bond0",
                "sys/devices/pci0000:00",
                "sys/devices/pci0000:00/",
                "sys/devices/pci0000:00/0000:00:00.0/infiniband/mlx5_0",
                "sys/class/infiniband/mlx5_0")) {
            assertThat(PciPath.parse(bad)).as(bad).isEmpty();
        }
    }

    /** In a guest of Hyper-V a PCI root hangs on a device of the VMBus, which may itself hang on a PCI root. */
    @Test
    void aPciPathBeginsAtTheLastRoot() {
        String place = "sys/devices/pci0000:00/0000:00:07.3/VMBUS:01/47505500-0001/pci0001:00/0001:00:00.0";
        Optional<PciPath> path = PciPath.parse(place);

        assertThat(path).hasValueSatisfying(found -> {
            assertThat(found.root()).isEqualTo("pci0001:00");
            assertThat(found.functions()).hasSize(1);
            assertThat(found.sysfs()).isEqualTo(place);
        });
    }
}
