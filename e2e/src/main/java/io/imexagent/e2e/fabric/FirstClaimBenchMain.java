package io.imexagent.e2e.fabric;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.AgentSettings;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.host.FakeHost;
import io.imexagent.testing.kubelet.Claim;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletDouble;
import io.imexagent.testing.workload.Workload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Prepares with two agents in turn, one without isolation and one with a channel for each workload: what the first claim
 * of a ComputeDomain on a node costs, and a further one. One JSON document on standard output.
 */
public final class FirstClaimBenchMain {

    private static final int WARM_UP = 30;
    private static final int ROUNDS = 90;
    private static final CliqueId CLIQUE = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766");

    private FirstClaimBenchMain() {}

    /** Measures. */
    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("imex");
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions());
                Clients clients = new Clients(api);
                var shared = new Node(api, folder, "shared", "None", 0);
                var isolated = new Node(api, folder, "isolated", "IMEXChannel", 100_000)) {
            var control = clients.control().fabric();
            if (control.clique(CLIQUE).isEmpty()) {
                var _ = control.create(CLIQUE, new NvlinkClique(2048, ChannelTable.EMPTY));
            }
            double[] none = new double[ROUNDS];
            double[] first = new double[ROUNDS];
            double[] further = new double[ROUNDS];
            for (int round = -WARM_UP; round < ROUNDS; round++) {
                double[] of = {
                    shared.prepareOne("channel-0"), isolated.prepareOne("channel"), isolated.prepareAnother("channel")
                };
                shared.end();
                isolated.end();
                var table = control.clique(CLIQUE).orElseThrow();
                var _ = control.replace(table, new NvlinkClique(2048, ChannelTable.EMPTY));
                if (round >= 0) {
                    none[round] = of[0];
                    first[round] = of[1];
                    further[round] = of[2];
                }
            }
            ObjectNode report = Json.object().put("rounds", ROUNDS);
            put(report.putObject("isolation None"), none, none);
            put(report.putObject("IMEXChannel, first claim"), first, none);
            put(report.putObject("IMEXChannel, further claim"), further, none);
            System.out.println(new String(Json.bytes(report), StandardCharsets.UTF_8));
        }
        System.exit(0);
    }

    private static void put(ObjectNode to, double[] millis, double[] beside) {
        to.put("p50 ms", rounded(quantile(millis, 0.5)))
                .put("p90 ms", rounded(quantile(millis, 0.9)))
                .put("p50 / None", rounded(quantile(millis, 0.5) / quantile(beside, 0.5)));
    }

    private static double quantile(double[] values, double share) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[(int) (sorted.length * share)];
    }

    private static double rounded(double value) {
        return Math.round(value * 100) / 100.0;
    }

    /** An agent with its kubelet. */
    private static final class Node implements AutoCloseable {

        private final ApiDouble api;
        private final String name;
        private final KubeletDouble kubelet;
        private final AgentProcess agent;
        private final FakeHost host;
        private int number;

        Node(ApiDouble api, Path folder, String name, String isolation, int number) throws Exception {
            this.api = api;
            this.name = name;
            this.number = number;
            Path own = Files.createDirectories(folder.resolve(name));
            this.host = FakeHost.create(own);
            api.apply(Workload.cluster(name));
            Path kubeconfig = api.writeKubeconfig(own.resolve("kubelet.conf"), new Login.Token("node:" + name));
            Path config = AgentSettings.of(host, name, kubeconfig)
                    .with("imex.isolation", isolation)
                    .write(own.resolve("config.yaml"));
            this.kubelet = KubeletDouble.start(host.kubeletRoot());
            this.agent = AgentLaunch.run(config).start();
            agent.awaitTrue("its plugin", () -> !kubelet.plugins().isEmpty());
            agent.awaitTrue(
                    "its slice",
                    () -> api.list(ResourceType.RESOURCE_SLICES).stream()
                            .anyMatch(
                                    slice -> slice.at("/spec/nodeName").asText().equals(name)));
        }

        /** Milliseconds for the first claim of a new ComputeDomain. */
        double prepareOne(String device) {
            number += 2;
            var workload = new Workload("bench", name, number);
            api.apply(workload.domainObject());
            return prepare(workload, workload, device);
        }

        /** Milliseconds for a further claim of the same ComputeDomain. */
        double prepareAnother(String device) {
            return prepare(new Workload("bench", name, number + 1), new Workload("bench", name, number), device);
        }

        /** The claim as the controller's template makes it. */
        private double prepare(Workload workload, Workload of, String device) {
            ObjectNode pod = workload.podObject();
            Claim claim = workload.claim();
            ObjectNode object =
                    Fixtures.allocatedClaim(claim.namespace(), claim.name(), claim.uid(), name, of.domainUid(), pod);
            object.withObject("/metadata/annotations").put(DriverNames.DOMAIN_ANNOTATION, of.domain());
            ((ObjectNode) object.at("/status/allocation/devices/results/0")).put("device", device);
            api.apply(pod);
            api.apply(object);
            long begun = System.nanoTime();
            ClaimResult result = kubelet.prepare(claim);
            double millis = (System.nanoTime() - begun) / 1e6;
            if (!(result instanceof ClaimResult.Done)) {
                throw new IllegalStateException(name + ": " + result);
            }
            return millis;
        }

        /** All pods end, and nothing is held any more. */
        void end() throws Exception {
            for (int one = number; one <= number + 1; one++) {
                var _ = kubelet.unprepare(new Workload("bench", name, one).claim());
            }
            agent.awaitTrue(
                    "nothing to be held",
                    () -> api.get(ResourceType.NVLINK_NODES, "", name)
                            .filter(node -> !node.at("/spec/holds").isEmpty())
                            .isEmpty());
        }

        @Override
        public void close() throws IOException {
            agent.close();
            kubelet.close();
        }
    }
}
