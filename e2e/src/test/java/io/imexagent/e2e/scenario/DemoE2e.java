package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.Checkout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo as its reader starts it, on a machine that has what a container needs: nothing of it is left out. */
class DemoE2e {

    @TempDir
    Path folder;

    @Test
    void tellsTheStoryWithAContainer() throws Exception {
        Path story = folder.resolve("story");
        Process demo = new ProcessBuilder(
                        Checkout.find().root().resolve("e2e/bin/demo").toString())
                .redirectErrorStream(true)
                .redirectOutput(story.toFile())
                .start();
        boolean ended = demo.waitFor(2 * AgentProcess.LONG.toSeconds(), TimeUnit.SECONDS);
        if (!ended) {
            demo.destroyForcibly().waitFor();
        }

        String told = Files.readString(story);
        assertThat(ended).as(told).isTrue();
        assertThat(demo.exitValue()).as(told).isZero();
        assertThat(told)
                .contains("A container gets the device", "the node is there, with the major", "That was all of it.")
                .doesNotContain("left out");
    }
}
