package io.imexagent.imex.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.dra.driver.FakeNodes;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClusterNamesTest {

    private final FakeNodes nodes =
            new FakeNodes().with("node-1", "uid-1", Map.of()).known("node-1", List.of("192.0.2.1", "tray-1.internal"));
    private final CountDownLatch changed = new CountDownLatch(1);
    private final ClusterNames names = new ClusterNames(nodes, "node-1", changed::countDown);

    @AfterEach
    void close() {
        names.close();
    }

    @Test
    void asksNothingUntilItIsWanted() {
        assertThat(names.names()).isEmpty();
        assertThat(nodes.gets()).isZero();
    }

    @Test
    void knowsTheNodeOnceItIsWantedAndAsksOnce() throws InterruptedException {
        names.want();
        names.want();

        assertThat(changed.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(names.names()).containsExactly("192.0.2.1", "tray-1.internal");
        assertThat(nodes.gets()).isEqualTo(1);
    }
}
