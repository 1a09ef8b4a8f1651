package io.imexagent.e2e.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The demo with the built agent, without a container. */
final class DemoIT {

    @Test
    void tellsTheWholeStoryAndEndsWell() throws Exception {
        ByteArrayOutputStream story = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(story, true, StandardCharsets.UTF_8);
        DemoOptions options = CommandLine.populateCommand(new DemoOptions(), "--no-container");

        boolean well = Demo.tell(options, out);

        assertThat(well).as(story.toString(StandardCharsets.UTF_8)).isTrue();
        assertThat(story.toString(StandardCharsets.UTF_8))
                .contains("device channel-0", "/dev/nvidia-caps-imex-channels/channel0")
                .contains("operation=\"prepare\"", "tray-07/channel-0 is HEALTHY", "exit code 0")
                .contains("That was all of it.");
    }
}
