package io.imexagent.controller.racks;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.policy.Isolation;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageLinksTest {

    private final PageLinks.WebAddress address = new PageLinks.WebAddress();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://grafana.example",
                "http://10.0.0.1:3000/grafana/?orgId=2",
                "HTTPS://git.example/imex-agent/docs/racks.md",
                "https://[fd00::1]:3000"
            })
    void anAddressOfTheWebIsOne(String text) {
        assertThat(address.test(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "grafana.example",
                "//grafana.example",
                "javascript:alert(1)",
                "data:text/html,<script>alert(1)</script>",
                "ftp://grafana.example",
                "https:///path",
                "https://admin:secret@grafana.example",
                "https://grafana.example/#panel",
                "https://grafana.example/\" onclick=\"alert(1)",
                "https://grafana.example/\nx"
            })
    void anythingElseIsNone(String text) {
        assertThat(address.test(text)).isFalse();
    }

    @Test
    void anAddressHasABound() {
        assertThat(address.test("https://grafana.example/" + "x".repeat(1_000))).isTrue();
        assertThat(address.test("https://grafana.example/" + "x".repeat(1_001))).isFalse();
    }

    @Test
    void theDocumentOfAPageHasItsLinks() {
        var report = new RackReport(Isolation.NONE, Optional.empty(), List.of());
        var links = new PageLinks(Optional.of("https://grafana.example"), Optional.of("https://git.example/racks.md"));

        assertThat(RacksDocument.of(report, links).path("grafana").asText()).isEqualTo("https://grafana.example");
        assertThat(RacksDocument.of(report, links).path("runbook").asText()).isEqualTo("https://git.example/racks.md");
        assertThat(RacksDocument.of(report, new PageLinks(Optional.empty(), Optional.empty())))
                .isEqualTo(RacksDocument.of(report));
    }
}
