package io.imexagent.core.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeDirectoryTest {

    private static NodeIdentity node(String... written) {
        return NodeIdentity.of(List.of(written));
    }

    private static Set<Integer> fitting(NodeIdentity called, NodeIdentity... nodes) {
        return new NodeDirectory(List.of(nodes)).fitting(called);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, ::ffff:10.0.0.1",
        "10.0.0.1, ::FFFF:0a00:0001",
        "fd00::1, FD00:0:0:0:0:0:0:1",
        "fd00::1, fd00:0000::0001",
        "fd00::1%eth0, fd00::1",
        "fe80::1%eth0, FE80:0::1%eth0",
        "Rack2-Tray05, rack2-tray05",
        "rack2-tray05, rack2-tray05.example.com",
        "RACK2-TRAY05.example.com., rack2-tray05.Example.COM",
        "1021, 1021.example.com",
    })
    void oneNodeWrittenInTwoWaysIsOne(String one, String other) {
        assertThat(fitting(node(one), node("10.9.9.9", "elsewhere"), node(other)))
                .containsExactly(1);
        assertThat(fitting(node(other), node("10.9.9.9", "elsewhere"), node(one)))
                .containsExactly(1);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.10",
        "10.0.0.1, ::10.0.0.1",
        "fe80::1%eth0, fe80::1%docker0",
        "rack2-tray05, rack2-tray050",
        "tray-1.rack-a.example, tray-1.rack-b.example",
        "1021, 0.0.3.253",
        "fd00::zz, fd00::",
    })
    void twoNodesAreTwo(String one, String other) {
        assertThat(fitting(node(one), node(other))).isEmpty();
        assertThat(fitting(node(other), node(one))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "."})
    void whatIsBlankSaysNothing(String written) {
        assertThat(node(written)).isEqualTo(NodeIdentity.NONE);
    }

    @Test
    void anAddressCountsMoreThanANameThatOthersShare() {
        NodeIdentity cloned = node("10.0.0.2", "gb200");

        assertThat(fitting(cloned, node("10.0.0.1", "gb200"), node("10.0.0.2", "gb200")))
                .containsExactly(1);
    }

    @Test
    void aWholeNameCountsMoreThanAShortOne() {
        NodeIdentity here = node("tray-1", "tray-1.rack-b.example");

        assertThat(fitting(here, node("tray-1.rack-a.example"), node("tray-1.rack-b.example")))
                .containsExactly(1);
        assertThat(fitting(here, node("tray-1.rack-a.example", "tray-1"))).isEmpty();
    }

    @Test
    void aShortNameThatSeveralHaveIsNobodys() {
        var rack = new NodeDirectory(List.of(node("tray-1.rack-a.example"), node("tray-1.rack-b.example")));

        assertThat(rack.fitting(node("tray-1"))).containsExactly(0, 1);
        assertThat(rack.find(node("tray-1"))).isEmpty();
        assertThat(rack.find(node("TRAY-1.rack-b.example"))).hasValue(1);
    }

    @Test
    void aNodeThatStandsThereTwiceFitsTwice() {
        assertThat(fitting(node("10.0.0.1", "fd00::1"), node("10.0.0.1"), node("FD00::1"), node("10.0.0.3")))
                .containsExactly(0, 1);
    }

    @Test
    void printsInOneForm() {
        assertThat(NodeAddress.of("FE80:0::1%eth0")).hasToString("Optional[fe80:0:0:0:0:0:0:1%eth0]");
        assertThat(NodeAddress.of("::ffff:10.0.0.1")).hasToString("Optional[10.0.0.1]");
        assertThat(NodeAddress.of("Tray-1.")).hasToString("Optional[tray-1]");
    }
}
