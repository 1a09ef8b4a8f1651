package io.imexagent.dra.kubelet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.dra.kubelet.RegistrySockets.Answer;
import io.imexagent.dra.kubelet.RegistrySockets.Socket;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.WorkerObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who is asked, and what comes of peers that are no plugins: real sockets, some of them hostile. */
@Timeout(60)
class RegistrySocketsTest {

    private static final String DRIVER = "compute-domain.nvidia.com";

    @TempDir
    private Path directory;

    private final FakePlugins plugins = new FakePlugins();
    private final Worker lister = new Worker("test", 1, WorkerObserver.NONE, System::nanoTime);
    private RegistrySockets registry;

    @BeforeEach
    void start() {
        registry = of(directory);
    }

    @AfterEach
    void stop() throws IOException {
        plugins.close();
        lister.close();
    }

    private RegistrySockets of(Path directory) {
        return new RegistrySockets(directory, lister, Duration.ofSeconds(30));
    }

    @Test
    void aPluginIsWhatItSaysAndNotWhatItsFileIsCalled() throws Exception {
        plugins.driver(directory.resolve("dra-5d41402a-reg.sock"), DRIVER);
        plugins.driver(directory.resolve(DRIVER + "-reg.sock"), "gpu.nvidia.com");
        plugins.plugin(directory.resolve("csi.sock"), "CSIPlugin", DRIVER);

        assertThat(ofDriver()).containsExactly("dra-5d41402a-reg.sock");
    }

    @Test
    void ofOneThatSaysNothingTheFilesNameTells() throws Exception {
        plugins.hanging(directory.resolve(DRIVER + "-0c1d-reg.sock"));
        plugins.hanging(directory.resolve("gpu.nvidia.com-reg.sock"));

        assertThat(ofDriver()).containsExactly(DRIVER + "-0c1d-reg.sock");
    }

