package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.cli.Collaborators;
import io.imexagent.agent.fake.Configs;
import io.imexagent.dra.claim.EffectListener;
import io.imexagent.rdma.fixture.RdmaTree;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalHostTest {

    @TempDir
    Path folder;

    private final LocalHost local = new LocalHost(
            new ThisProcess(Map.of(), Clock.systemUTC(), System::nanoTime, () -> 0.5, EffectListener.NONE));

    @Test
    void readsTheRdmaSideUnderTheHostsRoot() throws Exception {
        RdmaTree.gb200(folder.resolve("host"));

        Collaborators.RdmaReading reading = local.rdma(Configs.under(folder, false));

        assertThat(reading.view().selection().rails()).hasSize(4);
        assertThat(reading.files().answers().texts()).containsKey("proc/net/route");
    }
}
