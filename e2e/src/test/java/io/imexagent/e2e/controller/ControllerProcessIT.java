package io.imexagent.e2e.controller;

import static io.imexagent.e2e.controller.ControllerWorld.CLIQUE;
import static io.imexagent.e2e.controller.ControllerWorld.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.FaultAction;
import io.imexagent.testing.api.LoggedRequest;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.tls.ClientTls;
import io.imexagent.testing.api.tls.IssuedCertificate;
import io.imexagent.testing.api.tls.TestAuthority;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code imex-agent controller} and {@code imex-agent domains} as processes. */
class ControllerProcessIT {

    private static final List<String> DOCUMENTS = List.of("/racks", "/racks.json", "/domains");

    @TempDir
    Path folder;

    @Test
    void runsServesItsPagesAndIsSeenByDomains() throws IOException, InterruptedException {
        int port = freePort();
        try (var world = new ControllerWorld(folder);
                HttpClient http = HttpClient.newHttpClient()) {
            Path config = configuration(port, "address: 127.0.0.1");
            world.create("train");
            try (AgentProcess controller = AgentLaunch.command("controller", "--config", config.toString())
                    .start()) {
                await("ready", () -> world.ready("train"));
                world.hold("tray-1", CLIQUE, "train", 5);
                await("table", () -> world.bound(CLIQUE).equals(Optional.of(List.of(5))));
                awaitPage(http, port, channels(1, 62));

                assertThat(page(http, port, "/readyz")).contains("[+] election: this one leads", "ok");
                assertThat(page(http, port, "/metrics"))
                        .contains("nvidia_dra_compute_domain_info{status=\"Ready\"} 1.0")
                        .contains("imex_agent_controller_channels_free_least 62.0", "imex_agent_controller_cliques 1.0")
                        .contains("imex_agent_controller_leader 1.0");
                assertThat(page(http, port, "/domains"))
                        .contains("\"name\" : \"train\"", "\"channel\" : 5", "\"lostHolds\" : 0");
                assertThat(controller.terminate()).isZero();
            }
            await(
                    "lease given back",
                    () -> world.api
                            .get(io.imexagent.testing.api.object.ResourceType.LEASES, "imex-agent", "imex-controller")
                            .filter(lease -> !lease.path("spec").has("holderIdentity"))
                            .isPresent());
        }
    }

    /** The public controller has no metrics before it leads; ours sees the cluster anyway, and dashboards take the most. */
    @Test
    void aControllerThatDoesNotLeadShowsTheClusterAndNoWorkOfItsOwn() throws IOException, InterruptedException {
        int leading = freePort();
        int following = freePort();
        try (var world = new ControllerWorld(folder);
                HttpClient http = HttpClient.newHttpClient()) {
            world.create("train");
            Path first = configuration(leading, "address: 127.0.0.1");
            try (AgentProcess leader = AgentLaunch.command("controller", "--config", first.toString())
                    .start()) {
                await("ready", () -> world.ready("train"));
                world.hold("tray-1", CLIQUE, "train", 5);
                Path second = Files.writeString(
                        folder.resolve("second.yaml"),
                        Files.readString(first).replace(Integer.toString(leading), Integer.toString(following)));
                try (AgentProcess follower = AgentLaunch.command("controller", "--config", second.toString())
                        .start()) {
                    follower.awaitHttpPort();
                    awaitPage(http, following, domains(1, 0));
                    awaitPage(http, following, channels(1, 62));
                    awaitPage(http, following, "imex_agent_controller_leader 0.0");

                    assertThat(page(http, following, "/metrics"))
                            .doesNotContainPattern("imex_agent_controller_reconcile_seconds_count [1-9]")
                            .doesNotContain("imex_agent_controller_reconcile_errors_total{");
                    assertThat(page(http, leading, "/metrics"))
                            .contains("imex_agent_controller_leader 1.0")
                            .contains(domains(1, 0));

                    assertThat(leader.terminate()).isZero();
                    awaitPage(http, following, "imex_agent_controller_leader 1.0");
                    assertThat(follower.terminate()).isZero();
                }
            }
        }
    }

    @Test
    void theResolvedGatesStandInTheLog() throws IOException, InterruptedException {
        try (var world = new ControllerWorld(folder)) {
            world.create("train");
            Path config = configuration(freePort(), "address: 127.0.0.1");
            try (AgentProcess controller = AgentLaunch.command("controller", "--config", config.toString())
                    .start()) {
                controller.awaitLine("HostManagedIMEX is enabled; forcing ComputeDomainCliques=false");
                controller.awaitLine("feature gates resolved HostManagedIMEX=true IMEXDaemonsWithDNSNames=false"
                        + " ComputeDomainCliques=false");
                await("ready", () -> world.ready("train"));
                assertThat(controller.terminate()).isZero();
            }
        }
    }

    @Test
    void metricsFollowTheDomainsAndForgetThoseThatAreGone() throws IOException, InterruptedException {
        int port = freePort();
        try (var world = new ControllerWorld(folder);
                HttpClient http = HttpClient.newHttpClient()) {
            Path config = configuration(port, "address: 127.0.0.1");
            world.create("train");
            try (AgentProcess controller = AgentLaunch.command("controller", "--config", config.toString())
                    .start()) {
                await("ready", () -> world.ready("train"));
                // It wants the template's name that the first one has.
                world.create("second", "train-channel");
                await("told", () -> world.reasons().contains("TemplateNameTaken"));

                String page = page(http, port, "/metrics");
                assertThat(page).contains(domains(1, 1));
                assertThat(page).containsPattern("imex_agent_controller_reconcile_seconds_count [1-9]");
                assertThat(page).doesNotContain("imex_agent_controller_reconcile_errors_total{");

                world.delete("second");
                await("second gone", () -> world.gone("second"));
                awaitPage(http, port, domains(1, 0));

                world.api.inject(
                        LoggedRequest.of(RequestVerb.DELETE, "resourceclaimtemplates"), FaultAction.answer(500), 1);
                world.delete("train");
                await("train gone", () -> world.gone("train"));
                assertThat(page(http, port, "/metrics"))
                        .contains("imex_agent_controller_reconcile_errors_total{kind=\"server_error\"} 1.0");
                awaitPage(http, port, domains(0, 0));
                assertThat(page(http, port, "/domains")).doesNotContain("train");
                assertThat(controller.terminate()).isZero();
            }
        }
    }

