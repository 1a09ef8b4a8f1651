package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.e2e.process.StatusClient;
import io.imexagent.testing.api.Login;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The metrics that an agent and a controller serve are as promtool wants them, values and names of the run included. */
@ExtendWith(Worlds.class)
class LivePagesE2e {

    @TempDir
    Path folder;

    @Test
    void promtoolHasNothingToSayOfTheAgentsPage(World world) throws Exception {
        AgentProcess agent = world.startServing();
        try (StatusClient status = new StatusClient(agent.awaitHttpPort())) {
            check(status);
        }
    }

    @Test
    void theSeriesOfTheJvmAreThoseThatTheReferenceNames(World world) throws Exception {
        boolean onHotSpot = AgentLaunch.command().isOnHotSpot();
        String reference = Files.readString(Checkout.find().root().resolve("docs/metrics.md"));
        List<String> missing = named(reference, "`(jvm_[a-z_]+)…`").toList();
        AgentProcess agent = world.startServing();
        try (StatusClient status = new StatusClient(agent.awaitHttpPort())) {
            assertThat(named(status.page("/metrics").body(), "# TYPE (jvm_[a-z_]+) .*"))
                    .containsExactlyInAnyOrderElementsOf(named(reference, "\\| `(jvm_[a-z_]+)` .*")
                            .filter(name -> onHotSpot || missing.stream().noneMatch(name::startsWith))
                            .toList());
        }
    }

    private static Stream<String> named(String text, String pattern) {
        return Pattern.compile(pattern).matcher(text).results().map(found -> found.group(1));
    }

    @Test
    void norOfTheControllers(World world) throws Exception {
        Path access = world.api().writeKubeconfig(folder.resolve("controller.conf"), new Login.TokenLogin("admin"));
        Path config = Files.writeString(folder.resolve("config.yaml"), """
                    featureGates: {HostManagedIMEX: true}
                    imex: {isolation: IMEXChannel}
                    controller: {kubeconfig: %s, namespace: default, port: 0}
                    http: {address: 127.0.0.1}
                    """.formatted(access));
        try (AgentProcess controller = AgentLaunch.command("controller", "--config", config.toString())
                        .start();
                StatusClient status = new StatusClient(controller.awaitHttpPort())) {
            controller.awaitTrue("ready", status::ready);
            check(status);
        }
    }

    private static void check(StatusClient status) throws Exception {
        String page = status.page("/metrics").body();
        assertThat(page).contains("imex_agent_build_info");
        Process promtool = new ProcessBuilder("promtool", "check", "metrics")
                .redirectErrorStream(true)
                .start();
        try (OutputStream in = promtool.getOutputStream()) {
            in.write(page.getBytes(StandardCharsets.UTF_8));
        }
        String said = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(promtool.waitFor()).as(said).isZero();
        assertThat(said).isEmpty();
    }
}
