package io.imexagent.testkit.controller;

import static io.imexagent.testkit.controller.ControllerWorld.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.testkit.process.AgentLaunch;
import io.imexagent.testkit.process.AgentProcess;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code imex-agent controller} and {@code imex-agent domains} as processes. */
class ControllerProcessIT {

    @TempDir
    Path folder;

    @Test
    void runsServesItsPagesAndIsSeenByDomains() throws IOException, InterruptedException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        try (var world = new ControllerWorld(folder);
                HttpClient http = HttpClient.newHttpClient()) {
            Path config = Files.writeString(
                    folder.resolve("config.yaml"), """
                        featureGates: {HostManagedIMEX: true}
                        imex: {isolation: IMEXChannel}
                        controller: {kubeconfig: %s, port: %d}
                        http: {address: 127.0.0.1}
                        """.formatted(folder.resolve("controller.conf"), port));
            world.create("train");
            try (AgentProcess controller = AgentLaunch.command("controller", "--config", config.toString())
                    .start()) {
                await("ready", () -> world.ready("train"));

                assertThat(page(http, port, "/readyz")).contains("[+] election: this one leads", "ok");
                assertThat(page(http, port, "/metrics"))
                        .contains("nvidia_dra_compute_domain_info{status=\"Ready\"} 1.0")
                        .contains("imex_agent_controller_channels{state=\"used\"} 1.0")
                        .contains("imex_agent_controller_leader 1.0");
                assertThat(page(http, port, "/domains")).contains("\"name\" : \"train\"", "\"channel\" : 1");
                assertThat(controller.terminate()).isZero();
            }
            await(
                    "lease given back",
                    () -> world.api
                            .get(io.imexagent.testkit.api.object.ResourceType.LEASES, "imex-agent", "imex-controller")
                            .filter(lease -> !lease.path("spec").has("holderIdentity"))
                            .isPresent());
        }
    }

    private static String page(HttpClient http, int port, String path) throws IOException, InterruptedException {
        return http.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
