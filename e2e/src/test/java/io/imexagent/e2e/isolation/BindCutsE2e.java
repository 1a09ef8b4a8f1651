package io.imexagent.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.FaultAction;
import io.imexagent.testing.api.InjectedFault;
import io.imexagent.testing.api.LoggedRequest;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.kubelet.ClaimResult;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Agents that are killed while one of the calls is under way by which a channel is held, bound, or given back. The call
 * lands late, when the next agent works already, or never.
 */
@ExtendWith(Worlds.class)
class BindCutsE2e {

    private static final String USER = "system:node:" + World.NODE;

    enum Cut {
        /** The node's object says that it holds the ComputeDomain. */
        HOLD,
        /** The clique's table is read. */
        LOOK,
        /** The table gets an entry. */
        BIND,
        /** The claim is prepared, and the node's object says under which number. */
        NUMBER
    }

    @ParameterizedTest
    @CsvSource({"HOLD, true", "HOLD, false", "LOOK, false", "BIND, true", "BIND, false", "NUMBER, true", "NUMBER, false"
    })
    void aPrepareThatWasCutIsDoneByTheNextAgent(Cut cut, boolean late, World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            cluster.apply("two-domains.yaml");
            AgentProcess agent = cluster.startAgent();
            cluster.awaitBound(agent, "red", "blue");

            InjectedFault underWay = prepareUntil(cut, cluster, agent, world);
            agent.kill();
            AgentProcess next = cluster.startAgent();
            if (late) {
                underWay.release();
            }

            cluster.awaitPrepared(next, "blue");
            cluster.awaitPrepared(next, "red");
            assertThat(cluster.channel("red")).isNotEqualTo(cluster.channel("blue"));
            for (String pod : new String[] {"red", "blue"}) {
                assertThat(cluster.spec(cluster.claim(pod))).contains("/channel" + cluster.channel(pod));
            }
            next.awaitTrue(
                    "both are held under their numbers",
                    () -> cluster.holds().stream()
                                    .filter(BindCutsE2e::isHeldAsBound)
                                    .count()
                            == 2);
            assertThat(cluster.entries()).hasSize(2);

            assertThat(world.kubelet().unprepare(cluster.claim("red"))).isInstanceOf(ClaimResult.ClaimDone.class);
            assertThat(world.kubelet().unprepare(cluster.claim("blue"))).isInstanceOf(ClaimResult.ClaimDone.class);
            next.awaitTrue("nothing is held", () -> cluster.holds().isEmpty());
            next.awaitTrue("all channels to be free", () -> cluster.entries().isEmpty());
            underWay.release();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHoldWhoseTakeBackWasCutIsTakenBackByTheNextAgent(boolean late, World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            cluster.apply("two-domains.yaml");
            AgentProcess agent = cluster.startAgent();
            cluster.awaitBound(agent, "red", "blue");
            cluster.awaitPrepared(agent, "red");
            agent.awaitTrue("it is held", () -> cluster.holds().stream().anyMatch(BindCutsE2e::isHeldAsBound));

            InjectedFault underWay = hang(world, RequestVerb.UPDATE, "nvlinknodes");
            assertThat(world.kubelet().unprepare(cluster.claim("red"))).isInstanceOf(ClaimResult.ClaimDone.class);
            agent.awaitTrue("the take-back to be under way", () -> underWay.hits() == 1);
            agent.kill();
            AgentProcess next = cluster.startAgent();
            if (late) {
                underWay.release();
            }

            next.awaitTrue("nothing is held", () -> cluster.holds().isEmpty());
            next.awaitTrue("the channel to be free", () -> cluster.entries().isEmpty());
            cluster.awaitPrepared(next, "blue");
            assertThat(cluster.channel("blue")).isEqualTo(1);
            underWay.release();
        }
    }

    /** Begins to prepare the claim of {@code red}; when this returns, the call hangs in the API server. */
    private static InjectedFault prepareUntil(Cut cut, IsolatedCluster cluster, AgentProcess agent, World world)
            throws InterruptedException {
        InjectedFault first = switch (cut) {
            case HOLD -> hang(world, RequestVerb.UPDATE, "nvlinknodes");
            case LOOK -> hang(world, RequestVerb.GET, "nvlinkcliques");
            case BIND, NUMBER -> hang(world, RequestVerb.UPDATE, "nvlinkcliques");
        };
        // Its answer is that it takes too long, or none: the agent is killed.
        var _ = CompletableFuture.runAsync(() -> world.kubelet().prepare(cluster.claim("red")));
        agent.awaitTrue("the call to be under way", () -> first.hits() == 1);
        if (cut != Cut.NUMBER) {
            return first;
        }
        InjectedFault number = hang(world, RequestVerb.UPDATE, "nvlinknodes");
        first.release();
        agent.awaitTrue("its number to be written", () -> number.hits() == 1);
        return number;
    }

    private static InjectedFault hang(World world, RequestVerb verb, String resource) {
        return world.api()
                .inject(
                        LoggedRequest.of(verb, resource)
                                .and(request -> request.user().equals(USER)),
                        new FaultAction.Hang(),
                        1);
    }

    private static boolean isHeldAsBound(JsonNode hold) {
        return hold.has("channel");
    }
}
