package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.Checkout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The class cache is used, not silently dropped for a flag or a jar that differs. */
@ExtendWith(Worlds.class)
class ClassCacheE2e {

    @Test
    void theAgentsClassesComeFromTheCache(World world) throws Exception {
        HotSpot.isNeeded("a native image loads no classes");
        assertThat(Checkout.find().image().resolve("imex-agent.aot"))
                .as("the class cache, which make image makes")
                .exists();
        Path loaded = world.directory().resolve("classes");

        AgentProcess agent =
                world.startRegistered(world.launch().runtimeOptions("-Xlog:class+load=info:file=" + loaded));
        assertThat(agent.terminate()).isZero();

        List<String> own = Files.readAllLines(loaded).stream()
                .filter(line -> line.contains(" io.imexagent."))
                .filter(line -> !line.contains("Lambda"))
                .toList();
        assertThat(own).hasSizeGreaterThan(100);
        assertThat(own.stream().filter(line -> line.contains("shared objects file")))
                .as("of %d classes", own.size())
                .hasSizeGreaterThan(own.size() * 8 / 10);
    }
}
