package io.imexagent.rdma.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Nodes;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class NodeAddressesTest {

    private static final Duration AT_ONCE = Duration.ofMillis(1);
    private static final NodeAddresses.Pauses PAUSES =
            new NodeAddresses.Pauses(Duration.ofSeconds(20), AT_ONCE, AT_ONCE);

    private final BlockingQueue<Boolean> changes = new LinkedBlockingQueue<>();
    private final Answers nodes = new Answers();

    @Test
    void asksUntilTheClusterTells() throws Exception {
        try (NodeAddresses addresses = asking(PAUSES)) {
            nodes.answer(Optional::empty);
            assertThat(addresses.current()).isEqualTo(unknown("there is no Node object node-1 yet"));

            nodes.answer(NodeAddressesTest::node);
            awaitChanges(2);
            assertThat(addresses.current()).isEqualTo(unknown("the Node object node-1 has no IP address yet"));

            nodes.answer(() -> node("node-1.example.com", "192.0.2.7", "2001:db8::7"));
            awaitChanges(1);
            assertThat(addresses.current()).isEqualTo(known("192.0.2.7", "2001:db8::7"));
        }
    }

    @Test
    void tellsTheContainerRuntimeAsTheKubeletReportsIt() throws Exception {
        try (NodeAddresses addresses = asking(PAUSES)) {
            nodes.answer(() -> Optional.of(new Nodes.NodeObject(
                    "node-1",
                    "uid-1",
                    Map.of(),
                    List.of("192.0.2.7"),
                    new Nodes.NodeSoftware("v1.34.1", "cri-o://1.34.1", false))));

            assertThat(addresses.current().containerRuntime()).contains("cri-o://1.34.1");
            assertThat(known("192.0.2.7").containerRuntime()).isEmpty();
            assertThat(unknown("x").containerRuntime()).isEmpty();
        }
    }

    @Test
    void aServerThatRefusesIsToldWithItsReason() throws Exception {
        try (NodeAddresses addresses = asking(PAUSES)) {
            nodes.refuse();

            assertThat(addresses.current()).isEqualTo(unknown("user alice lacks the verb get on nodes"));
        }
    }

    @Test
    void asksAgainAfterwardsAndKeepsWhatItKnowsWhileNobodyAnswers() throws Exception {
        try (NodeAddresses addresses = asking(PAUSES)) {
            nodes.answer(() -> node("192.0.2.7"));
            awaitChanges(1);

            nodes.refuse();
            nodes.answer(Optional::empty);
            assertThat(addresses.current()).isEqualTo(known("192.0.2.7"));
            assertThat(changes).isEmpty();

            nodes.answer(() -> node("192.0.2.8"));
            awaitChanges(1);
            assertThat(addresses.current()).isEqualTo(known("192.0.2.8"));
        }
    }

    @Test
    void doesNotWaitForEverForTheFirstAnswer() {
        try (NodeAddresses addresses = asking(new NodeAddresses.Pauses(AT_ONCE, AT_ONCE, AT_ONCE))) {
            assertThat(addresses.current()).isEqualTo(unknown("the API server has not answered yet"));
        }
    }

    private NodeAddresses asking(NodeAddresses.Pauses pauses) {
        var addresses = new NodeAddresses(nodes, "node-1", pauses, () -> changes.add(true));
        addresses.start();
        return addresses;
    }

    private void awaitChanges(int count) throws InterruptedException {
        for (int seen = 0; seen < count; seen++) {
            assertThat(changes.poll(20, TimeUnit.SECONDS)).isNotNull();
        }
    }

    private static KnownAddresses unknown(String reason) {
        return new KnownAddresses.UnreadAddresses(reason);
    }

    private static KnownAddresses known(String... addresses) {
        return new KnownAddresses.ReadAddresses(
                Set.of(addresses).stream().map(InetAddress::ofLiteral).collect(Collectors.toSet()), Optional.empty());
    }

    private static Optional<Nodes.NodeObject> node(String... addresses) {
        return Optional.of(new Nodes.NodeObject(
                "node-1", "uid-1", Map.of(), List.of(addresses), new Nodes.NodeSoftware("", "", false)));
    }

    /** Nodes that answer what the test hands over, each time when it does. */
    private static final class Answers implements Nodes {

        private final SynchronousQueue<Optional<Supplier<Optional<NodeObject>>>> answers = new SynchronousQueue<>();

        /** Answers the next question. */
        void answer(Supplier<Optional<NodeObject>> answer) throws InterruptedException {
            hand(Optional.of(answer));
        }

        /** Refuses the next question. */
        void refuse() throws InterruptedException {
            hand(Optional.empty());
        }

        private void hand(Optional<Supplier<Optional<NodeObject>>> answer) throws InterruptedException {
            assertThat(answers.offer(answer, 20, TimeUnit.SECONDS)).isTrue();
        }

        @Override
        public Optional<NodeObject> get(String name) throws ApiException {
            try {
                Optional<Supplier<Optional<NodeObject>>> answer = answers.take();
                if (answer.isPresent()) {
                    return answer.get().get();
                }
            } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
            }
            throw new ApiException(new ApiFailure(
                    ApiFailure.FailureKind.FORBIDDEN, "user alice lacks the verb get on nodes", Optional.empty()));
        }

        @Override
        public void label(String name, String key, Optional<String> value) {
            throw new UnsupportedOperationException("nobody labels a node here");
        }
    }
}
