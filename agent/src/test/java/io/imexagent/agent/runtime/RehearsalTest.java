package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.fake.Configs;
import io.imexagent.dra.claim.EffectListener;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RehearsalTest {

    private static final ThisProcess PROCESS =
            new ThisProcess(Map.of(), Clock.systemUTC(), System::nanoTime, Math::random, EffectListener.NONE);

    @TempDir
    Path folder;

    @Test
    void preparesAndUnpreparesAMadeUpClaimAndLeavesNothing() {
        AgentConfig config = Configs.under(folder, true);

        assertThat(Rehearsal.run(config, PROCESS)).isTrue();

        assertThat(config.get(ConfigKeys.STATE_DIRECTORY)).isEmptyDirectory();
        assertThat(config.get(ConfigKeys.CDI_DIRECTORY)).doesNotExist();
        assertThat(config.get(ConfigKeys.KUBELET_ROOT)).doesNotExist();
    }

    @Test
    void tellsWhereItCouldNotBe() throws Exception {
        AgentConfig config = Configs.under(folder, true);
        Files.writeString(config.get(ConfigKeys.STATE_DIRECTORY), "a file");

        assertThat(Rehearsal.run(config, PROCESS)).isFalse();
    }
}
