package io.imexagent.dra.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.dra.proto.health.DRAResourceHealthGrpc;
import io.imexagent.dra.proto.health.DeviceHealth;
import io.imexagent.dra.proto.health.DeviceIdentifier;
import io.imexagent.dra.proto.health.HealthStatus;
import io.imexagent.dra.proto.health.NodeWatchResourcesRequest;
import io.imexagent.dra.proto.health.NodeWatchResourcesResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HealthServiceTest {

    @TempDir
    private Path root;

    @Test
    void sendsTheCompleteListAtOnce() throws Exception {
        try (var running = RunningServer.with(seldom());
                var client = running.node()) {
            var watching = new Watching(client);

            assertThat(watching.next().getDevicesList())
                    .containsExactly(DeviceHealth.newBuilder()
                            .setDevice(DeviceIdentifier.newBuilder()
                                    .setPoolName("node-1")
                                    .setDeviceName("channel-0"))
                            .setHealth(HealthStatus.HEALTHY)
                            .setLastUpdatedTime(RunningServer.NOW.getEpochSecond())
                            .setHealthCheckTimeoutSeconds(
                                    seldom().healthTimeout().toSeconds())
                            .build());
        }
    }

    @Test
    void sendsAnEmptyListWhereThereAreNoDevices() throws Exception {
        try (var running = RunningServer.prepared(seldom())) {
            running.devices.set(List.of());
            running.server.start();
            try (var client = running.node()) {
                assertThat(new Watching(client).next().getDevicesList()).isEmpty();
            }
        }
    }

    @Test
    void sendsTheCompleteListAfterAChange() throws Exception {
        try (var running = RunningServer.with(seldom());
                var client = running.node()) {
            var watching = new Watching(client);
            watching.next();

            running.devices.set(List.of(
                    device(0, io.imexagent.dra.kubelet.DeviceHealth.HealthStatus.UNHEALTHY, "the fabric is gone"),
                    device(1, io.imexagent.dra.kubelet.DeviceHealth.HealthStatus.UNKNOWN, "")));

            assertThat(watching.next().getDevicesList())
                    .extracting(DeviceHealth::getHealth, DeviceHealth::getMessage)
                    .containsExactly(
                            org.assertj.core.groups.Tuple.tuple(HealthStatus.UNHEALTHY, "the fabric is gone"),
                            org.assertj.core.groups.Tuple.tuple(HealthStatus.UNKNOWN, ""));
        }
    }

    @Test
    void repeatsTheListWithoutAChange() throws Exception {
        try (var running = RunningServer.in(root);
                var client = running.node()) {
            var watching = new Watching(client);

            for (int report = 0; report < 4; report++) {
                assertThat(watching.next().getDevicesCount()).isEqualTo(1);
            }
        }
    }

    @Test
    void endsStreamsInGoodOrderWhenItStops() throws Exception {
        try (var running = RunningServer.with(seldom());
                var client = running.node()) {
            var watching = new Watching(client);
            watching.next();

            running.server.stop(Duration.ofSeconds(5));

            assertThat(watching.ended.get(20, TimeUnit.SECONDS)).isEqualTo(Status.OK);
            assertThat(running.observer.streams).containsExactly(1, 0);
        }
    }

    @Test
    void forgetsAConsumerThatHasGone() throws Exception {
        try (var running = RunningServer.with(seldom());
                var client = running.node()) {
            var watching = new Watching(client);
            watching.next();

            watching.cancel();

            Eventually.holds("the stream is forgotten", () -> running.observer.streams.equals(List.of(1, 0)));
            running.devices.set(List.of());
            assertThat(new Watching(client).next().getDevicesList()).isEmpty();
        }
    }

    @Test
    void sendsASlowConsumerTheLatestListAndNotEveryOne() throws Exception {
        try (var running = RunningServer.with(seldom());
                var client = running.node()) {
            var watching = new Watching(client, 1);
            watching.next();
            int changes = 400;
            for (int change = 1; change <= changes; change++) {
                running.devices.set(manyDevices("change " + change));
                // A report for each change: without a pause, several changes would make one.
                reported(running);
            }

            watching.request(Integer.MAX_VALUE);

            int received = 1;
            String last = "";
            while (!last.equals("change " + changes)) {
                last = watching.next().getDevices(0).getMessage();
                received++;
            }
            assertThat(received).isLessThan(changes);
        }
    }

    @Test
    void servesSeveralConsumers() throws Exception {
        try (var running = RunningServer.with(seldom());
                var client = running.node()) {
            var first = new Watching(client);
            var second = new Watching(client);
            first.next();
            second.next();

            running.devices.set(List.of());

            assertThat(first.next().getDevicesList()).isEmpty();
            assertThat(second.next().getDevicesList()).isEmpty();
        }
    }

    /** Returns once the server's event loop has done what was asked of it before. */
    private static void reported(RunningServer running) throws Exception {
        var done = new CompletableFuture<Boolean>();
        // The only event loop, so this comes after the report that the change has queued.
        running.vertx.vertx().runOnContext(nothing -> done.complete(true));
        assertThat(done.get(20, TimeUnit.SECONDS)).isTrue();
    }

    /** 40 KiB, more than a server buffers before it calls a stream slow. */
    private static List<io.imexagent.dra.kubelet.DeviceHealth> manyDevices(String message) {
        return IntStream.range(0, 400)
                .mapToObj(i -> device(
                        i,
                        io.imexagent.dra.kubelet.DeviceHealth.HealthStatus.UNHEALTHY,
                        i == 0 ? message : "x".repeat(100)))
                .toList();
    }

    private static io.imexagent.dra.kubelet.DeviceHealth device(
            int number, io.imexagent.dra.kubelet.DeviceHealth.HealthStatus status, String message) {
        return new io.imexagent.dra.kubelet.DeviceHealth("node-1", "channel-" + number, status, message);
    }

    /** Repeats the list so seldom that a test does not see it. */
    private DraSettings seldom() throws Exception {
        DraSettings mine = RunningServer.settings(root);
        return new DraSettings(root, mine.driver(), mine.peers(), Duration.ofHours(4), mine.socketCheck());
    }

    /** A consumer. */
    private static final class Watching
            implements ClientResponseObserver<NodeWatchResourcesRequest, NodeWatchResourcesResponse> {

        final CompletableFuture<Status> ended = new CompletableFuture<>();
        private final BlockingQueue<NodeWatchResourcesResponse> messages = new LinkedBlockingQueue<>();
        private final int initial;
        private @Nullable ClientCallStreamObserver<NodeWatchResourcesRequest> call;

        Watching(SocketClient client) {
            this(client, Integer.MAX_VALUE);
        }

        /** Takes so many messages and no more until asked. */
        Watching(SocketClient client, int initial) {
            this.initial = initial;
            DRAResourceHealthGrpc.newStub(client.channel())
                    .nodeWatchResources(NodeWatchResourcesRequest.getDefaultInstance(), this);
        }

        NodeWatchResourcesResponse next() throws InterruptedException {
            return Objects.requireNonNull(messages.poll(20, TimeUnit.SECONDS), "no report came");
        }

        void request(int more) {
            call().request(more);
        }

        void cancel() {
            call().cancel("a test", null);
        }

        private ClientCallStreamObserver<NodeWatchResourcesRequest> call() {
            return Objects.requireNonNull(call, "the call has not begun");
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<NodeWatchResourcesRequest> stream) {
            call = stream;
            stream.disableAutoRequestWithInitial(initial);
        }

        @Override
        public void onNext(NodeWatchResourcesResponse message) {
            messages.add(message);
        }

        @Override
        public void onError(Throwable failure) {
            ended.complete(Status.fromThrowable(failure));
        }

        @Override
        public void onCompleted() {
            ended.complete(Status.OK);
        }
    }
}
