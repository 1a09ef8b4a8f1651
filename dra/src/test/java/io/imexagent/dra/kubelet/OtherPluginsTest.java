package io.imexagent.dra.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is found of other plugins while the agent serves. */
@Timeout(60)
class OtherPluginsTest {

    @TempDir
    private Path folder;

    @Test
    void aListenerWhoseQueueIsFullIsAnotherPluginAndEndsNoLook() throws Exception {
        DraSettings settings = RunningServer.settings(folder);
        Files.createDirectories(settings.registryDirectory());
        Path mute = settings.registryDirectory().resolve(settings.driver() + "-0-reg.sock");
        try (var registry = new RegistrySockets(folder);
                var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                        .bind(UnixDomainSocketAddress.of(mute), 1);
                var queue = new FullQueue(mute)) {
            assertThat(listener.isOpen()).isTrue();
            assertThat(queue.connections).isNotEmpty();
            var plugins = new OtherPlugins(
                    settings.driver(),
                    registry,
                    new SocketFile(settings.registrationSocket(), folder),
                    InstantSource.system());

            plugins.look();

            assertThat(plugins.condition().holds()).isFalse();
            assertThat(plugins.condition().detail()).contains(mute.toString());
        }
    }

    @Test
    void tellsOfTheSecondWhenTheFirstIsGone() throws Exception {
        DraSettings settings = RunningServer.settings(folder);
        Path directory = Files.createDirectories(settings.registryDirectory());
        try (var others = new FakePlugins();
                var registry = new RegistrySockets(folder)) {
            others.driver(directory.resolve("b.sock"), settings.driver());
            others.driver(directory.resolve("a.sock"), settings.driver());
            var plugins = new OtherPlugins(
                    settings.driver(),
                    registry,
                    new SocketFile(settings.registrationSocket(), folder),
                    InstantSource.system());
            plugins.look();
            assertThat(plugins.condition().detail()).contains("a.sock");

            others.stopLast();
            plugins.look();

            assertThat(plugins.condition().detail()).contains("b.sock").doesNotContain("a.sock");
        }
    }

    /** Connections that nobody accepts, as many as the listener has room for. */
    private static final class FullQueue implements AutoCloseable {

        private final List<SocketChannel> connections = new ArrayList<>();

        FullQueue(Path socket) throws IOException {
            while (true) {
                SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                channel.configureBlocking(false);
                try {
                    channel.connect(UnixDomainSocketAddress.of(socket));
                    connections.add(channel);
                } catch (IOException full) {
                    channel.close();
                    return;
                }
            }
        }

        @Override
        public void close() throws IOException {
            for (SocketChannel channel : connections) {
                channel.close();
            }
        }
    }
}
