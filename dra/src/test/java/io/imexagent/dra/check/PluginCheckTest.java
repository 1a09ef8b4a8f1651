package io.imexagent.dra.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.CheckResult.Status;
import io.imexagent.dra.check.SocketHolders.Holder;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginCheckTest {

    private static final SocketHolders NOBODY_IS_SEEN = socket -> Optional.empty();

    @TempDir
    private Path kubelet;

    private Path plugin;
    private Path registry;

    @BeforeEach
    void makeDirectories() throws IOException {
        plugin = Files.createDirectories(kubelet.resolve("plugins/compute-domain.nvidia.com"));
        registry = Files.createDirectories(kubelet.resolve("plugins_registry"));
    }

    @Test
    void isContentWhereNobodyListens() throws IOException {
        listen(plugin.resolve("dra.sock")).close();

        assertThat(Files.exists(plugin.resolve("dra.sock"))).isTrue();
        assertThat(run(NOBODY_IS_SEEN).status()).isEqualTo(Status.OK);
    }

    @Test
    void isContentWithoutDirectories() throws IOException {
        Files.delete(plugin);
        Files.delete(registry);

        assertThat(run(NOBODY_IS_SEEN).status()).isEqualTo(Status.OK);
    }

    @Test
    void isContentWhereThisAgentListens() throws IOException {
        try (var ours = listen(plugin.resolve("dra.sock"))) {
            assertThat(ours.isOpen()).isTrue();
            assertThat(run(socket -> Optional.of(new Holder("7", "java -cp lib/* io.imexagent.agent.Main run")))
                            .status())
                    .isEqualTo(Status.OK);
        }
    }

    @Test
    void failsWhereThePublicDriverListens() throws IOException {
        try (var theirs = listen(plugin.resolve("dra.sock"))) {
            assertThat(theirs.isOpen()).isTrue();

            CheckResult result = run(socket -> Optional.of(new Holder("7", "compute-domain-kubelet-plugin -v 4")));

            assertThat(result.status()).isEqualTo(Status.FAILURE);
            assertThat(result.message())
                    .isEqualTo(
                            "process 7 (compute-domain-kubelet-plugin -v 4) listens on " + plugin.resolve("dra.sock"));
            assertThat(result.remedy()).contains("stop that");
        }
    }

    @Test
    void failsWhereAPluginRegistersUnderAnotherSocketsName() throws IOException {
        Path socket = registry.resolve("compute-domain.nvidia.com-0c1d-reg.sock");
        try (var theirs = listen(socket)) {
            assertThat(theirs.isOpen()).isTrue();

            CheckResult result = run(NOBODY_IS_SEEN);

            assertThat(result.status()).isEqualTo(Status.FAILURE);
            assertThat(result.message()).isEqualTo("a process that cannot be seen from here listens on " + socket);
        }
    }

    @Test
    void leavesPluginsOfOtherDriversAlone() throws IOException {
        try (var other = listen(registry.resolve("gpu.nvidia.com-reg.sock"))) {
            assertThat(other.isOpen()).isTrue();
            assertThat(run(NOBODY_IS_SEEN).status()).isEqualTo(Status.OK);
        }
    }

    @Test
    void warnsWhereItCannotTell() throws IOException {
        try (var theirs = listen(plugin.resolve("dra.sock"))) {
            assertThat(theirs.isOpen()).isTrue();
            assertThat(run(socket -> {
                        throw new IOException("/proc is hidden");
                    }))
                    .returns(Status.WARNING, CheckResult::status);
        }
    }

    @Test
    void failsWhereAnotherPluginServesNics() throws IOException {
        Path socket = Files.createDirectories(kubelet.resolve("plugins/rdma.imexagent.io"))
                .resolve("dra.sock");
        try (var theirs = listen(socket)) {
            assertThat(theirs.isOpen()).isTrue();

            CheckResult result =
                    new PluginCheck(kubelet, NOBODY_IS_SEEN, "rdma-other-plugin", "rdma.imexagent.io", "stop it").run();

            assertThat(result.status()).isEqualTo(Status.FAILURE);
            assertThat(result.id()).isEqualTo("rdma-other-plugin");
            assertThat(result.message()).contains("listens on " + socket);
            assertThat(run(NOBODY_IS_SEEN).status()).as("of channels").isEqualTo(Status.OK);
        }
    }

    private CheckResult run(SocketHolders holders) {
        return new PluginCheck(kubelet, holders, "other-plugin", "compute-domain.nvidia.com", "stop that").run();
    }

    private static ServerSocketChannel listen(Path socket) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        return channel.bind(UnixDomainSocketAddress.of(socket));
    }
}
