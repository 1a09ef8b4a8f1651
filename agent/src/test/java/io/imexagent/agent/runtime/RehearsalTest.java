package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.fake.Configs;
import io.imexagent.dra.claim.PreparedClaims.EffectListener;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RehearsalTest {

    private static final ThisProcess PROCESS = new ThisProcess(
            "1", "abc", Map.of(), Clock.systemUTC(), System::nanoTime, Math::random, EffectListener.NONE);

    @TempDir
    Path folder;

    @Test
    void preparesAndUnpreparesAMadeUpClaimAndLeavesNothing() {
        AgentConfig config = Configs.under(folder, true);

        assertThat(Rehearsal.run(config, PROCESS)).isTrue();

        assertThat(config.stateDirectory()).isEmptyDirectory();
        assertThat(config.cdiDirectory()).doesNotExist();
        assertThat(config.kubelet().root()).doesNotExist();
    }

    @Test
    void tellsWhereItCouldNotBe() throws Exception {
        AgentConfig config = Configs.under(folder, true);
        Files.writeString(config.stateDirectory(), "a file");

        assertThat(Rehearsal.run(config, PROCESS)).isFalse();
    }
}
