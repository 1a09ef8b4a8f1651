package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SoleAgentTest {

    @TempDir
    Path folder;

    @Test
    void oneAgentHasTheNodeUntilItsEnd() throws Exception {
        Path plugin = folder.resolve("plugins/driver");
        try (var second = new SoleAgent(plugin)) {
            try (var first = new SoleAgent(plugin)) {
                first.begin();

                assertThatThrownBy(second::begin)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("another imex-agent runs or starts on this node, it holds "
                                + plugin.resolve("imex-agent.lock"))
                        .hasMessageEndingWith("stop it, then start this agent again");
            }
            second.begin();
        }
        assertThat(plugin.resolve("imex-agent.lock")).exists();
    }
}
