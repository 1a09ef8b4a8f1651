package io.imexagent.rdma.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimEdits.DeviceNodeEdits;
import io.imexagent.rdma.inventory.Gid;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.PciFunction.PciId;
import io.imexagent.rdma.inventory.PciFunction.PciPath;
import io.imexagent.rdma.inventory.Port;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Whatever bytes the kernel or a broken file system answers with, a parser says what they mean or that they mean nothing. */
class ParsersTest {

    @Property
    void noBytesOfAPortFileAreTooMuch(@ForAll byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1).strip();

        assertThat(Port.PortState.of(text)).isNotNull();
        assertThat(Gid.GidType.of(text)).isNotNull();
        assertThat(SysfsNumbers.gbps(text)).isNotNull();
        assertThat(SysfsNumbers.lid(text)).isNotNull();
        assertThat(SysfsNumbers.decimal(text)).isNotNull();
        assertThat(SysfsNumbers.node("uverbs0", text)).isNotNull();
        assertThat(PciId.parse(text)).isNotNull();
        assertThat(PciPath.parse("sys/devices/" + text)).isNotNull();
        assertThat(RdmaProbe.hasDmaBuf(text)).isIn(true, false);
    }

    @Property
    void noBytesOfARoutingTableAreTooMuch(@ForAll byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);

        assertThat(UplinkProbe.routes(text)).isNotNull();
        assertThat(UplinkProbe.ipv6DefaultRoutes(text)).isNotNull();
        assertThat(UplinkProbe.ipv6Addresses(text)).isNotNull();
    }

    /** Bytes alone seldom look like a line, so lines with the right columns and wrong contents are tried as well. */
    @Property
    void noLineOfARoutingTableIsTooMuch(@ForAll("lines") String text) {
        assertThat(UplinkProbe.routes(text))
                .allSatisfy(
                        route -> assertThat(route.destination().prefixLength()).isBetween(0, 32));
        assertThat(UplinkProbe.ipv6DefaultRoutes(text)).isNotNull();
        assertThat(UplinkProbe.ipv6Addresses(text)).isNotNull();
    }

    @Provide
    Arbitrary<String> lines() {
        Arbitrary<String> word = Arbitraries.oneOf(
                Arbitraries.of("eth0", "lo", "00", "0".repeat(8), "0".repeat(32), "00000003", "0003", "FFFFFFFF"),
                Arbitraries.strings().withChars("0123456789abcdefABCDEFxg/:").ofMaxLength(33),
                Arbitraries.strings().all().ofMaxLength(5));
        Arbitrary<String> line = word.list().ofMinSize(5).ofMaxSize(12).map(words -> String.join("\t", words));
        return line.list().ofMaxSize(4).map(lines -> String.join("\n", lines));
    }

    @Test
    void readsPortFiles() {
        assertThat(Port.PortState.of("4: ACTIVE")).isEqualTo(Port.PortState.ACTIVE);
        assertThat(Port.PortState.of("4:ACTIVE")).isEqualTo(Port.PortState.UNTOLD);
        assertThat(SysfsNumbers.gbps("400 Gb/sec (4X NDR)")).hasValue(400.0);
        assertThat(SysfsNumbers.gbps("2.5 Gb/sec (1X SDR)")).hasValue(2.5);
        assertThat(SysfsNumbers.gbps("fast")).isEmpty();
        assertThat(SysfsNumbers.lid("0x1a")).hasValue(26);
        assertThat(SysfsNumbers.lid("0x0")).isEmpty();
        assertThat(SysfsNumbers.lid("0xfffff")).isEmpty();
        assertThat(SysfsNumbers.decimal("-1")).isEmpty();
        assertThat(SysfsNumbers.decimal("99999999999")).isEmpty();
    }

    @Test
    void aDeviceNodeIsOneThatTheKernelHas() {
        assertThat(SysfsNumbers.node("uverbs0", "231:192"))
                .contains(new DeviceNodeEdits("/dev/infiniband/uverbs0", 231, 192));
        for (String bad : List.of("", "231", "231:", "4096:0", "1:1048576", "-1:0", "231:192 ")) {
            assertThat(SysfsNumbers.node("uverbs0", bad)).as(bad).isEmpty();
        }
        for (String bad : List.of("", "../sda", "uverbs0/x", "uverbs-1", "uverbs0 ")) {
            assertThat(SysfsNumbers.node(bad, "231:192")).as(bad).isEmpty();
        }
    }

    @Test
    void readsIpv4Routes() {
        String text = """
                Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
                bond0\t00000000\t0107A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
                rdma0\t0000010A\t00000000\t0001\t0\t0\t0\tFEFFFFFF\t0\t0\t0
                *\t0000010A\t00000000\t0201\t0\t0\t0\t00000000\t0\t0\t0
                eth9\t00000000\t00000000\t0000\t0\t0\t0\t00000000\t0\t0\t0
                """;

        List<UplinkProbe.Route> routes = UplinkProbe.routes(text);

        assertThat(routes).hasSize(2);
        assertThat(routes.getFirst().isDefault()).isTrue();
        assertThat(routes.getFirst().netdev()).hasToString("bond0");
        assertThat(routes.getLast().destination()).hasToString("10.1.0.0/31");
        assertThat(routes.getLast().isOnLink()).isTrue();
    }

    @Test
    void readsIpv6Tables() {
        String any = "0".repeat(32);
        String gateway = "fe80000000000000000000000000000" + "1";
        String route = any + " 00 " + any + " 00 " + gateway + " 00000400 00000001 00000000 ";

        assertThat(UplinkProbe.ipv6DefaultRoutes(route + "00000003     eth0\n" + route + "00000003     eth1\n" + route
                        + "00200200       lo\n" + route + "00000200     eth2\n"))
                .map(InterfaceName::text)
                .containsExactly("eth0", "eth1");
        assertThat(UplinkProbe.ipv6Addresses("20010db8000000000000000000000005 03 40 00 80     eth0\n"))
                .isEqualTo(Map.of("20010db8000000000000000000000005", new InterfaceName("eth0")));
    }

    @Test
    void knowsTheKernelsThatHaveDmaBuf() {
        assertThat(RdmaProbe.hasDmaBuf("5.12.0")).isTrue();
        assertThat(RdmaProbe.hasDmaBuf("6.8.0-1021-nvidia-64k")).isTrue();
        assertThat(RdmaProbe.hasDmaBuf("5.11.22")).isFalse();
        assertThat(RdmaProbe.hasDmaBuf("4.18.0-553.el8")).isFalse();
        assertThat(Optional.of("x").filter(RdmaProbe::hasDmaBuf)).isEmpty();
    }
}
