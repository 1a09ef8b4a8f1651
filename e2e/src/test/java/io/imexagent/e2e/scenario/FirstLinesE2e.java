package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.process.AgentProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The log is complete from its first line on, however the threads of a start race. */
@ExtendWith(Worlds.class)
class FirstLinesE2e {

    private static final int STARTS = 50;

    @Test
    void noStartLosesALineOrLetsALibraryComplain(World world) throws Exception {
        for (int start = 1; start <= STARTS; start++) {
            AgentProcess agent = world.start(world.launch());
            agent.awaitLine("http listening");
            agent.kill();

            assertThat(agent.log()).as("start %d", start).noneMatch(line -> line.contains("SLF4J"));
            assertThat(agent.log().getFirst()).as("start %d", start).contains("imex-agent starting");
        }
    }
}
