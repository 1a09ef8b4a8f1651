package io.imexagent.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.testing.host.FakeHost;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AgentSettingsTest {

    @Test
    void nestsSectionsAndQuotesWhatNeedsIt() throws Exception {
        AgentSettings settings = new AgentSettings(
                Map.of("http.port", "0", "http.tls.key", "/a b: it's.key", "log.level", "debug", "node.name", ""));

        assertThat(settings.text()).isEqualTo("""
                http:
                  port: 0
                  tls:
                    key: "/a b: it's.key"
                log:
                  level: debug
                node:
                  name: ""
                """);
    }

    @Test
    void changesOneValueAndKeepsTheRest(@TempDir Path directory) throws Exception {
        FakeHost host = FakeHost.create(directory);
        AgentSettings settings = AgentSettings.of(host, "tray-1", directory.resolve("kubelet.conf"));

        AgentSettings changed = settings.with("nvml.simulate", "no-gpu").without("imex.isolation");

        assertThat(changed.values())
                .containsEntry("node.name", "tray-1")
                .containsEntry("nvml.simulate", "no-gpu")
                .doesNotContainKey("imex.isolation");
        assertThat(settings.values()).containsEntry("imex.isolation", "None");
    }
}
