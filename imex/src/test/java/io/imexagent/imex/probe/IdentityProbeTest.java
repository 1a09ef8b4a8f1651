package io.imexagent.imex.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.NodeAddress;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.imex.fake.HostTree;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdentityProbeTest {

    @TempDir
    private Path root;

    private NodeIdentity read(List<String> inCluster, String... addresses) {
        Set<NodeAddress> own = Stream.of(addresses)
                .map(NodeAddress::of)
                .flatMap(Optional::stream)
                .collect(Collectors.toSet());
        return new IdentityProbe(root, () -> own).read(inCluster);
    }

    @Test
    void knowsAddressesHostNamesAndWhatTheClusterSays() {
        new HostTree(root)
                .with("proc/sys/kernel/hostname", "Tray-5\n")
                .with("etc/hostname", "tray-5.rack.example\n# a comment\n");

        assertThat(read(List.of("10.0.0.5", "ip-10-0-0-5.internal"), "192.0.2.5", "fd00::5"))
                .isEqualTo(NodeIdentity.of(List.of(
                        "192.0.2.5",
                        "FD00:0::5",
                        "tray-5",
                        "tray-5.rack.example",
                        "10.0.0.5",
                        "ip-10-0-0-5.internal")));
    }

    @Test
    void knowsTheNamesOfItsAddressesInTheHostsFileAndNotThoseOfOthers() {
        new HostTree(root).with("etc/hosts", """
                # the rack
                127.0.0.1   localhost localhost.localdomain localhost4
                127.0.1.1   tray-5.example tray-5   # as Debian has it
                ::1         ip6-localhost ip6-loopback
                192.0.2.4   nvl-4
                192.0.2.5   nvl-5 nvl-5.rack.example
                FD00:0::5   nvl6-5

                broken
                """);

        assertThat(read(List.of(), "192.0.2.5", "fd00::5"))
                .isEqualTo(NodeIdentity.of(List.of(
                        "192.0.2.5", "fd00::5", "tray-5.example", "tray-5", "nvl-5", "nvl-5.rack.example", "nvl6-5")));
    }

    @Test
    void aCommentOfTheHostNamesFileIsNoName() {
        new HostTree(root).with("etc/hostname", "# set by the installer\n\n  tray-5.rack.example  \nother\n");

        assertThat(read(List.of(), "192.0.2.5"))
                .isEqualTo(NodeIdentity.of(List.of("192.0.2.5", "tray-5.rack.example")));
    }

    @Test
    void whatCannotBeReadIsLeftOut() {
        new HostTree(root).unreadable("etc/hosts");

        assertThat(read(List.of("localhost", ""), "192.0.2.5")).isEqualTo(NodeIdentity.of(List.of("192.0.2.5")));
    }

    @Test
    void knowsTheAddressesOfTheInterfaces() {
        NodeIdentity here = new IdentityProbe(root).read(List.of());

        assertThat(here.known())
                .contains(NodeAddress.of("127.0.0.1").orElseThrow())
                .allSatisfy(known -> assertThat(known).isInstanceOf(NodeAddress.Ip.class));
    }
}
