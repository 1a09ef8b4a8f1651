package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.cli.RdmaSource;
import io.imexagent.agent.fake.Configs;
import io.imexagent.dra.claim.EffectListener;
import io.imexagent.rdma.fixture.RdmaTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalRdmaTest {

    @TempDir
    Path folder;

    private final LocalRdma local = new LocalRdma(
            new ThisProcess(Map.of(), Clock.systemUTC(), System::nanoTime, () -> 0.5, EffectListener.NONE));

    @Test
    void readsTheHostUnderItsRoot() throws Exception {
        RdmaTree.gb200(folder.resolve("host"));

        RdmaSource.Reading reading = local.read(Configs.under(folder, false));

        assertThat(reading.view().selection().rails()).hasSize(4);
        assertThat(reading.facts().texts()).containsKey("proc/net/route");
    }

    @Test
    void writesForItsOwnerOnly() throws Exception {
        Path file = folder.resolve("bundle.json");

        local.write(file, "{}");

        assertThat(file).hasContent("{}");
        assertThat(Files.getPosixFilePermissions(file))
                .map(Object::toString)
                .containsExactlyInAnyOrder("OWNER_READ", "OWNER_WRITE");
    }
}
