package io.imexagent.kubernetes.clique;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeLinksTest {

    @Test
    void addressesAreReadAsTheyWereTold() {
        NodeLinks links = NodeLinks.of(
                "10.0.0.1", Map.of(LinkState.CONNECTED, List.of("a", "fe80::1"), LinkState.LOST, List.of("b")));

        assertThat(links.byAddress())
                .isEqualTo(Map.of("a", LinkState.CONNECTED, "fe80::1", LinkState.CONNECTED, "b", LinkState.LOST));
    }

    @Test
    void anAddressIsOnePlainWordHoweverItIsWritten() {
        NodeLinks links = NodeLinks.of(" a b\u00e4 ", Map.of(LinkState.LOST, List.of("<b>\n", "x".repeat(1000))));

        assertThat(links.address()).isEqualTo("a_b_");
        assertThat(links.lost()).isEqualTo("<b> " + "x".repeat(40));
    }

    @Test
    void ofANameThatIsTooLongTheDomainIsLeftOut() {
        NodeLinks links = NodeLinks.of(
                "gb200-rack-07-tray-11.nvlink.row-4.site.example.com",
                Map.of(LinkState.CONNECTED, List.of("gb200-rack-07-tray-12.nvlink.row-4.site.example.com")));

        assertThat(links.address()).isEqualTo("gb200-rack-07-tray-11");
        assertThat(links.connected()).isEqualTo("gb200-rack-07-tray-12");
    }

    @Test
    void whatAnObjectSaysIsReadWithinBounds() {
        var links = new NodeLinks("a", String.join(" ", Collections.nCopies(100_000, "b")), "", "", "c  d");

        assertThat(links.byAddress())
                .isEqualTo(Map.of("b", LinkState.CONNECTED, "c", LinkState.UNKNOWN, "d", LinkState.UNKNOWN));
    }
}
