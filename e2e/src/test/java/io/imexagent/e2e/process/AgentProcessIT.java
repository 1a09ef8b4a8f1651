package io.imexagent.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.testing.host.FakeHost;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The built agent as a process. */
final class AgentProcessIT {

    @Test
    void takesTheSettingsForAValidConfiguration(@TempDir Path directory) throws Exception {
        FakeHost host = FakeHost.create(directory);
        Path file = AgentSettings.of(host, "tray-1", directory.resolve("kubelet.conf"))
                .write(directory.resolve("config.yaml"));

        try (AgentProcess agent = AgentLaunch.command("config", "validate", "--config", file.toString())
                .start()) {
            assertThat(agent.awaitExit()).as("%s", agent.log()).isZero();
        }
    }

    @Test
    void theExecutableIsFoundThroughLinks(@TempDir Path directory) throws Exception {
        Path executable = Checkout.find().executable().toAbsolutePath();
        Path link = Files.createSymbolicLink(directory.resolve("imex-agent"), executable);
        Path second = Files.createSymbolicLink(directory.resolve("agent"), Path.of("imex-agent"));

        for (Path name : List.of(executable, link, second)) {
            var command = new ProcessBuilder(name.toString(), "--version").redirectErrorStream(true);
            command.environment().put("IMEX_AGENT_JAVA_HOME", System.getProperty("java.home"));
            Process process = command.start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as("%s: %s", name, said).isZero();
        }
    }

    @Test
    void saysWhatWasExpectedOfAnAgentThatEnded() throws Exception {
        try (AgentProcess agent = AgentLaunch.command("no-such-command").start()) {
            assertThatThrownBy(() -> agent.awaitLine("listening"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("expected a line with \"listening\", but the agent ended with exit code 2")
                    .hasMessageContaining("no-such-command");
            assertThat(agent.exitCode()).hasValue(2);
        }
    }

    @Test
    void diesOfAKill(@TempDir Path directory) throws Exception {
        FakeHost host = FakeHost.create(directory);
        Path file = AgentSettings.of(host, "tray-1", directory.resolve("kubelet.conf"))
                .with("featureGates.HostManagedIMEX", "false")
                .write(directory.resolve("config.yaml"));

        try (AgentProcess agent = AgentLaunch.run(file).start()) {
            agent.awaitHttpPort();
            assertThat(agent.usage().residentKb()).isPositive();
            agent.kill();
            assertThat(agent.isAlive()).isFalse();
            assertThat(agent.exitCode()).hasValue(128 + 9);
        }
    }
}
