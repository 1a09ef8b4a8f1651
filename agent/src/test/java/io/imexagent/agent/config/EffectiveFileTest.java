package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EffectiveFileTest {

    @TempDir
    Path folder;

    @Test
    void leadsToTheSameConfigurationAgain() {
        AgentConfig effective = new ConfigFixture(folder)
                .file("http:\n  address: '::'\n  tls: {certificate: '/c \"d\": #e', key: /k}\n")
                .environment("IMEX_AGENT_FEATURE_GATES", "HostManagedIMEX=true")
                .flag("--isolation", "None")
                .set("kubelet.uid=12")
                .set("nvml.simulate=two-cliques")
                .config();

        String text = SectionedText.of(effective);

        assertThat(ConfigFixture.texts(new ConfigFixture(folder).file(text).config()))
                .isEqualTo(ConfigFixture.texts(effective));
    }

    @Test
    void leadsToTheDefaultsFromTheDefaults() {
        AgentConfig effective = new ConfigFixture(folder).config();

        String text = SectionedText.of(effective);

        assertThat(ConfigFixture.texts(new ConfigFixture(folder).file(text).config()))
                .isEqualTo(ConfigFixture.texts(effective));
        assertThat(text)
                .contains("http:\n  address: 0.0.0.0  # default\n  port: 9408  # default\n")
                .contains("  #uid:  # none, only root may connect\n");
    }

    @Test
    void tellsEveryOrigin() {
        AgentConfig effective = new ConfigFixture(folder)
                .file("log:\n  level: warn\n")
                .environment("IMEX_AGENT_HTTP_PORT", "0")
                .flag("--node-name", "node-1")
                .config();

        assertThat(SectionedText.of(effective))
                .contains("level: warn  # " + new ConfigFixture(folder).path() + ":2")
                .contains("port: 0  # environment IMEX_AGENT_HTTP_PORT")
                .contains("name: node-1  # flag --node-name");
    }
}