    @Test
    void aControllerThatWasStartedBeforeItsConfigurationWasWrittenTakesItOver()
            throws IOException, InterruptedException {
        try (var world = new ControllerWorld(folder)) {
            String always = "controller: {kubeconfig: %s, port: 0}\nhttp: {address: 127.0.0.1}\n"
                    .formatted(folder.resolve("controller.conf"));
            Path config = Files.writeString(folder.resolve("config.yaml"), always);
            world.create("train");
            try (AgentProcess controller = AgentLaunch.command("controller", "--config", config.toString())
                    .start()) {
                controller.awaitLine("idle until HostManagedIMEX is on");

                Files.writeString(config, always + "featureGates: {HostManagedIMEX: true}\nimex: {isolation: None}\n");

                controller.awaitLine("configuration reloaded change=\"featureGates.HostManagedIMEX false -> true\"");
                await("ready", () -> world.ready("train"));

                Files.writeString(
                        config, always + "featureGates: {HostManagedIMEX: true}\nimex: {isolation: IMEXChannel}\n");
                controller.hangUp();
                controller.awaitLine(
                        "configuration change waits for a restart change=\"imex.isolation None -> IMEXChannel\"");
                assertThat(controller.terminate()).isZero();
            }
        }
    }

    @Test
    void whoMayGetTheRacksSeesThemFromElsewhereOverTls() throws Exception {
        int port = freePort();
        TestAuthority authority = TestAuthority.create(Clock.systemUTC());
        IssuedCertificate certificate = authority.issueServer();
        try (var world = new ControllerWorld(folder);
                HttpClient elsewhere = HttpClient.newBuilder()
                        .sslContext(ClientTls.context(authority.pem(), Optional.empty()))
                        .localAddress(addressOfThisHost())
                        .build()) {
            world.api.acceptToken("jane's", new UserIdentity("jane", Set.of("operators")));
            world.api.acceptToken("john's", new UserIdentity("john", Set.of()));
            DOCUMENTS.forEach(path -> world.api.grantPath("operators", path));
            Path config = configuration(
                    port,
                    "address: 0.0.0.0, tls: {certificate: %s, key: %s}"
                            .formatted(
                                    Files.writeString(folder.resolve("tls.crt"), certificate.certificatePem()),
                                    Files.writeString(folder.resolve("tls.key"), certificate.keyPem())));
            world.create("train");
            try (AgentProcess controller = AgentLaunch.command("controller", "--config", config.toString())
                    .start()) {
                await("ready", () -> world.ready("train"));
                controller.awaitHttpPort();

                for (String path : DOCUMENTS) {
                    assertThat(status(elsewhere, port, path)).isEqualTo(401);
                    assertThat(status(elsewhere, port, path, "Authorization", "Bearer nobody's"))
                            .isEqualTo(401);
                    assertThat(status(elsewhere, port, path, "Authorization", "Bearer john's"))
                            .isEqualTo(403);
                    assertThat(status(elsewhere, port, path, "Authorization", "Bearer jane's"))
                            .isEqualTo(200);
                }
                assertThat(controller.terminate()).isZero();
            }
        }
    }

    private Path configuration(int port, String http) throws IOException {
        return Files.writeString(
                folder.resolve("config.yaml"), """
                        featureGates: {HostManagedIMEX: true}
                        imex: {isolation: IMEXChannel}
                        controller: {kubeconfig: %s, port: %d}
                        http: {%s}
                        """.formatted(folder.resolve("controller.conf"), port, http));
    }

    private static int status(HttpClient http, int port, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + path));
        HttpRequest asked = (headers.length == 0 ? request : request.headers(headers)).build();
        return http.send(asked, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    /** An address from which this host is asked as if by another. */
    private static InetAddress addressOfThisHost() throws SocketException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                .findFirst()
                .orElseThrow(() -> new AssertionError("this host has loopback addresses only"));
    }

    private static String[] domains(int ready, int notReady) {
        return new String[] {
            "nvidia_dra_compute_domain_info{status=\"Ready\"} " + ready + ".0",
            "nvidia_dra_compute_domain_info{status=\"NotReady\"} " + notReady + ".0"
        };
    }

    private static String[] channels(int used, int free) {
        return new String[] {
            "imex_agent_controller_channels{state=\"used\"} " + used + ".0",
            "imex_agent_controller_channels{state=\"free\"} " + free + ".0"
        };
    }

    /** Waits for what the watch tells last. */
    private static void awaitPage(HttpClient http, int port, String... lines) throws IOException, InterruptedException {
        for (int i = 0; i < 100 && !List.of(lines).stream().allMatch(page(http, port, "/metrics")::contains); i++) {
            Thread.sleep(50);
        }
        assertThat(page(http, port, "/metrics")).contains(lines);
    }

    private static String page(HttpClient http, int port, String path) throws IOException, InterruptedException {
        return http.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }
}
