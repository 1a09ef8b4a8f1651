package io.imexagent.rdma.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.probe.UplinkHints;
import io.imexagent.rdma.setting.RdmaSettings;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RdmaReaderTest {

    private static final RdmaSettings ALL_SET = new RdmaSettings(
            true,
            "",
            List.of("rdma0", "mlx5_1"),
            true,
            List.of("rdma0"),
            List.of("eth0", "eth1"),
            List.of("192.0.2.7"),
            List.of("15b3:A2DC"),
            true,
            Settings.OFF.taint(),
            Settings.OFF.settleAfter(),
            Optional.empty(),
            Optional.empty());

    @Test
    void withoutSettingsThereAreNoHints() {
        assertThat(RdmaReader.hints(Settings.OFF, Set.of())).isEqualTo(UplinkHints.NONE);
    }

    @Test
    void theHintsAreTheOperatorsAndTheClusters() {
        assertThat(RdmaReader.hints(
                        ALL_SET, Set.of(InetAddress.ofLiteral("2001:db8::7"), InetAddress.ofLiteral("192.0.2.7"))))
                .isEqualTo(new UplinkHints(
                        Set.of(InetAddress.ofLiteral("192.0.2.7"), InetAddress.ofLiteral("2001:db8::7")),
                        Set.of(new InterfaceName("eth0"), new InterfaceName("eth1"))));
    }

    @Test
    void addressesThatTheOperatorNamesNeedNoClusterToTellThem() {
        var unknown = new KnownAddresses.Unknown("it is away");

        assertThat(RdmaReader.withoutAddresses(Settings.OFF, unknown)).contains("it is away");
        assertThat(RdmaReader.withoutAddresses(ALL_SET, unknown)).isEmpty();
        assertThat(RdmaReader.withoutAddresses(Settings.OFF, new KnownAddresses.NotAsked()))
                .isEmpty();
    }
}
