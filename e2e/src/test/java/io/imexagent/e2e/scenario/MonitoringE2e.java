package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.sun.net.httpserver.HttpServer;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rules and dashboard in Prometheus itself, over pages as agents and controllers write them: healthy, each with faults, healthy
 * again. Two clusters have nodes of the same names, and only one falls ill. In a copy of the rules time runs 240 times as
 * fast; promtool's tests hold the times as they are.
 */
class MonitoringE2e {
    private static final Path ROOT = Checkout.find().root();
    private static final Path FILES = ROOT.resolve("packaging/prometheus");
    private static final Path PAGES = ROOT.resolve("agent/src/test/resources/io/imexagent/agent/metrics");

    private static final String ILL = "west";
    private static final String WELL = "east";
    private static final List<String> TRAYS =
            List.of("tray-1", "tray-2", "tray-3", "tray-4", "tray-5", "tray-6", "tray-7", "tray-8");
    private static final String CONTROLLER = "control-1";

    private static final int HASTE = 240;
    private static final String INTERVAL = "250ms";
    private static final Pattern TIME = Pattern.compile("(for: |\\[|offset )(\\d+)([mhdw])\\b");
    /** No test waits for more than what an hour is in haste: a day and a week are cut to it. */
    private static final Duration LONGEST = Duration.ofHours(1);

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Pattern ADDRESS = Pattern.compile("msg=\"Listening on\" address=(\\S+)");
    private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.+), (\\w+)\\)");

    /** How the recorded page of a node with faults becomes that of one without: node, series, and what stands in its place. */
    private static final String HEALTHY = """
            tray    imex_agent_registration_state{driver="compute-domain.nvidia.com",state="registered"} 1
            tray    imex_agent_registration_state{driver="compute-domain.nvidia.com",state="not_yet"}    0
            tray    imex_agent_registration_state{driver="rdma.imexagent.io",state="registered"}         1
            tray    imex_agent_registration_state{driver="rdma.imexagent.io",state="rejected"}           0
            tray    imex_agent_findings{code="gpu-lost",severity="critical"}                             gone
            tray    imex_agent_gpu_recovery_action{action="drain_and_reset",gpu="1"}                     {action="none",gpu="1"} 1
            tray    imex_agent_holds_unwritten                                                           0
            tray    imex_agent_cliques_left                                                              0
            tray    imex_agent_channel_conflicts                                                         0
            tray    imex_agent_imex_domain_state{state="up"}                                             1
            tray    imex_agent_imex_domain_state{state="degraded"}                                       0
            tray    imex_agent_imex_last_check_timestamp_seconds                                         now
            tray    imex_agent_rdma_published{held="true",state="down"}                                  0
            tray    imex_agent_rdma_findings{code="rdma-cm-missing",severity="warning"}                  gone
            control imex_agent_controller_leader                                                         1
            control imex_agent_controller_channels_free_least                                            64
            control imex_agent_controller_clique_limit{clique="b4a1f0de-5b72-4e09-9d36-8f2b7a60e153.1",limited_by="tray-1"} gone
            control imex_agent_controller_contradicted_pairs                                             0
            control imex_agent_controller_lost_holds                                                     0
            control imex_agent_controller_channel_conflicts                                              0
            control imex_agent_controller_nodes_differing{what="isolation"}                              0
            control imex_agent_controller_nodes_file_faults{fault="files-differ"}                          0
            """;

    /** What is wrong where in the cluster that falls ill: alerts, node, series of its page, and what stands in its place. */
    private static final String FAULTS = """
            ImexAgentDown                       tray-2    up                                                                   0
            ImexAgentNotRegistered              tray-3    imex_agent_registration_state{driver="compute-domain.nvidia.com",state="registered"} 0
            ImexAgentPublicationFailing         tray-3    imex_agent_publication_state{driver="compute-domain.nvidia.com",state="failing"} 1
            ImexAgentApiUnreachable             tray-3    imex_agent_api_up                                                    0
            ImexAgentWorkerStuck                tray-3    imex_agent_worker_busy_seconds{worker="claims"}                      61
            ImexAgentPrepareErrors              tray-3    nvidia_dra_node_prepare_errors_total{driver="compute-domain.nvidia.com",error_type="effect_failed"} rising
            ImexAgentPrepareSlow                tray-3    nvidia_dra_request_duration_seconds_bucket{driver="compute-domain.nvidia.com",operation="prepare",le="+Inf"} rising
            ImexAgentConnectionsRefused         tray-3    imex_agent_connections_refused_total                                 rising
            ImexAgentVersionsDiffer             tray-3    imex_agent_build_info{commit="0123abc",version="1.2.3"}              {commit="4567def",version="1.2.4"} 1
            ImexRailsNotRegistered              tray-3    imex_agent_registration_state{driver="rdma.imexagent.io",state="registered"} 0
            ImexNodeHoldsUnwritten              tray-3    imex_agent_holds_unwritten                                           recorded
            ImexNodeFabricLimited               tray-3    imex_agent_findings{code="gpu-lost",severity="critical"}             {code="fabric-limited",severity="warning"} 1
            ImexNodeDriverTrouble               tray-4    imex_agent_findings{code="gpu-lost",severity="critical"}             recorded
            ImexNodeGpuNeedsRecovery            tray-4    imex_agent_gpu_recovery_action{action="drain_and_reset",gpu="1"}     recorded
            ImexNodeXids                        tray-4    imex_agent_gpu_xid_errors_total{gpu="0",xid="79"}                    rising
            ImexAgentInventoryStale             tray-4    imex_agent_inventory_age_seconds                                     301
            ImexHealthCheckStale                tray-4    imex_agent_imex_last_check_timestamp_seconds                         recorded
            ImexHealthUnknown                   tray-4    imex_agent_imex_daemon_state{state="unknown"}                        1
            ImexHealthUnknown                   tray-4    imex_agent_imex_daemon_state{state="ready"}                          0
            ImexRailsStale                      tray-4    imex_agent_rdma_age_seconds                                          301
            ImexRailsPrepareErrors              tray-4    nvidia_dra_node_prepare_errors_total{driver="compute-domain.nvidia.com",error_type="effect_failed"} {driver="rdma.imexagent.io",error_type="effect_failed"} rising
            ImexNodeFabricTrouble               tray-5    imex_agent_findings{code="gpu-lost",severity="critical"}             {code="fabric-failed",severity="critical"} 1
            ImexDaemonNotReady                  tray-5    imex_agent_imex_daemon_state{state="failed"}                         1
            ImexDaemonNotReady                  tray-5    imex_agent_imex_daemon_state{state="ready"}                          0
            ImexDomainDown                      tray-5    imex_agent_imex_domain_state{state="down"}                           1
            ImexDomainDown                      tray-5    imex_agent_imex_domain_state{state="up"}                             0
            ImexNodeLeftItsClique               tray-5    imex_agent_clique_info{clique="c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766"} gone
            ImexRailDown                        tray-5    imex_agent_rdma_published{held="true",state="down"}                  recorded
            ImexNodeFabricRegistering           tray-6    imex_agent_findings{code="gpu-lost",severity="critical"}             {code="fabric-registering",severity="warning"} 1
            ImexDomainDegraded                  tray-6    imex_agent_imex_domain_state{state="degraded"}                       recorded
            ImexDomainDegraded                  tray-6    imex_agent_imex_domain_state{state="up"}                             recorded
            ImexRailsFinding                    tray-6    imex_agent_rdma_findings{code="rdma-cm-missing",severity="warning"}  recorded
            ImexRailsWithoutGpuDirect           tray-6    imex_agent_rdma_gpudirect{method="dma-buf"}                          {method="none"} 1
            ImexNodeHoldsAnotherCliquesChannels tray-6    imex_agent_cliques_left                                              recorded
            ImexNodeChannelConflict             tray-6    imex_agent_channel_conflicts                                         recorded
            ImexNodeNoChannels                  tray-7    imex_agent_findings{code="gpu-lost",severity="critical"}             {code="channel-major-missing",severity="critical"} 1
            ImexRailsNone                       tray-7    imex_agent_rdma_published{held="false",state="up"}                   0
            ImexRailsLost,ImexRailsDiffer       tray-7    imex_agent_rdma_published{held="true",state="up"}                    0
            ImexDaemonSkipped                   tray-8    imex_agent_findings{code="gpu-lost",severity="critical"}             {code="imex-skipped-at-boot",severity="warning"} 1
            ImexControllerNoLeader              control-1 imex_agent_controller_leader                                         recorded
            ImexChannelsLow                     control-1 imex_agent_controller_channels_free_least                            recorded
            ImexCliqueLimited                   control-1 imex_agent_controller_clique_limit{clique="b4a1f0de-5b72-4e09-9d36-8f2b7a60e153.1",limited_by="tray-1"} 8
            ImexImportContradictsStatus         control-1 imex_agent_controller_contradicted_pairs                             recorded
            ImexHoldsOfLostNodes                control-1 imex_agent_controller_lost_holds                                     recorded
            ImexChannelConflict                 control-1 imex_agent_controller_channel_conflicts                              recorded
            ImexChannelShared                   control-1 imex_agent_controller_channel_shared                                 1
            ImexNodesDiffer                     control-1 imex_agent_controller_nodes_differing{what="isolation"}              recorded
            ImexNodesFileFault                  control-1 imex_agent_controller_nodes_file_faults{fault="files-differ"}         1
            """;

    /** A series of a node's page, and what stands in its place. */
    private record Change(List<String> alerts, String node, String series, String becomes) {

        static List<Change> parse(String table) {
            return table.lines()
                    .map(line -> line.split("\\s+", 4))
                    .map(words -> new Change(List.of(words[0].split(",", -1)), words[1], words[2], words[3]))
                    .toList();
        }

        boolean changes(String line) {
            return line.startsWith(series + " ");
        }

        /** The line after the change, or no line. */
        String of(String line, long count) {
            String value = becomes.replace("rising", Long.toString(count))
                    .replace("now", Long.toString(Instant.now().getEpochSecond()));
            return switch (value) {
                case "recorded" -> line;
                case "gone" -> "";
                default -> value.startsWith("{") ? series.replaceFirst("\\{.*", "") + value : series + " " + value;
            };
        }
    }

    private final List<Change> healthy =
            Change.parse(HEALTHY.lines().map(line -> "- " + line + "\n").reduce("", String::concat));
    private final List<Change> faults = Change.parse(FAULTS);
    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    Path folder;

    private List<String> agentPage = List.of();
    private List<String> controllerPage = List.of();
    private volatile boolean ill;
    private final AtomicLong scrapes = new AtomicLong();
    private HttpServer pages;
    private Process prometheus;
    private String address = "";

    @BeforeEach
    void start() throws Exception {
        agentPage = page("serving-with-faults");
        controllerPage = page("controller-of-channels");
        pages = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        pages.createContext("/", exchange -> {
            String[] path = exchange.getRequestURI().getPath().split("/", -1);
            byte[] body = answer(path[1], path[2]);
            exchange.sendResponseHeaders(body.length == 0 ? 503 : 200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        pages.start();

        Files.createDirectories(folder.resolve("rules"));
        for (Path rules : Checkout.files(FILES.resolve("rules"), "*.yaml")) {
            Files.writeString(
                    folder.resolve("rules").resolve(rules.getFileName().toString()), hasty(Files.readString(rules)));
        }
        Files.write(folder.resolve("prometheus.yaml"), Json.bytes(configuration()));
        Path log = folder.resolve("log");
        prometheus = new ProcessBuilder(
                        "prometheus",
                        "--config.file=" + folder.resolve("prometheus.yaml"),
                        "--storage.tsdb.path=" + folder.resolve("data"),
                        "--web.listen-address=127.0.0.1:0")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        until("Prometheus listens", () -> {
            String said = Files.readString(log);
            assertThat(prometheus.isAlive()).as(said).isTrue();
            Matcher listening = ADDRESS.matcher(said);
            address = listening.find() ? listening.group(1) : "";
            return address.isEmpty() ? List.of("its address") : List.of();
        });
    }

    @AfterEach
    void stop() throws InterruptedException {
        prometheus.destroy();
        prometheus.waitFor();
        pages.stop(0);
        client.close();
    }

    @Test
    void everyAlertFiresAndResolvesAndEveryPanelHasData() throws Exception {
        assertThat(faults.stream().flatMap(fault -> fault.alerts().stream()).distinct())
                .as("the alerts with a fault, and the rules")
                .containsExactlyInAnyOrderElementsOf(
                        yaml(FILES.resolve("rules/alerts.yaml")).findValuesAsText("alert"));
        until("all nodes have an hour of history", () -> {
            Set<String> nodes = new TreeSet<>(TRAYS);
            nodes.removeAll(values("node", query(hasty("imex_agent_clique_info offset 1h"))));
            return nodes;
        });
        until("nothing fires while all is well", () -> firing(ILL));

        ill = true;
        until("all alerts have fired", () -> {
            Set<String> silent = new TreeSet<>();
            faults.forEach(fault -> silent.addAll(fault.alerts()));
            silent.removeAll(values(
                    "alertname", query("max_over_time(ALERTS{alertstate=\"firing\", cluster=\"" + ILL + "\"}[1h])")));
            return silent;
        });
        until("nothing fires in the cluster that is well", () -> firing(WELL));
        for (String alert : alertsThatNameANode()) {
            assertThat(values(
                            "node",
                            query("max_over_time(ALERTS{alertstate=\"firing\", alertname=\"" + alert + "\"}[1h])")))
                    .as(alert)
                    .isEqualTo(faults.stream()
                            .filter(fault -> fault.alerts().contains(alert))
                            .map(Change::node)
                            .collect(Collectors.toSet()));
        }
        List<JsonNode> prepared = query("nvidia_dra_prepared_devices");
        assertThat(values("node", prepared))
                .as("the label of the target, not what the page says")
                .isEqualTo(Set.copyOf(TRAYS));
        assertThat(values("exported_node", prepared)).containsExactly("");
        assertThat(panelsWithoutData()).isEmpty();
        assertThat(variable("node")).containsAll(TRAYS);
        assertThat(variable("cluster")).containsExactly(WELL, ILL);

        ill = false;
        until("all alerts are resolved", () -> firing(ILL));
    }

    /** Whoever is woken by one of these reads in it on which node to look. */
    private static List<String> alertsThatNameANode() throws IOException {
        var naming = new ArrayList<String>();
        for (JsonNode group : yaml(FILES.resolve("rules/alerts.yaml")).path("groups")) {
            for (JsonNode rule : group.path("rules")) {
                if (rule.path("annotations").toString().contains("$labels.node")) {
                    naming.add(rule.path("alert").asText());
                }
            }
        }
        assertThat(naming).contains("ImexAgentDown", "ImexNodeDriverTrouble");
        return naming;
    }

    private List<String> panelsWithoutData() throws Exception {
        var without = new ArrayList<String>();
        for (JsonNode panel : dashboard().path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                // The zero that a panel shows for nothing is not what is asked for.
                String expression = substituted(target.path("expr").asText()).replace(" or vector(0)", "");
                if (query(expression).isEmpty()) {
                    without.add(panel.path("title").asText() + ": " + expression);
                }
            }
        }
        return without;
    }

    private List<String> variable(String name) throws Exception {
        for (JsonNode variable : dashboard().path("templating").path("list")) {
            if (variable.path("name").asText().equals(name)) {
                String text = variable.path("query").path("query").asText();
                Matcher query = LABEL_VALUES.matcher(substituted(text));
                assertThat(query.matches()).as(text).isTrue();
                var values = new ArrayList<String>();
                get("label/" + query.group(2) + "/values?match[]=", query.group(1))
                        .forEach(value -> values.add(value.asText()));
                return values;
            }
        }
        throw new AssertionError("the dashboard has no variable " + name);
    }

    /** What Grafana makes of a query with all nodes of all clusters. */
    private static String substituted(String query) {
        return query.replaceAll("\\$(cluster|node)", ".*");
    }

    private Set<String> firing(String cluster) throws Exception {
        return values("alertname", query("ALERTS{alertstate=\"firing\", cluster=\"" + cluster + "\"}"));
    }

    private static Set<String> values(String label, List<JsonNode> series) {
        var values = new TreeSet<String>();
        series.forEach(one -> values.add(one.path("metric").path(label).asText()));
        return values;
    }

    private List<JsonNode> query(String expression) throws Exception {
        var series = new ArrayList<JsonNode>();
        get("query?query=", expression).path("result").forEach(series::add);
        return series;
    }

    private JsonNode get(String call, String argument) throws Exception {
        URI uri = URI.create("http://" + address + "/api/v1/" + call.replace("[]", "%5B%5D")
                + URLEncoder.encode(argument, StandardCharsets.UTF_8));
        JsonNode answer = Json.parse(client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofByteArray())
                .body());
        assertThat(answer.path("status").asText()).as(argument + ": " + answer).isEqualTo("success");
        return answer.path("data");
    }

    private byte[] answer(String cluster, String node) {
        long count = scrapes.incrementAndGet();
        List<Change> now = new ArrayList<>();
        if (ill && cluster.equals(ILL)) {
            faults.stream().filter(fault -> fault.node().equals(node)).forEach(now::add);
        }
        if (now.stream().anyMatch(change -> change.series().equals("up"))) {
            return new byte[0];
        }
        healthy.stream().filter(change -> node.startsWith(change.node())).forEach(now::add);
        var text = new StringBuilder();
        for (String line : node.equals(CONTROLLER) ? controllerPage : agentPage) {
            text.append(now.stream()
                            .filter(change -> change.changes(line))
                            .findFirst()
                            .map(change -> change.of(line, count))
                            .orElse(line))
                    .append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** A recorded page, with a value for what differs from run to run; every change finds its series there. */
    private List<String> page(String name) throws IOException {
        List<String> lines = Files.readString(PAGES.resolve(name + ".txt"))
                .lines()
                .map(line -> line.replaceFirst(" …$", " 1").replace("=…", "=\"x\""))
                .toList();
        String whose = name.startsWith("controller") ? "control" : "tray";
        List<Change> changes = new ArrayList<>(healthy);
        changes.addAll(faults);
        assertThat(changes)
                .filteredOn(change ->
                        change.node().startsWith(whose) && !change.series().equals("up"))
                .allSatisfy(change -> assertThat(lines).anyMatch(change::changes));
        return lines;
    }

    /** The scrape configuration that is shipped, with two clusters instead of the discovery of nodes. */
    private ObjectNode configuration() throws IOException {
        ObjectNode configuration = (ObjectNode) new YAMLMapper()
                .readTree(Files.readString(FILES.resolve("scrape.yaml"))
                        .replaceAll(
                                "\\$1:94\\d\\d", "\\$1:" + pages.getAddress().getPort()));
        configuration.putObject("global").put("scrape_interval", INTERVAL).put("evaluation_interval", INTERVAL);
        configuration.putArray("rule_files").add("rules/*.yaml");
        for (JsonNode job : configuration.path("scrape_configs")) {
            assertThat(((ObjectNode) job).remove("kubernetes_sd_configs")).isNotNull();
            var targets = ((ObjectNode) job).putArray("static_configs");
            boolean agents = job.path("job_name").asText().equals("imex-agent");
            for (String cluster : List.of(ILL, WELL)) {
                for (String node : agents ? TRAYS : List.of(CONTROLLER)) {
                    ObjectNode target = targets.addObject();
                    target.putArray("targets").add(node);
                    target.putObject("labels")
                            .put("cluster", cluster)
                            .put("__metrics_path__", "/" + cluster + "/" + node)
                            .put("__meta_kubernetes_node_name", node)
                            .put("__meta_kubernetes_node_address_InternalIP", "127.0.0.1")
                            .put("__meta_kubernetes_node_labelpresent_node_role_kubernetes_io_control_plane", "true");
                }
            }
        }
        return configuration;
    }

    private static String hasty(String rules) {
        return TIME.matcher(rules).replaceAll(time -> {
            Duration each = switch (time.group(3)) {
                case "m" -> Duration.ofMinutes(1);
                case "h" -> Duration.ofHours(1);
                default -> LONGEST;
            };
            Duration whole = each.multipliedBy(Long.parseLong(time.group(2)));
            Duration cut = whole.compareTo(LONGEST) > 0 ? LONGEST : whole;
            return Matcher.quoteReplacement(time.group(1) + cut.toMillis() / HASTE + "ms");
        });
    }

    /** Waits until nothing is missing. */
    private static void until(String what, Callable<? extends Collection<String>> missing) throws Exception {
        Instant deadline = Instant.now().plus(PATIENCE);
        for (Collection<String> left = missing.call(); !left.isEmpty(); left = missing.call()) {
            assertThat(Instant.now()).as(what + ", missing: " + left).isBefore(deadline);
            Thread.sleep(Duration.ofMillis(250));
        }
    }

    private static JsonNode dashboard() throws IOException {
        return Json.parse(Files.readAllBytes(FILES.resolve("dashboard.json")));
    }

    private static JsonNode yaml(Path file) throws IOException {
        return new YAMLMapper().readTree(Files.readString(file));
    }
}
