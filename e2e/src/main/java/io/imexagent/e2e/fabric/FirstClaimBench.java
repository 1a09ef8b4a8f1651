package io.imexagent.e2e.fabric;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.bench.Samples;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.AgentSettings;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.host.FakeHost;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import io.imexagent.testing.kubelet.KubeletDouble;
import io.imexagent.testing.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Prepares with two agents in turn, one without isolation and one with a channel for each workload: what the first claim
 * of a ComputeDomain on a node costs, and a further one.
 */
public final class FirstClaimBench {

    private static final int WARM_UP = 30;

    private FirstClaimBench() {}

    public static ObjectNode measure(int rounds) throws Exception {
        Path folder = Files.createTempDirectory("imex");
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions());
                Clients clients = new Clients(api);
                var shared = new BenchedNode(api, folder, "shared", "None", 0);
                var isolated = new BenchedNode(api, folder, "isolated", "IMEXChannel", 100_000)) {
            var control = clients.control();
            var _ = control.cliques().create(Clients.CLIQUE.text(), Clients.EMPTY);
            var none = new Samples();
            var first = new Samples();
            var further = new Samples();
            for (int round = -WARM_UP; round < rounds; round++) {
                long ofNone = shared.prepareOne("channel-0");
                long ofFirst = isolated.prepareOne("channel");
                long ofFurther = isolated.prepareAnother("channel");
                shared.end();
                isolated.end();
                var _ = control.cliques()
                        .replace(control.cliques().get(Clients.CLIQUE.text()).orElseThrow(), Clients.EMPTY);
                if (round >= 0) {
                    none.add(ofNone);
                    first.add(ofFirst);
                    further.add(ofFurther);
                }
            }
            ObjectNode report = Json.object().put("isolation", "IMEXChannel").put("rounds", rounds);
            report.set("none_ms", none.percentiles());
            report.set("first_claim_ms", first.percentiles());
            report.set("further_claim_ms", further.percentiles());
            return report.put("first_over_none", Samples.rounded(first.median() / none.median()))
                    .put("further_over_none", Samples.rounded(further.median() / none.median()));
        }
    }

    private static final class BenchedNode implements AutoCloseable {

        private final ApiDouble api;
        private final String name;
        private final KubeletDouble kubelet;
        private final AgentProcess agent;
        private int number;

        BenchedNode(ApiDouble api, Path folder, String name, String isolation, int number) throws Exception {
            this.api = api;
            this.name = name;
            this.number = number;
            Path own = Files.createDirectories(folder.resolve(name));
            FakeHost host = FakeHost.create(own);
            api.apply(Workload.cluster(name));
            Path kubeconfig = api.writeKubeconfig(own.resolve("kubelet.conf"), new Login.TokenLogin("node:" + name));
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

        /** Nanoseconds for the first claim of a new ComputeDomain. */
        long prepareOne(String device) {
            number += 2;
            api.apply(workload(number).domainObject());
            return prepare(workload(number), device);
        }

        /** Nanoseconds for a further claim of the same ComputeDomain. */
        long prepareAnother(String device) {
            return prepare(workload(number + 1), device);
        }

        private Workload workload(int which) {
            return new Workload("bench", name, which);
        }

        /** The claim as the controller's template makes it. */
        private long prepare(Workload workload, String device) {
            Workload of = workload(number);
            ObjectNode pod = workload.podObject();
            KubeletClaimRequest claim = workload.claim();
            ObjectNode object =
                    Fixtures.allocatedClaim(claim.namespace(), claim.name(), claim.uid(), name, of.domainUid(), pod);
            object.withObject("/metadata/annotations").put(DriverNames.DOMAIN_ANNOTATION, of.domain());
            ((ObjectNode) object.at("/status/allocation/devices/results/0")).put("device", device);
            api.apply(pod);
            api.apply(object);
            long begun = System.nanoTime();
            ClaimResult result = kubelet.prepare(claim);
            long took = System.nanoTime() - begun;
            if (!(result instanceof ClaimResult.ClaimDone)) {
                throw new IllegalStateException(name + ": " + result);
            }
            return took;
        }

        /** All pods end, and nothing is held any more. */
        void end() throws Exception {
            for (int one = number; one <= number + 1; one++) {
                var _ = kubelet.unprepare(workload(one).claim());
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
