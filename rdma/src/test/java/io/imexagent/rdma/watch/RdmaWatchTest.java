package io.imexagent.rdma.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Severity;
import io.imexagent.rdma.fixture.FaultyFiles;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.setting.RdmaSettings;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import io.imexagent.rdma.watch.RdmaWatch.RdmaObserver;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RdmaWatchTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    private final BlockingQueue<String> observed = new LinkedBlockingQueue<>();
    private final BlockingQueue<RdmaView> changes = new LinkedBlockingQueue<>();
    private final AtomicReference<RdmaSettings> settings = new AtomicReference<>();
    private final AtomicReference<KnownAddresses> addresses = new AtomicReference<>(
            new KnownAddresses.ReadAddresses(Set.of(InetAddress.ofLiteral("192.0.2.7")), Optional.empty()));
    private RdmaTree tree;
    private FaultyFiles files;
    private RdmaWatch watch;

    @BeforeEach
    void startOnATray() {
        tree = RdmaTree.gb200(folder.resolve("host"));
        files = new FaultyFiles(new RootedFiles(tree.root()));
        settings.set(Settings.OFF);
        watch = new RdmaWatch(
                files,
                Settings.calls(),
                Clock.systemUTC(),
                tree::gpus,
                addresses::get,
                settings::get,
                () -> Duration.ofSeconds(30),
                observer(),
                System::nanoTime);
        watch.onChange(view -> view.ifPresent(changes::add));
    }

    @AfterEach
    void close() {
        watch.close();
    }

    @Test
    void readsAtOnceAndTellsTheFirstView() throws InterruptedException {
        assertThat(watch.current()).isEmpty();

        watch.start();

        assertThat(rails(next())).containsExactly("rdma0", "rdma1", "rdma2", "rdma3");
        assertThat(watch.current()).isPresent();
    }

    @Test
    void tellsAChangeAndNothingElse() throws InterruptedException {
        watch.start();
        next();
        assertThat(observed.poll(20, TimeUnit.SECONDS)).isEqualTo("read");

        watch.wake();
        assertThat(observed.poll(20, TimeUnit.SECONDS)).isEqualTo("read");
        assertThat(changes).isEmpty();

        tree.defaultRoute("rdma0");
        watch.wake();
        assertThat(rails(next())).containsExactly("rdma1", "rdma2", "rdma3");
    }

    @Test
    void followsTheConfiguration() throws InterruptedException {
        watch.start();
        next();

        settings.set(including(settings.get(), "rdma2"));
        watch.wake();

        assertThat(rails(next())).containsExactly("rdma2");
    }

    @Test
    void tellsItsViewAgainWhereOnlyTheConfigurationChanged() throws InterruptedException {
        watch.start();
        RdmaView first = next();

        settings.set(Settings.TELLING_THE_GID_INDEX);
        watch.wake();

        assertThat(next().hasSameContentAs(first)).isTrue();
    }

    @Test
    void protectsTheInterfaceThatOwnsTheNodesAddress() throws InterruptedException {
        watch.start();
        next();

        addresses.set(new KnownAddresses.ReadAddresses(Set.of(InetAddress.ofLiteral("10.1.1.1")), Optional.empty()));
        watch.wake();

        assertThat(rails(next())).containsExactly("rdma0", "rdma2", "rdma3");
    }

    @Test
    void aClusterThatDoesNotTellTheNodesAddressesIsAFinding() throws InterruptedException {
        addresses.set(new KnownAddresses.UnreadAddresses("user alice lacks the verb get on nodes"));
        watch.start();

        assertThat(next().selection().findings())
                .filteredOn(finding -> finding.code().equals("rdma-node-addresses-unknown"))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                    assertThat(finding.message()).contains("alice lacks the verb get on nodes");
                    assertThat(finding.remedy()).contains("rdma.nodeAddresses");
                });

        addresses.set(new KnownAddresses.ReadAddresses(Set.of(InetAddress.ofLiteral("192.0.2.7")), Optional.empty()));
        watch.wake();
        assertThat(next().selection().findings()).isEmpty();
    }

    @Test
    void keepsTheViewWhileTheHostCannotBeRead() throws InterruptedException {
        watch.start();
        RdmaView first = next();
        assertThat(observed.poll(20, TimeUnit.SECONDS)).isEqualTo("read");

        files.fail("sys/class/infiniband", "Input/output error");
        watch.wake();

        assertThat(observed.poll(20, TimeUnit.SECONDS)).isEqualTo("failed");
        assertThat(watch.current()).contains(first);
    }

    @Test
    void aListenerThatFailsCostsNoOther() throws InterruptedException {
        watch.onChange(view -> {
            throw new IllegalStateException("a listener of the test");
        });
        BlockingQueue<RdmaView> second = new LinkedBlockingQueue<>();
        watch.onChange(view -> view.ifPresent(second::add));

        watch.start();

        assertThat(second.poll(LONG.toSeconds(), TimeUnit.SECONDS)).isNotNull();
    }

    private RdmaView next() throws InterruptedException {
        return Optional.ofNullable(changes.poll(LONG.toSeconds(), TimeUnit.SECONDS))
                .orElseThrow();
    }

    private static List<String> rails(RdmaView view) {
        return view.selection().rails().stream().map(Rail::label).toList();
    }

    private static RdmaSettings including(RdmaSettings from, String name) {
        return new RdmaSettings(
                from.enabled(),
                from.exclude(),
                List.of(name),
                from.includeUplinks(),
                from.peer(),
                from.uplinks(),
                from.nodeAddresses(),
                from.storageDevices(),
                from.strict(),
                from.taint(),
                from.settleAfter(),
                from.topologyFile(),
                from.ncclGidIndex(),
                from.runtime());
    }

    private RdmaObserver observer() {
        return new RdmaObserver() {
            @Override
            public void read(RdmaView view, Duration took) {
                observed.add("read");
            }

            @Override
            public void failed() {
                observed.add("failed");
            }
        };
    }
}
