package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Nodes;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NodeAddressesTest {

    private final CountDownLatch told = new CountDownLatch(1);

    @Test
    void asksUntilTheClusterTells() throws InterruptedException {
        var nodes = new Answers(
                Optional.empty(), node(), node("node-1.example.com", "192.0.2.7", "2001:db8::7"), node("192.0.2.8"));
        try (var addresses = new NodeAddresses(nodes, "node-1", Duration.ofMillis(1), told::countDown)) {
            assertThat(addresses.known()).isEmpty();
            addresses.start();

            assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(addresses.known())
                    .containsExactlyInAnyOrder(
                            InetAddress.ofLiteral("192.0.2.7"), InetAddress.ofLiteral("2001:db8::7"));
            assertThat(nodes.left()).hasSize(1);
        }
    }

    private static Optional<Nodes.NodeObject> node(String... addresses) {
        return Optional.of(new Nodes.NodeObject("node-1", "uid-1", Map.of(), List.of(addresses)));
    }

    /** Nodes that answer one after the other. */
    private static final class Answers implements Nodes {

        private final Queue<Optional<NodeObject>> answers = new ConcurrentLinkedQueue<>();

        @SafeVarargs
        Answers(Optional<NodeObject>... answers) {
            for (Optional<NodeObject> answer : answers) {
                this.answers.add(answer);
            }
        }

        @Override
        public Optional<NodeObject> get(String name) throws ApiException {
            return Optional.ofNullable(answers.poll()).orElseThrow();
        }

        @Override
        public void label(String name, String key, Optional<String> value) {
            throw new UnsupportedOperationException("nobody labels a node here");
        }

        Queue<Optional<NodeObject>> left() {
            return answers;
        }
    }
}