    @Test
    void whoeverHangsOrTalksNonsenseCostsASecondAndHidesNobody() throws Exception {
        plugins.hanging(directory.resolve("a-hangs.sock"));
        plugins.saying(directory.resolve("b-http1.sock"), "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(UTF_8));
        plugins.saying(directory.resolve("c-huge-frames.sock"), new byte[] {-1, -1, -1, 0, 0, 0, 0, 0, 1});
        plugins.saying(directory.resolve("d-settings-for-ever.sock"), new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
        // DATA of stream 1 whose message is longer than it says, and one that says to be compressed.
        plugins.saying(directory.resolve("e-lies.sock"), new byte[] {0, 0, 6, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8});
        plugins.saying(directory.resolve("f-compressed.sock"), new byte[] {0, 0, 5, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0});
        plugins.saying(directory.resolve("g-padding.sock"), new byte[] {0, 0, 1, 0, 9, 0, 0, 0, 1, -1});
        plugins.saying(
                directory.resolve("h-no-protobuf.sock"), new byte[] {0, 0, 6, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 7});
        plugins.saying(directory.resolve("i-empty.sock"), new byte[] {0, 0, 0, 0, 1, 0, 0, 0, 1});
        plugins.driver(directory.resolve("z.sock"), DRIVER);

        long begun = System.nanoTime();
        Map<Socket, Answer> answers = registry.answers(registry.list(DRIVER).sockets(), false);

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
        assertThat(answers.values())
                .filteredOn(Answer.NoAnswer.class::isInstance)
                .hasSize(9);
        assertThat(ofDriver()).containsExactly("z.sock");
    }

    @Test
    void aListenerWhoseQueueIsFullIsPassedOver() throws Exception {
        Path full = directory.resolve("full.sock");
        try (var listener = java.nio.channels.ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)
                .bind(java.net.UnixDomainSocketAddress.of(full), 1)) {
            assertThat(listener.isOpen()).isTrue();
            for (int look = 0; look < 5; look++) {
                assertThat(ofDriver()).isEmpty();
            }
            assertThat(registry.answers(registry.list(DRIVER).sockets(), false).values())
                    .containsExactly(new Answer.NoAnswer());
        }
    }

    @Test
    void anAnswerThatIsTooLargeIsNone() throws Exception {
        plugins.driver(directory.resolve("a-huge.sock"), "x".repeat(5000));
        plugins.driver(directory.resolve("b-long.sock"), "x".repeat(254));
        plugins.driver(directory.resolve("c-fits.sock"), "x".repeat(253));

        assertThat(registry.answers(registry.list(DRIVER).sockets(), false).values())
                .containsExactly(new Answer.NoAnswer(), new Answer.NoAnswer(), new Answer.OfDriver("x".repeat(253)));
    }

    @Test
    void howeverManyHangItEndsAfterSomeSeconds() throws Exception {
        for (int one = 0; one < 100; one++) {
            plugins.hanging(directory.resolve(one + ".sock"));
        }

        long begun = System.nanoTime();
        assertThat(registry.answers(registry.list(DRIVER).sockets(), false)).hasSize(100);

        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isBetween(RegistrySockets.PATIENCE, RegistrySockets.PATIENCE_FOR_ALL.plusSeconds(3));
    }

    @Test
    void findsOneAmongAHundred() throws Exception {
        for (int one = 0; one < 99; one++) {
            plugins.driver(directory.resolve("plugin-" + one + ".sock"), "driver-" + one + ".example.com");
        }
        plugins.driver(directory.resolve("plugin-x.sock"), DRIVER);

        assertThat(ofDriver()).containsExactly("plugin-x.sock");
    }

    @Test
    void asksNoMoreThanItsLimit() throws Exception {
        for (int one = 0; one < RegistrySockets.MOST + 10; one++) {
            plugins.hanging(directory.resolve(one + ".sock"));
        }

        plugins.hanging(directory.resolve(DRIVER + "-0a1b-reg.sock"));

        RegistrySockets.Listing listing = registry.list(DRIVER);

        assertThat(listing.sockets()).hasSize(RegistrySockets.MOST);
        assertThat(listing.sockets().getFirst().path()).hasFileName(DRIVER + "-0a1b-reg.sock");
        assertThat(listing.cutOff()).isTrue();
        assertThat(listing.note()).contains("not all were looked at");
    }

    @Test
    void beyondItsLimitOfFilesItKeepsThoseNamedForTheDriver() throws Exception {
        for (int one = 0; one <= RegistrySockets.MOST_FILES; one++) {
            Files.createFile(directory.resolve("file-" + one));
        }
        plugins.driver(directory.resolve(DRIVER + ".sock"), DRIVER);

        RegistrySockets.Listing listing = registry.list(DRIVER);

        assertThat(listing.sockets()).hasSize(1);
        assertThat(listing.cutOff()).isTrue();
    }

    @Test
    void whatIsNoSocketIsLeftAloneAndALinkIsFollowedOnce() throws Exception {
        Path outside = Files.createDirectory(directory.resolve(".elsewhere")).resolve("real.sock");
        plugins.driver(outside, DRIVER);
        Files.createSymbolicLink(directory.resolve("b-link.sock"), outside);
        Files.createSymbolicLink(directory.resolve("c-link.sock"), outside);
        Files.createSymbolicLink(directory.resolve("d-nowhere.sock"), directory.resolve("nothing"));
        Files.createSymbolicLink(directory.resolve("e-loop.sock"), directory.resolve("e-loop.sock"));
        Files.writeString(directory.resolve("f-" + DRIVER + "-reg.sock"), "a file");
        Files.createDirectory(directory.resolve(DRIVER + "-1-reg.sock"));
        assertThat(new ProcessBuilder("mkfifo", directory.resolve("fifo.sock").toString())
                        .start()
                        .waitFor())
                .isZero();
        FakePlugins.listen(directory.resolve(DRIVER + "-2-reg.sock")).close();
        plugins.driver(directory.resolve(".hidden.sock"), DRIVER);

        assertThat(ofDriver()).hasSize(1).first().asString().isIn("b-link.sock", "real.sock");
    }

    @Test
    void aLinkThatLeavesTheDirectoryIsNotFollowed() throws Exception {
        Path folder = Files.createDirectory(directory.resolve("registry"));
        Path outside = Files.createDirectory(directory.resolve("outside"));
        plugins.driver(outside.resolve("x.sock"), DRIVER);
        Files.createSymbolicLink(folder.resolve("a.sock"), outside.resolve("x.sock"));
        Files.createSymbolicLink(folder.resolve("b.sock"), Path.of("../outside/x.sock"));
        Files.createSymbolicLink(folder.resolve("way"), outside);
        Files.createSymbolicLink(folder.resolve("c.sock"), Path.of("way/x.sock"));

        assertThat(of(folder).list(DRIVER).sockets()).isEmpty();
    }

    @Test
    void aDirectoryBelowIsLookedThroughAndOneThatIsMissingHasNone() throws Exception {
        Path below = Files.createDirectories(directory.resolve("a/b"));
        plugins.driver(below.resolve("x.sock"), DRIVER);

        assertThat(ofDriver()).containsExactly("x.sock");
        assertThat(of(directory.resolve("none")).list(DRIVER).sockets()).isEmpty();
    }

    @Test
    void aDirectoryThatDoesNotAnswerInTimeFailsTheListUntilItDoes() throws Exception {
        plugins.driver(directory.resolve("x.sock"), DRIVER);
        var mounted = new CountDownLatch(1);
        var hanging = lister.submit(() -> {
            mounted.await();
            return true;
        });
        var impatient = new RegistrySockets(directory, lister, Duration.ofMillis(50));

        assertThatThrownBy(() -> impatient.list(DRIVER))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(directory.toString())
                .hasMessageContaining("a mount that hangs");

        mounted.countDown();
        assertThat(hanging.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(registry.list(DRIVER).sockets()).hasSize(1);
    }

    @Test
    void onePluginIsQueriedOnceForAllDrivers() throws Exception {
        plugins.driver(directory.resolve("a.sock"), DRIVER);
        plugins.driver(directory.resolve("b.sock"), "rdma.imexagent.io");

        for (int look = 0; look < 3; look++) {
            for (String driver : List.of(DRIVER, "rdma.imexagent.io")) {
                assertThat(registry.plugin(driver, registry.list(driver), Optional.empty(), true))
                        .isPresent();
            }
        }

        assertThat(plugins.queries()).isEqualTo(2);
    }

    /** As one that a killed process left on a slow host, where the query is given up before it has begun. */
    @Test
    void aSocketOnWhichNothingListensIsNoPluginThoughItsQueryGaveNoAnswer() throws Exception {
        try (var mute = FakePlugins.listen(directory.resolve(DRIVER + "-reg.sock"))) {
            assertThat(mute.isOpen()).isTrue();
            assertThat(registry.plugin(DRIVER, registry.list(DRIVER), Optional.empty(), false))
                    .isPresent();
        }

        assertThat(registry.plugin(DRIVER, registry.list(DRIVER), Optional.empty(), false))
                .isEmpty();
    }

    private List<String> ofDriver() throws IOException, InterruptedException {
        return registry.answers(registry.list(DRIVER).sockets(), false).entrySet().stream()
                .filter(answer -> answer.getValue().isOf(DRIVER, answer.getKey()))
                .map(answer -> String.valueOf(answer.getKey().path().getFileName()))
                .toList();
    }
}
