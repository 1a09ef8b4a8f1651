package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Refused;
import io.imexagent.kubernetes.Pods;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.rails.RuntimeProbe.ArpHook;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Claims with mode Netdev on a host that changes between the scan and the call: what leaves must be what was planned. */
class RailNetdevClaimsTest {

    private static final KnownAddresses ELSEWHERE =
            new KnownAddresses.ReadAddresses(Set.of(InetAddress.ofLiteral("192.0.2.7")), Optional.empty());

    @TempDir
    Path folder;

    private final AtomicReference<KnownAddresses> told = new AtomicReference<>(ELSEWHERE);

    @Test
    void anInterfaceThatIsThePlannedNicsMoves() throws Exception {
        try (RailsNode node = node()) {
            ClaimRef claim = claim(node);

            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
            assertThat(Files.readString(node.specs.file(claim.uid()))).contains("netDevices", "rdma0");
        }
    }

    @Test
    void anInterfaceThatGotAnotherNameSinceIsNotMoved() throws Exception {
        Refusal refusal = refusedAfter(
                tray -> tray.change("mlx5_0", nic -> nic.netdev("eth7")).change("mlx5_2", nic -> nic.netdev("rdma0")));

        assertThat(refusal.code()).isEqualTo(RefusalCode.RAIL_RENUMBERED);
        assertThat(refusal.message()).contains("mlx5_0 has the interface eth7 where it had rdma0");
    }

    @Test
    void anInterfaceThatBecameAnUplinkSinceIsNotMoved() throws Exception {
        Refusal refusal = refusedAfter(tray -> tray.defaultRoute("rdma0"));

        assertThat(refusal.code()).isEqualTo(RefusalCode.RAIL_RENUMBERED);
        assertThat(refusal.message())
                .contains("mlx5_0 is not offered any more", "rdma0 carries the IPv4 default route");
    }

    @Test
    void anInterfaceThatWasStackedUponAnUplinkSinceIsNotMoved() throws Exception {
        assertThat(refusedAfter(tray -> tray.stack("bond0", "rdma0")).message())
                .contains("rdma0 is tied to bond0, which carries the IPv4 default route");
    }

    @Test
    void anInterfaceThatGotTheNodesAddressSinceIsNotMoved() throws Exception {
        assertThat(refusedAfter(tray -> told.set(new KnownAddresses.ReadAddresses(
                                Set.of(InetAddress.ofLiteral("10.1.0.1")), Optional.empty())))
                        .message())
                .contains("mlx5_0 is not offered any more", "10.1.0.1");
    }

    @Test
    void routesThatCannotBeReadMoveNothing() throws Exception {
        assertThat(refusedAfter(tray -> tray.without("proc/net/route")).message())
                .contains("mlx5_0 is not offered any more", "/proc/net/route");
    }

    private Refusal refusedAfter(Consumer<RdmaTree> change) throws Exception {
        try (RailsNode node = node()) {
            ClaimRef claim = claim(node);
            change.accept(node.tray);

            Refusal refusal = Refused.of(node.prepare(claim));

            assertThat(node.saved().entries()).isEmpty();
            assertThat(node.specs.list()).isEmpty();
            return refusal;
        }
    }

    private RailsNode node() throws Exception {
        Path runc = script("runc", "echo '{\"linux\":{\"netDevices\":{\"enabled\":true}}}'");
        script("nsenter", "exit 0");
        return RailsNode.in(folder)
                .told(told::get)
                .moving(
                        runc,
                        new ArpHook(script("rail-arp-hook", "exit 0"), List.of(folder)),
                        new Pods.PodObject("pod-uid", false, true, Map.of("a", 1)))
                .start();
    }

    private static ClaimRef claim(RailsNode node) {
        ClaimRef claim = DraSpecimens.ref("a");
        node.put(claim, """
            {"allocation":{"devices":{"results":[\
            {"request":"nics","driver":"rdma.imexagent.io","pool":"node-1","device":"rail-0000-03-00-0"}],\
            "config":[{"source":"FromClaim","requests":[],"opaque":{"driver":"rdma.imexagent.io","parameters":\
            {"apiVersion":"rdma.imexagent.io/v1alpha1","kind":"RdmaRailConfig","mode":"Netdev"}}}]}},\
            "reservedFor":[{"resource":"pods","name":"train-0","uid":"pod-uid"}]}\
            """);
        return claim;
    }

    private Path script(String name, String body) throws IOException {
        Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file;
    }
}
