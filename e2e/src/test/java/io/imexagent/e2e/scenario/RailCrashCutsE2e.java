package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.e2e.agent.Rails;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Claims for RDMA NICs, with an agent that ends after each change of files that it makes: {@link CrashCuts}. */
class RailCrashCutsE2e {

    private static final String RDMA0 = "rail-0000-03-00-0";
    private static final String RDMA3 = "rail-0012-03-00-0";
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void aPrepareThatWasCutIsDoneByTheNextAgent() throws Exception {
        int cuts = CrashCuts.each((world, changes) -> {
            Rails rails = tray(world);
            KubeletClaimRequest claim = rails.schedule(1, RDMA0, RDMA3);
            boolean lived = CrashCuts.lives(CrashCuts.start(world, changes), () -> rails.prepare(claim));
            if (lived) {
                assertPrepared(world, rails, claim);
            }

            AgentProcess next = rails.startAlone();
            assertThat(Rails.cdiDevices(rails.awaitPrepared(next, claim)))
                    .containsExactly(
                            "k8s.rdma.imexagent.io/claim=" + claim.uid() + "-" + RDMA0,
                            "k8s.rdma.imexagent.io/claim=" + claim.uid() + "-" + RDMA3);
            assertPrepared(world, rails, claim);

            rails.awaitUnprepared(next, claim);
            assertNothingLeft(world, rails);
            return lived;
        });

        assertThat(cuts).as("changes of a prepare").isGreaterThanOrEqualTo(2);
    }

    @Test
    void anUnprepareThatWasCutIsDoneByTheNextAgent() throws Exception {
        int cuts = CrashCuts.each((world, changes) -> {
            Rails rails = tray(world);
            KubeletClaimRequest claim = rails.schedule(1, RDMA0);
            AgentProcess first = rails.startAlone();
            rails.awaitPrepared(first, claim);
            first.kill();
            // What the start itself does to bring files and record together is cut as well.
            boolean lived = CrashCuts.lives(CrashCuts.start(world, changes), () -> rails.unprepare(claim));
            if (lived) {
                assertNothingLeft(world, rails);
            }

            AgentProcess next = rails.startAlone();
            rails.awaitUnprepared(next, claim);
            assertNothingLeft(world, rails);
            return lived;
        });

        assertThat(cuts).as("changes of an unprepare").isGreaterThanOrEqualTo(2);
    }

    @Test
    void aPrepareThatWasCutForAPodThatIsGoneFreesItsRail() throws Exception {
        CrashCuts.each((world, changes) -> {
            // An administrator is told that a claim is gone; a node would be told that it may not know.
            Path kubeconfig =
                    world.api().writeKubeconfig(world.directory().resolve("admin"), new Login.TokenLogin("admin"));
            world.with("kubernetes.kubeconfig", kubeconfig.toString());
            Rails rails = tray(world);
            KubeletClaimRequest claim = rails.schedule(1, RDMA0);
            boolean lived = CrashCuts.lives(CrashCuts.start(world, changes), () -> rails.prepare(claim));
            rails.forget(1);

            AgentProcess next = rails.startAlone();

            next.awaitTrue(
                    "every claim to be prepared or forgotten",
                    () -> entries(rails).allMatch(entry -> state(entry).equals("PrepareCompleted")));
            next.awaitTrue(
                    "a spec and a file of variables for each claim",
                    () -> world.host().cdiFiles().size() == 2 * entries(rails).count());
            rails.awaitUnprepared(next, claim);
            KubeletClaimRequest other = rails.schedule(2, RDMA0);
            rails.awaitPrepared(next, other);
            assertPrepared(world, rails, other);
            return lived;
        });
    }

    private static Rails tray(World world) {
        RdmaTree.gb200(world.host().root());
        var rails = new Rails(world);
        rails.configureAlone();
        return rails;
    }

    private static void assertPrepared(World world, Rails rails, KubeletClaimRequest claim) throws IOException {
        assertThat(entries(rails))
                .singleElement()
                .satisfies(entry -> assertThat(state(entry)).isEqualTo("PrepareCompleted"));
        assertThat(rails.state()).contains(claim.uid());
        assertThat(world.host().cdiFiles()).containsExactly(rails.variables(claim), rails.spec(claim));
        CrashCuts.assertNoTemporaries(rails.directory());
    }

    private static void assertNothingLeft(World world, Rails rails) throws IOException {
        assertThat(entries(rails)).isEmpty();
        assertThat(world.host().cdiFiles()).isEmpty();
        CrashCuts.assertNoTemporaries(rails.directory());
    }

    /** The claims behind the first line, which holds the checksum. */
    private static Stream<JsonNode> entries(Rails rails) throws IOException {
        String file = rails.state();
        return file.isEmpty()
                ? Stream.empty()
                : JSON.readTree(file.substring(file.indexOf('\n') + 1))
                        .path("claims")
                        .valueStream();
    }

    private static String state(JsonNode entry) {
        return entry.path("state").asText();
    }
}
