package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.FaultAction;
import io.imexagent.testing.api.LoggedRequest;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.kubelet.ClaimResult;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An API server that does not work: claims are answered in time with the reason, and succeed once it works. */
@ExtendWith(Worlds.class)
class ApiFaultsIT {
    private static final Predicate<LoggedRequest> CLAIMS = LoggedRequest.of(RequestVerb.GET, "resourceclaims");

    private static final String ERRORS = "nvidia_dra_node_prepare_errors_total{";

    static final List<FaultAction> FAULTS = Stream.concat(
                    Stream.of(401, 403, 409, 410, 429, 500, 503).map(FaultAction::answer),
                    Stream.of(new FaultAction.Drop(), new FaultAction.Hang(), FaultAction.tooManyRequests(1)))
            .toList();

    /** One agent meets all of them, each at a claim of its own: a fault that has passed leaves nothing behind. */
    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class OfOneAgent {
        private AgentProcess agent;
        private int claims;

        @BeforeAll
        void start(World world) throws Exception {
            agent = world.with("prepare.answerWithin", "1s").startServing();
        }

        @ParameterizedTest
        @FieldSource("io.imexagent.e2e.agent.ApiFaultsIT#FAULTS")
        void aClaimIsAnsweredWithTheReasonAndPreparedAfterwards(FaultAction fault, World world) throws Exception {
            ClaimedPod workload = world.schedule(++claims);
            double errors = world.metric(agent, ERRORS);
            world.api().inject(CLAIMS, fault);

            assertThat(World.refusal(world.prepare(workload))).contains("[api_unavailable]");
            assertThat(world.checkpoint()).doesNotContain(workload.claim().uid());
            assertThat(world.metric(agent, ERRORS)).isEqualTo(errors + 1);

            world.api().clearFaults();
            world.awaitPrepared(agent, workload);
            // There is one channel, for the next claim.
            world.awaitUnprepared(agent, workload);
        }
    }

    @Test
    void aFaultThatPassesInTimeIsWaitedOut(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        world.with("prepare.answerWithin", "20s").startServing();
        world.api().inject(CLAIMS, FaultAction.answer(500), 1);

        assertThat(world.prepare(workload)).isInstanceOf(ClaimResult.ClaimDone.class);
    }

    @Test
    void aSlowServerIsSlowAndNothingElse(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        world.with("prepare.answerWithin", "20s");
        world.api().inject(_ -> true, new FaultAction.Delay(Duration.ofMillis(500)));

        world.startServing();

        assertThat(world.prepare(workload)).isInstanceOf(ClaimResult.ClaimDone.class);
    }

    @Test
    void oneClaimThatCannotBeReadDoesNotFailItsNeighbour(World world) throws Exception {
        ClaimedPod bad = world.schedule(1);
        ClaimedPod good = world.schedule(2);
        world.startServing();
        world.api()
                .inject(CLAIMS.and(request -> request.name().equals(bad.claim().name())), FaultAction.answer(500));

        var answers = world.kubelet().prepare(List.of(bad.claim(), good.claim()));

        assertThat(answers.get(bad.claim().uid())).isInstanceOf(ClaimResult.ClaimFailed.class);
        assertThat(answers.get(good.claim().uid())).isInstanceOf(ClaimResult.ClaimDone.class);
    }

    @Test
    void aGoneServerIsNamedAndItsReturnFound(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        world.api().goAway();
        AgentProcess agent = world.startRegistered(world.launch());

        assertThat(World.refusal(world.prepare(workload))).contains("[api_unavailable]");
        assertThat(world.get(agent, "/readyz")).startsWith("503");
        assertThat(world.get(agent, "/healthz")).startsWith("200");

        world.api().comeBack();
        world.awaitSlice(agent);
        world.awaitPrepared(agent, workload);
        agent.awaitTrue("readiness", () -> world.get(agent, "/readyz").startsWith("200"));
    }

    @Test
    void aMissingRuleIsNamed(World world) throws Exception {
        world.api().revoke(UserIdentity.NODES, ResourceType.COMPUTE_DOMAINS);
        ClaimedPod workload = world.schedule(1);
        world.startServing();

        assertThat(World.refusal(world.prepare(workload))).contains("computedomains", "[api_unavailable]");
    }

    @Test
    void aClusterThatDoesNotServeComputeDomainsIsToldUntilItDoes(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        AgentProcess agent = world.startServing();
        world.api().withdraw(ResourceType.COMPUTE_DOMAINS);

        assertThat(World.refusal(world.prepare(workload)))
                .contains("install the CustomResourceDefinition of ComputeDomains", "[api_unavailable]");
        assertThat(world.checkpoint()).doesNotContain(workload.claim().uid());

        world.api().serveAgain(ResourceType.COMPUTE_DOMAINS);
        world.schedule(1);
        world.awaitPrepared(agent, workload);
    }

    @Test
    void slicesAreRestoredAfterTheirWatchWasDropped(World world) throws Exception {
        AgentProcess agent = world.startServing();
        agent.awaitTrue("watches", () -> world.api().openWatches() > 0);

        world.api().dropWatches();
        world.api().deleteSlicesOfNode(World.NODE);

        world.awaitSlice(agent);
    }

    @Test
    void slicesAreRestoredAfterTheHistoryOfTheirWatchIsGone(World world) throws Exception {
        AgentProcess agent = world.startServing();
        agent.awaitTrue("watches", () -> world.api().openWatches() > 0);

        world.api().deleteSlicesOfNode(World.NODE);
        world.api().compact();
        world.api().dropWatches();

        world.awaitSlice(agent);
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 409, 410, 429, 500})
    void aRefusedSliceIsTriedAgain(int code, World world) throws Exception {
        world.api().inject(LoggedRequest.of(RequestVerb.CREATE, "resourceslices"), FaultAction.answer(code), 2);

        world.startServing();

        assertThat(world.slices()).hasSize(1);
    }
}
