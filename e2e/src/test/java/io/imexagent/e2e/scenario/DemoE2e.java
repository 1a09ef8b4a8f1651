package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.e2e.quickstart.Quickstart;
import io.imexagent.e2e.quickstart.Quickstart.Place;
import io.imexagent.e2e.quickstart.Quickstart.Step;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo as docs/quickstart.md starts it, on a machine that has what a container needs: nothing of it is left out. */
class DemoE2e {

    @TempDir
    Path folder;

    @Test
    void tellsTheStoryWithAContainer() throws Exception {
        Path story = folder.resolve("story");
        Step step = Quickstart.steps(Place.CHECKOUT).getFirst();
        ProcessBuilder command = new ProcessBuilder("bash", "-c", step.command())
                .directory(Checkout.find().root().toFile())
                .redirectErrorStream(true)
                .redirectOutput(story.toFile());
        // A make that runs these scenarios would have the one of the page name its directories.
        command.environment().keySet().removeAll(Set.of("MAKEFLAGS", "MAKELEVEL", "MFLAGS"));
        Process demo = command.start();
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
        assertThat(step.isShownBy(told)).as("%s\nby %s", told, step).isTrue();
    }
}
