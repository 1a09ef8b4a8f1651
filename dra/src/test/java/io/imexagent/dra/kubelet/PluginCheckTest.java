package io.imexagent.dra.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.CheckResult.Status;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginCheckTest {

    @TempDir
    private Path kubelet;

    @TempDir
    Path proc;

    private Path plugin;
    private Path registry;

    @BeforeEach
    void makeDirectories() throws IOException {
        plugin = Files.createDirectories(kubelet.resolve("plugins/compute-domain.nvidia.com"));
        registry = Files.createDirectories(kubelet.resolve("plugins_registry"));
        Files.createDirectories(proc.resolve("net"));
        Files.writeString(proc.resolve("net/unix"), "");
    }

    @Test
    void isContentWhereNobodyListens() throws IOException {
        listen(plugin.resolve("dra.sock")).close();

        assertThat(Files.exists(plugin.resolve("dra.sock"))).isTrue();
        assertThat(run().status()).isEqualTo(Status.OK);
    }

    @Test
    void isContentWithoutDirectories() throws IOException {
        Files.delete(plugin);
        Files.delete(registry);

        assertThat(run().status()).isEqualTo(Status.OK);
    }

    @Test
    void isContentWhereThisAgentListens() throws IOException {
        try (var ours = listen(plugin.resolve("dra.sock"))) {
            assertThat(ours.isOpen()).isTrue();
            assertThat(runBeside(
                                    plugin.resolve("dra.sock"),
                                    "java\0-jar\0/usr/lib/imex-agent/lib/imex-agent.jar\0run\0")
                            .status())
                    .isEqualTo(Status.OK);
        }
    }

    /** The agent binds another name first, and {@code /proc/net/unix} shows that one. */
    @Test
    void knowsThisAgentByTheNamesThatItBinds() throws IOException {
        Path registration = registry.resolve("compute-domain.nvidia.com-reg.sock");
        try (var node = listen(plugin.resolve("dra.sock"));
                var ours = listen(registration)) {
            assertThat(node.isOpen() && ours.isOpen()).isTrue();
            Files.writeString(proc.resolve("net/unix"), """
                0000000000000000: 00000002 00000000 00010000 0001 01 777 %s
                0000000000000000: 00000002 00000000 00010000 0001 01 778 %s
                """.formatted(
                            plugin.resolve(".dra.sock.new"), plugin.resolve(".reg.sock.new")));
            process("7", "socket:[777]", "java\0-jar\0/src/agent/target/image/lib/imex-agent.jar\0run\0");
            Files.createSymbolicLink(proc.resolve("7/fd/6"), Path.of("socket:[778]"));

            assertThat(run()).returns(Status.OK, CheckResult::status);
        }
    }

    @Test
    void failsWhereThePublicDriverTookTheSocketOfThisAgent() throws IOException {
        Path socket = plugin.resolve("dra.sock");
        try (var theirs = listen(socket)) {
            assertThat(theirs.isOpen()).isTrue();
            Files.writeString(proc.resolve("net/unix"), """
                0000000000000000: 00000002 00000000 00010000 0001 01 777 %s
                0000000000000000: 00000002 00000000 00010000 0001 01 778 %s
                """.formatted(plugin.resolve(".dra.sock.new"), socket));
            process("7", "socket:[777]", "java\0-jar\0/usr/lib/imex-agent/lib/imex-agent.jar\0run\0");
            process("8", "socket:[778]", "compute-domain-kubelet-plugin\0");

            assertThat(run().message()).isEqualTo("process 8 (compute-domain-kubelet-plugin) listens on " + socket);
        }
    }

    @Test
    void failsWhereThePublicDriverListens() throws IOException {
        try (var theirs = listen(plugin.resolve("dra.sock"))) {
            assertThat(theirs.isOpen()).isTrue();

            CheckResult result = runBeside(plugin.resolve("dra.sock"), "compute-domain-kubelet-plugin\0-v\0004\0");

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

            CheckResult result = run();

            assertThat(result.status()).isEqualTo(Status.FAILURE);
            assertThat(result.message()).isEqualTo("a process that cannot be seen from here listens on " + socket);
        }
    }

    @Test
    void findsTheProcessOfTheSocketAmongOthers() throws IOException {
        Path socket = plugin.resolve("dra.sock");
        try (var theirs = listen(socket)) {
            assertThat(theirs.isOpen()).isTrue();
            Files.createDirectories(proc.resolve("self"));
            process("31", "socket:[4711]", "another\0process\0");
            process("123", "socket:[777]", "java\0-cp\0lib/*\0run\0");
            Files.writeString(proc.resolve("net/unix"), """
                Num       RefCount Protocol Flags    Type St Inode Path
                0000000000000000: 00000002 00000000 00010000 0001 01 4711
                0000000000000000: 00000002 00000000 00010000 0001 01  777 %s
                """.formatted(socket));

            assertThat(run().message()).isEqualTo("process 123 (java -cp lib/* run) listens on " + socket);
        }
    }

    @Test
    void tellsNothingOfAProcessWhoseDescriptorsAreHidden() throws IOException {
        Path socket = plugin.resolve("dra.sock");
        try (var theirs = listen(socket)) {
            assertThat(theirs.isOpen()).isTrue();

            CheckResult result = runBeside(socket, "java\0");
            Files.delete(proc.resolve("7/fd/5"));
            Files.delete(proc.resolve("7/fd/0"));
            Files.delete(proc.resolve("7/fd"));

            assertThat(result.message()).startsWith("process 7 ");
            assertThat(run().message()).isEqualTo("a process that cannot be seen from here listens on " + socket);
        }
    }

    @Test
    void leavesPluginsOfOtherDriversAlone() throws IOException {
        try (var other = listen(registry.resolve("gpu.nvidia.com-reg.sock"))) {
            assertThat(other.isOpen()).isTrue();
            assertThat(run().status()).isEqualTo(Status.OK);
        }
    }

    @Test
    void warnsWhereItCannotTell() throws IOException {
        try (var theirs = listen(plugin.resolve("dra.sock"))) {
            assertThat(theirs.isOpen()).isTrue();
            Files.delete(proc.resolve("net/unix"));
            assertThat(run()).returns(Status.WARNING, CheckResult::status);
        }
    }

    @Test
    void failsWhereAnotherPluginServesNics() throws IOException {
        Path socket = Files.createDirectories(kubelet.resolve("plugins/rdma.imexagent.io"))
                .resolve("dra.sock");
        try (var theirs = listen(socket)) {
            assertThat(theirs.isOpen()).isTrue();

            CheckResult result =
                    new PluginCheck(kubelet, proc, "rdma-other-plugin", "rdma.imexagent.io", "stop it").run();

            assertThat(result.status()).isEqualTo(Status.FAILURE);
            assertThat(result.id()).isEqualTo("rdma-other-plugin");
            assertThat(result.message()).contains("listens on " + socket);
            assertThat(run().status()).as("of channels").isEqualTo(Status.OK);
        }
    }

    private CheckResult run() {
        return new PluginCheck(kubelet, proc, "other-plugin", "compute-domain.nvidia.com", "stop that").run();
    }

    /** With process 7, which has this command line, behind the socket. */
    private CheckResult runBeside(Path socket, String command) throws IOException {
        Files.writeString(
                proc.resolve("net/unix"), "0000000000000000: 00000002 00000000 00010000 0001 01 777 " + socket + "\n");
        process("7", "socket:[777]", command);
        return run();
    }

    private void process(String pid, String target, String command) throws IOException {
        Path descriptors = Files.createDirectories(proc.resolve(pid).resolve("fd"));
        Files.createSymbolicLink(descriptors.resolve("0"), Path.of("/dev/null"));
        Files.createSymbolicLink(descriptors.resolve("5"), Path.of(target));
        Files.writeString(proc.resolve(pid).resolve("cmdline"), command);
    }

    private static ServerSocketChannel listen(Path socket) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        return channel.bind(UnixDomainSocketAddress.of(socket));
    }
}
