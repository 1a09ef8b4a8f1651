package io.imexagent.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.FakeClient.Cut;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ControlPlane.LeaseContent;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.FabricObjects.StoredObjects;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeaderElectionTest {

    private final FakeCluster cluster = new FakeCluster();
    private final ControllerRig.Time time = new ControllerRig.Time();
    private boolean cut;

    private LeaderElection controller(String name) {
        return controller(name, new FakeClient(cluster));
    }

    private LeaderElection controller(String name, FakeClient client) {
        return new LeaderElection(
                client.leases(),
                name,
                time,
                () -> Duration.between(ControllerRig.BEGIN, time.instant()).toNanos());
    }

    private void turns(int seconds, LeaderElection... controllers) {
        for (int second = 0; second < seconds; second += 2) {
            time.pass(Duration.ofSeconds(2));
            List.of(controllers).forEach(LeaderElection::attempt);
        }
    }

    @Test
    void theFirstLeadsAndTheSecondWaits() {
        LeaderElection one = controller("one");
        LeaderElection two = controller("two");

        one.attempt();
        two.attempt();
        turns(60, one, two);

        assertThat(one.leads()).isTrue();
        assertThat(two.leads()).isFalse();
        assertThat(two.holder()).contains("one");
    }

    /** Whoever has not applied the manifests must be told; nothing else would. */
    @Test
    void aNamespaceThatIsMissingIsAFailureAndNotSomebodyElsesLease() {
        var one = new LeaderElection(new NoNamespace(), "one", time, () -> 0);

        one.attempt();

        assertThat(one.leads()).isFalse();
        assertThat(one.failure().map(ApiFailure::message)).hasValue("namespaces \"imex-agent\" not found");
    }

    private static final class NoNamespace implements StoredObjects<LeaseContent> {
        @Override
        public Optional<Stored<LeaseContent>> get(String name) {
            return Optional.empty();
        }

        @Override
        public Stored<LeaseContent> create(String name, LeaseContent content) throws ApiException {
            throw new ApiException(new ApiFailure(
                    ApiFailure.FailureKind.NOT_FOUND, "namespaces \"imex-agent\" not found", Optional.empty()));
        }

        @Override
        public Stored<LeaseContent> replace(Stored<LeaseContent> observed, LeaseContent content) {
            throw new AssertionError("there is none");
        }

        @Override
        public void delete(Stored<LeaseContent> observed) {
            throw new AssertionError("there is none");
        }
    }

    @Test
    void aDeadLeaderIsReplacedWithinFifteenSeconds() {
        LeaderElection one = controller("one");
        LeaderElection two = controller("two");
        one.attempt();
        turns(10, one, two);

        turns(14, two);

        assertThat(two.leads()).isTrue();
        assertThat(one.leads()).isFalse();
    }

    @Test
    void aLeaderThatCannotRenewStopsBeforeAnotherCanBegin() {
        var client = new FakeClient(cluster).cutting(call -> cut ? Optional.of(Cut.BEFORE) : Optional.empty());
        LeaderElection one = controller("one", client);
        LeaderElection two = controller("two");
        one.attempt();
        two.attempt();
        turns(4, one, two);

        cut = true;
        boolean both = false;
        Optional<Integer> stopped = Optional.empty();
        for (int second = 0; second < 30; second++) {
            time.pass(Duration.ofSeconds(1));
            if (second % 2 == 0) {
                one.attempt();
                two.attempt();
            }
            both |= one.leads() && two.leads();
            stopped = stopped.isEmpty() && !one.leads() ? Optional.of(second) : stopped;
        }

        assertThat(both).isFalse();
        assertThat(stopped.orElse(99)).isLessThan(8);
        assertThat(two.leads()).isTrue();
    }

    @Test
    void aHolderThatNobodyHasSeenRenewingIsToldNoLonger() {
        var client = new FakeClient(cluster).cutting(call -> cut ? Optional.of(Cut.BEFORE) : Optional.empty());
        LeaderElection one = controller("one");
        LeaderElection two = controller("two", client);
        one.attempt();
        turns(20, one, two);
        assertThat(two.holder()).contains("one");
        assertThat(two.failure()).isEmpty();

        cut = true;
        turns(4, one, two);
        assertThat(two.failure()).as("why it cannot look").isPresent();
        assertThat(two.holder()).as("its word is good for a while").contains("one");
        turns(8, one, two);
        assertThat(two.holder())
                .as("not seen to renew for the Lease's duration")
                .isEmpty();
        assertThat(one.holder()).contains("one");

        cut = false;
        turns(2, one, two);
        assertThat(two.failure()).isEmpty();
        assertThat(two.holder()).contains("one");
        time.pass(LeaderElection.DURATION);
        assertThat(one.holder()).as("of one whose own thread stands still").isEmpty();
    }

    @Test
    void aLeaderWhoseThreadsStandStillLeadsNoLonger() {
        LeaderElection one = controller("one");
        one.attempt();

        time.pass(Duration.ofSeconds(8));

        assertThat(one.leads()).isFalse();
    }

    @Test
    void aLeaseIsNoOlderThanTheAnswerThatFirstShowedIt() {
        LeaderElection one = controller("one");
        one.attempt();
        var client = new FakeClient(cluster);
        LeaderElection two = controller("two", client);
        client.suspending((call, moment) -> {
            if (call == 0 && moment == Cut.BEFORE) {
                time.pass(Duration.ofSeconds(6));
                one.attempt();
            }
            if (call == 0 && moment == Cut.AFTER) {
                time.pass(Duration.ofSeconds(3));
            }
        });

        two.attempt();
        time.pass(LeaderElection.DURATION.minusSeconds(1));
        two.attempt();
        assertThat(two.holder()).contains("one");
        assertThat(client.calls()).as("not even tried").containsExactly("get Lease", "get Lease");

        turns(2, two);
        assertThat(two.leads()).isTrue();
    }

    @Test
    void anAnswerThatCameLateIsNoProofOfAge() {
        LeaderElection one = controller("one");
        one.attempt();
        var client = new FakeClient(cluster);
        LeaderElection two = controller("two", client);
        two.attempt();
        client.suspending((call, moment) -> {
            if (call == 1 && moment == Cut.AFTER) {
                time.pass(Duration.ofSeconds(3));
                one.attempt();
            }
        });

        time.pass(LeaderElection.DURATION.minusSeconds(1));
        two.attempt();

        assertThat(client.calls()).containsExactly("get Lease", "get Lease");
        assertThat(two.holder())
                .as("one that it has not seen renewing for the whole duration")
                .isEmpty();
    }

    @Test
    void aLeaderLeadsFromTheBeginningOfItsWriteOn() {
        var client = new FakeClient(cluster);
        LeaderElection one = controller("one", client);
        client.suspending((call, moment) -> {
            if (moment == Cut.BEFORE) {
                time.pass(Duration.ofSeconds(3));
            }
        });

        one.attempt();
        assertThat(client.calls()).containsExactly("get Lease", "create Lease");
        time.pass(LeaderElection.RENEW_WITHIN.minusSeconds(3).minusMillis(1));
        assertThat(one.leads()).isTrue();

        time.pass(Duration.ofMillis(1));
        assertThat(one.leads()).isFalse();
    }

    @Test
    void anAnswerThatWasLostDoesNotCostTheLeadership() {
        var client = new FakeClient(cluster).cutting(call -> cut ? Optional.of(Cut.AFTER) : Optional.empty());
        LeaderElection one = controller("one", client);
        one.attempt();
        turns(2, one);
        cut = true;
        turns(2, one);
        cut = false;
        turns(2, one);

        assertThat(one.leads()).isTrue();
    }

    @Test
    void whoResignsIsReplacedAtOnce() {
        LeaderElection one = controller("one");
        LeaderElection two = controller("two");
        one.attempt();
        two.attempt();

        one.resign();
        turns(2, two);

        assertThat(one.leads()).isFalse();
        assertThat(two.leads()).isTrue();
    }

    @Test
    void ofTwoThatTryAtATimeOneLeads() {
        LeaderElection one = controller("one");
        LeaderElection two = controller("two");
        one.attempt();
        two.attempt();
        time.pass(Duration.ofSeconds(30));

        two.attempt();
        one.attempt();
        two.attempt();

        assertThat(one.leads() ^ two.leads()).isTrue();
    }
}
