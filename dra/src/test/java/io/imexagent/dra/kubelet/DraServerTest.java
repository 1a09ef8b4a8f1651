package io.imexagent.dra.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.StatusRuntimeException;
import io.imexagent.core.check.Condition;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.dra.kubelet.DraSettings.PeerPolicy;
import io.imexagent.dra.proto.registration.InfoRequest;
import io.imexagent.dra.proto.registration.RegistrationGrpc;
import io.imexagent.dra.proto.v1.Claim;
import io.imexagent.dra.proto.v1.DRAPluginGrpc;
import io.imexagent.dra.proto.v1.NodePrepareResourcesRequest;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DraServerTest {

    @TempDir
    private Path root;

    @Test
    void keepsSocketsAndDirectoriesToTheirOwner() throws Exception {
        try (var running = RunningServer.in(root)) {
            assertThat(mode(running.settings.draSocket())).isEqualTo("rw-------");
            assertThat(mode(running.settings.registrationSocket())).isEqualTo("rw-------");
            assertThat(mode(running.settings.pluginDirectory())).isEqualTo("rwxr-x---");
        }
    }

    @Test
    void leavesNoFilesButSockets() throws Exception {
        try (var running = RunningServer.in(root)) {
            assertThat(files())
                    .containsExactlyInAnyOrder(running.settings.draSocket(), running.settings.registrationSocket());
        }
        assertThat(files()).isEmpty();
    }

    @Test
    void refusesAUserWhoIsNotAdmitted() throws Exception {
        DraSettings mine = RunningServer.settings(root);
        var settings = new DraSettings(
                root,
                mine.driver(),
                new PeerPolicy(Set.of(RunningServer.me(root) + 1)),
                mine.healthTimeout(),
                mine.socketCheck());
        try (var running = RunningServer.with(settings);
                var node = running.node();
                var registry = running.registry()) {
            assertThatThrownBy(
                            () -> DRAPluginGrpc.newBlockingStub(node.channel()).nodePrepareResources(request("a")))
                    .isInstanceOf(StatusRuntimeException.class)
                    .hasMessageContaining("UNAVAILABLE");
            assertThat(running.observer.refused).hasPositiveValue();
            int before = running.observer.refused.get();
            assertThatThrownBy(() -> RegistrationGrpc.newBlockingStub(registry.channel())
                            .getInfo(InfoRequest.getDefaultInstance()))
                    .isInstanceOf(StatusRuntimeException.class)
                    .hasMessageContaining("UNAVAILABLE");
            assertThat(running.observer.refused).hasValueGreaterThan(before);
            assertThat(running.preparer.prepares).isEmpty();
        }
    }

    @Test
    void takesThePlaceOfSocketsThatACrashLeftBehind() throws Exception {
        DraSettings settings = RunningServer.settings(root);
        Set<Path> hidden = new TreeSet<>();
        for (Path socket : List.of(settings.draSocket(), settings.registrationSocket())) {
            hidden.addAll(new SocketFile(socket, settings.pluginDirectory()).hidden());
        }
        Set<Path> left = new TreeSet<>(hidden);
        left.addAll(List.of(settings.draSocket(), settings.registrationSocket()));
        for (Path path : left) {
            Files.createDirectories(path.resolveSibling(""));
            listen(path).close();
            assertThat(path).exists();
        }
        try (var running = RunningServer.with(settings)) {
            assertThat(answers(running)).isTrue();
            assertThat(hidden).hasSize(3).noneMatch(Files::exists);
        }
    }

    /** The kubelet's watch logs an error for each file that is gone when it looks, hidden ones included. */
    @Test
    void nothingButTheSocketIsEverSeenWhereTheKubeletWatches() throws Exception {
        DraSettings settings = RunningServer.settings(root);
        Files.createDirectories(settings.registryDirectory());
        try (WatchService watch = FileSystems.getDefault().newWatchService()) {
            WatchKey key = settings.registryDirectory().register(watch, StandardWatchEventKinds.ENTRY_CREATE);
            try (var running = RunningServer.with(settings)) {
                assertThat(running.settings.registrationSocket()).exists();

                assertThat(watch.poll(20, TimeUnit.SECONDS)).isSameAs(key);
                assertThat(key.pollEvents())
                        .extracting(event -> String.valueOf(event.context()))
                        .containsExactly("compute-domain.nvidia.com-reg.sock");
            }
        }
    }

    /** As in a container that has the kubelet's directories by two mounts: no link crosses them. */
    @Test
    void listensWhereTheDirectoriesAreOfTwoMounts() throws Exception {
        Path memory = Files.createTempDirectory(Path.of("/dev/shm"), "imex");
        try {
            Files.createSymbolicLink(root.resolve("plugins_registry"), memory);
            try (var running = RunningServer.in(root);
                    var registry = running.registry()) {
                assertThat(RegistrationGrpc.newBlockingStub(registry.channel())
                                .getInfo(InfoRequest.getDefaultInstance())
                                .getName())
                        .isEqualTo(running.settings.driver());
                assertThat(mode(running.settings.registrationSocket())).isEqualTo("rw-------");
                assertThat(Files.readString(Path.of("/proc/self/net/unix")))
                        .as("the folders are of two file systems, so it was bound beside its name")
                        .contains(root + "/plugins_registry/.compute-domain.nvidia.com-reg.sock.new");
                try (Stream<Path> left = Files.list(memory)) {
                    assertThat(left).hasSize(1);
                }
            }
        } finally {
            Files.delete(memory);
        }
    }

    @Test
    void refusesToStartBesideAnotherAgent() throws Exception {
        try (var first = RunningServer.in(root)) {
            assertThatThrownBy(() -> RunningServer.in(root).close())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another process listens on " + first.settings.registrationSocket())
                    .hasMessageContaining("stop it");
            assertThat(first.settings.draSocket()).exists();
            assertThat(answers(first)).isTrue();
        }
    }

    @Test
    void refusesToStartBesideAPluginInARollingUpdate() throws Exception {
        DraSettings settings = RunningServer.settings(root);
        Files.createDirectories(settings.registryDirectory());
        Path other = settings.registryDirectory().resolve(settings.driver() + "-0a1b-reg.sock");
        try (var plugin = listen(other)) {
            assertThat(plugin.isOpen()).isTrue();
            assertThatThrownBy(() -> RunningServer.with(settings).close())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(other.toString());
        }
        RunningServer.with(settings).close();
    }

    @Test
    void refusesToStartBesideAListenerOnTheNodeSocket() throws Exception {
        DraSettings settings = RunningServer.settings(root);
        Files.createDirectories(settings.pluginDirectory());
        try (var plugin = listen(settings.draSocket())) {
            assertThat(plugin.isOpen()).isTrue();
            assertThatThrownBy(() -> RunningServer.with(settings).close())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another process listens on " + settings.draSocket());
            assertThat(SocketFile.listening(settings.draSocket())).isTrue();
        }
    }

    @Test
    void refusesToRemoveAFileThatIsNoSocket() throws Exception {
        DraSettings settings = RunningServer.settings(root);
        Files.createDirectories(settings.registryDirectory());
        Files.writeString(settings.registrationSocket(), "mine");

        assertThatThrownBy(() -> RunningServer.with(settings).close())
                .isInstanceOf(IOException.class)
                .hasMessage(settings.registrationSocket()
                        + " is not a socket, so the agent does not remove it; move it away");
        assertThat(settings.registrationSocket()).hasContent("mine");
        assertThat(settings.draSocket()).doesNotExist();
    }

    @Test
    void refusesAPathThatIsTooLongForASocket() {
        Path deep = root.resolve("x".repeat(100));

        assertThatThrownBy(() -> RunningServer.in(Files.createDirectory(deep)).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a socket's may have 107; set kubelet.root to a shorter one");
    }

    @Test
    void saysWhichDirectoryCannotBeMade() throws Exception {
        Files.writeString(root.resolve("plugins"), "a file");

        assertThatThrownBy(() -> RunningServer.in(root).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot create " + root.resolve("plugins"))
                .hasMessageContaining("kubelet.root");
    }

    @Test
    void refusesAVertxWithoutNativeTransport() throws Exception {
        DraSettings settings = RunningServer.settings(root);
        Vertx vertx = Vertx.vertx();
        try (var registry = new RegistrySockets(root)) {
            assertThatThrownBy(() -> new DraServer(
                            settings,
                            registry,
                            vertx,
                            new FakeClaimPreparer(),
                            new FakeDevices(),
                            new DraObserver() {},
                            () -> {},
                            Clock.systemUTC(),
                            System::nanoTime))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("native epoll transport");
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    @Test
    void makesAVanishedRegistrationSocketAnew() throws Exception {
        try (var running = RunningServer.in(root)) {
            Files.delete(running.settings.registrationSocket());

            Eventually.holds("the socket is back", () -> running.observer.restored.get() == 1);
            assertThat(running.kubelets).as("it may be another kubelet").hasValue(1);
            try (var registry = running.registry()) {
                assertThat(RegistrationGrpc.newBlockingStub(registry.channel())
                                .getInfo(InfoRequest.getDefaultInstance())
                                .getName())
                        .isEqualTo(running.settings.driver());
            }
        }
        assertThat(files()).isEmpty();
    }

    @Test
    void makesAWipedKubeletRootAnewAndFinishesItsCalls() throws Exception {
        try (var running = RunningServer.in(root);
                var client = running.node()) {
            running.preparer.hold();
            var call = DRAPluginGrpc.newFutureStub(client.channel()).nodePrepareResources(request("a"));
            FakeClaimPreparer.Held held = held(running);
            Files.delete(running.settings.draSocket());
            Files.delete(running.settings.pluginDirectory());

            Eventually.holds("the sockets are back", () -> running.observer.restored.get() == 1);
            held.release();

            assertThat(call.get(20, TimeUnit.SECONDS).getClaimsMap()).containsOnlyKeys("a");
            running.preparer.prepares.clear();
            var next = DRAPluginGrpc.newFutureStub(client.channel())
                    .withWaitForReady()
                    .nodePrepareResources(request("b"));
            held(running).release();
            assertThat(next.get(20, TimeUnit.SECONDS).getClaimsMap()).containsOnlyKeys("b");
            assertThat(running.settings.registrationSocket()).exists();
        }
        assertThat(files()).isEmpty();
    }

    @Test
    void tellsThatAnotherProcessTookItsSocketAndTakesItBackLater() throws Exception {
        try (var running = RunningServer.in(root)) {
            Path socket = running.settings.registrationSocket();
            Path theirs = socket.resolveSibling(".theirs");
            try (var thief = listen(theirs)) {
                assertThat(thief.isOpen()).isTrue();
                Files.move(theirs, socket, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
                Eventually.holds(
                        "the loss is told",
                        () -> running.server.registration() instanceof RegistrationState.RegistrationRejected rejected
                                && rejected.error().contains("another process listens on " + socket));
            }
            Eventually.holds(
                    "the socket is back",
                    () -> running.server.registration() instanceof RegistrationState.RegistrationPending);
        }
    }

    /** The public driver removes what it finds at its socket's path. */
    @Test
    void aSocketThatAnotherProcessHoldsIsToldOnce() throws Exception {
        var lines = new CopyOnWriteArrayList<String>();
        Logger log = Logger.getLogger(DraServer.class.getPackageName());
        StreamHandler handler = into(lines);
        try (var running = RunningServer.in(root)) {
            log.addHandler(handler);
            Path elsewhere = root.resolve("thief.sock");
            try (var thief = listen(elsewhere)) {
                // At once, so that no check of the sockets comes between a deletion and a bind.
                Files.move(elsewhere, running.settings.draSocket(), StandardCopyOption.REPLACE_EXISTING);
                for (int look = 0; look < 6; look++) {
                    thief.accept().close();
                }
                assertThat(lines).singleElement().asString().contains("the kubelet cannot reach the agent");
            }
            Eventually.holds("the socket is back", () -> running.observer.restored.get() == 1);
        } finally {
            log.removeHandler(handler);
        }
    }

    @Test
    void theFindingThatAnotherPluginTookTheSocketCarriesItsAge() throws Exception {
        try (var running = RunningServer.in(root)) {
            Path socket = running.settings.draSocket();
            Path elsewhere = root.resolve("thief.sock");
            try (var thief = listen(elsewhere)) {
                Files.move(elsewhere, socket, StandardCopyOption.REPLACE_EXISTING);
                Eventually.holds(
                        "the loss is told",
                        () -> running.server.registration()
                                        instanceof RegistrationState.RegistrationRejected(String error, var _)
                                && error.startsWith("another process listens"));
                running.now = RunningServer.NOW.plusSeconds(3600);
                for (int look = 0; look < 6; look++) {
                    thief.accept().close();
                }
                Condition finding = running.server.registration().condition();
                assertThat(finding.holds()).isFalse();
                assertThat(finding.detail())
                        .startsWith("since " + RunningServer.NOW + ": another process listens on " + socket);
            }
        }
    }

    @Test
    void tellsOfAnotherPluginThatAnswersUnderAnyNameWhileItIsThere() throws Exception {
        try (var running = RunningServer.in(root);
                var plugins = new FakePlugins()) {
            Path socket = running.settings.registryDirectory().resolve("dra-5d41402a-reg.sock");
            plugins.driver(running.settings.registryDirectory().resolve("another.sock"), "another.example.com");
            assertThat(running.server.alone().holds()).isTrue();

            plugins.driver(socket, running.settings.driver());
            Eventually.holds("it is told", () -> !running.server.alone().holds());
            assertThat(running.server.alone().detail())
                    .startsWith("since " + RunningServer.NOW + ": process "
                            + ProcessHandle.current().pid() + " listens on " + socket);
            assertThatThrownBy(() -> DraServer.refuseOthers(running.settings.driver(), running.plugins))
                    .isInstanceOf(java.io.IOException.class);

            plugins.stopLast();
            Eventually.holds("it is gone", () -> running.server.alone().holds());
        }
    }

    @Test
    void isNotToBeStartedBesideAPluginThatAnswersUnderAnotherName() throws Exception {
        DraSettings settings = RunningServer.settings(root);
        Path socket = Files.createDirectories(settings.registryDirectory()).resolve("dra-5d41402a-reg.sock");
        try (var registry = new RegistrySockets(root)) {
            try (var plugins = new FakePlugins()) {
                plugins.driver(socket, settings.driver());

                assertThatThrownBy(() -> DraServer.refuseOthers(settings.driver(), registry))
                        .hasMessageContaining("another process listens on " + socket);
            }
            DraServer.refuseOthers(settings.driver(), registry);
        }
    }

    @Test
    void leavesASocketAloneThatAnotherProcessPutInItsPlace() throws Exception {
        DraSettings mine = RunningServer.settings(root);
        var seldom = new DraSettings(root, mine.driver(), mine.peers(), mine.healthTimeout(), Duration.ofHours(1));
        var running = RunningServer.with(seldom);
        Path socket = running.settings.draSocket();
        Files.delete(socket);
        try (var other = listen(socket)) {
            assertThat(other.isOpen()).isTrue();
            running.close();
            assertThat(SocketFile.listening(socket)).isTrue();
        }
    }

    @Test
    void finishesCallsInFlightAfterTheRegistrationSocketIsGone() throws Exception {
        var running = RunningServer.in(root);
        try (var client = running.node()) {
            running.preparer.hold();
            var call = DRAPluginGrpc.newFutureStub(client.channel()).nodePrepareResources(request("a"));
            FakeClaimPreparer.Held held = held(running);

            var stopping = CompletableFuture.runAsync(() -> stop(running));
            Eventually.holds(
                    "the registration socket is gone", () -> Files.notExists(running.settings.registrationSocket()));
            Eventually.holds("nobody listens", () -> !SocketFile.listening(running.settings.draSocket()));
            assertThat(call).isNotDone();
            held.release();

            assertThat(call.get(20, TimeUnit.SECONDS).getClaimsMap()).containsOnlyKeys("a");
            stopping.get(20, TimeUnit.SECONDS);
        } finally {
            running.close();
        }
        assertThat(files()).isEmpty();
    }

    @Test
    void cutsCallsOffThatOutlastTheLimit() throws Exception {
        try (var running = RunningServer.in(root);
                var client = running.node()) {
            running.preparer.hold();
            var call = DRAPluginGrpc.newFutureStub(client.channel()).nodePrepareResources(request("a"));
            FakeClaimPreparer.Held held = held(running);

            running.server.stop(Duration.ofMillis(250));

            assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(StatusRuntimeException.class);
            held.release();
        }
    }

    @Test
    void aWithdrawnServerIsGoneForTheKubeletWhileItsCallsGoOn() throws Exception {
        var running = RunningServer.in(root);
        try (var client = running.node()) {
            running.preparer.hold();
            var call = DRAPluginGrpc.newFutureStub(client.channel()).nodePrepareResources(request("a"));
            FakeClaimPreparer.Held held = held(running);

            running.server.withdraw();

            assertThat(running.settings.registrationSocket()).doesNotExist();
            assertThat(SocketFile.listening(running.settings.draSocket())).isFalse();
            assertThat(call).isNotDone();
            held.release();
            assertThat(call.get(20, TimeUnit.SECONDS).getClaimsMap()).containsOnlyKeys("a");
            running.server.drain(Duration.ofSeconds(20));
        } finally {
            running.close();
        }
        assertThat(files()).isEmpty();
    }

    @Test
    void looksAfterItsSocketsThoughALookFailed() throws Exception {
        try (var running = RunningServer.in(root)) {
            running.observer.failOnce();
            Files.delete(running.settings.registrationSocket());
            Eventually.holds("the failure was met", () -> running.observer.failed.get() == 1);

            Files.deleteIfExists(running.settings.registrationSocket());

            Eventually.holds("the socket is back", () -> running.observer.restored.get() == 1);
            assertThat(running.settings.registrationSocket()).exists();
        }
    }

    private static StreamHandler into(List<String> lines) {
        return new StreamHandler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }
        };
    }

    private static void stop(RunningServer running) {
        try {
            running.server.stop(Duration.ofSeconds(5));
        } catch (InterruptedException cut) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean answers(RunningServer running) {
        try (var client = running.node()) {
            return DRAPluginGrpc.newBlockingStub(client.channel())
                            .nodePrepareResources(NodePrepareResourcesRequest.getDefaultInstance())
                            .getClaimsCount()
                    == 0;
        }
    }

    private static FakeClaimPreparer.Held held(RunningServer running) throws InterruptedException {
        return Objects.requireNonNull(running.preparer.held.poll(20, TimeUnit.SECONDS), "no call arrived");
    }

    private static NodePrepareResourcesRequest request(String uid) {
        return NodePrepareResourcesRequest.newBuilder()
                .addClaims(Claim.newBuilder()
                        .setNamespace("team")
                        .setName("claim-" + uid)
                        .setUid(uid))
                .build();
    }

    private static ServerSocketChannel listen(Path path) throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(path));
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> tree = Files.walk(root)) {
            return tree.filter(path -> !Files.isDirectory(path)).toList();
        }
    }
}
