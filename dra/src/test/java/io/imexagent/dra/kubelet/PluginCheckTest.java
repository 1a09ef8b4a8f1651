package io.imexagent.dra.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PluginCheckTest {

    private static final long ME = ProcessHandle.current().pid();

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
    }

    @Test
    void isContentWhereNobodyListens() throws Exception {
        listen(plugin.resolve("dra.sock")).close();

        assertThat(Files.exists(plugin.resolve("dra.sock"))).isTrue();
        assertThat(run().severity()).isEqualTo(Severity.OK);
    }

    @Test
    void isContentWithoutDirectories() throws Exception {
        Files.delete(plugin);
        Files.delete(registry);

        assertThat(run().severity()).isEqualTo(Severity.OK);
    }

    /** Of the package with a Java runtime or a native image, and of the container, which names the jar in a file of options. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "java -jar /usr/lib/imex-agent/lib/imex-agent.jar run ",
                "/usr/lib64/imex-agent/bin/imex-agent -Djna.nounpack=true run ",
                "/home/user/native/imex-agent run ",
                "java @/usr/lib64/imex-agent/jvm.options @/usr/lib64/imex-agent/container.options run "
            })
    void isContentWhereThisAgentListens(String command) throws Exception {
        try (var ours = listen(plugin.resolve("dra.sock"))) {
            assertThat(ours.isOpen()).isTrue();
            assertThat(runBeside(command.replace(' ', '\0')).severity()).isEqualTo(Severity.OK);
        }
    }

    /** The agent goes on listening on the socket that had the name before. */
    @Test
    void failsWhereThePublicDriverTookTheSocketOfThisAgent() throws Exception {
        Path socket = plugin.resolve("dra.sock");
        try (var ours = listen(plugin.resolve(".dra.sock.new"))) {
            assertThat(ours.isOpen()).isTrue();
            command(ME, "java\0-jar\0/usr/lib/imex-agent/lib/imex-agent.jar\0run\0");
            Process theirs = Thief.on(socket);
            try {
                command(theirs.pid(), "compute-domain-kubelet-plugin\0");

                assertThat(run().message())
                        .isEqualTo("process " + theirs.pid() + " (compute-domain-kubelet-plugin) listens on " + socket);
            } finally {
                theirs.destroyForcibly();
            }
        }
    }

    @Test
    void failsWhereThePublicDriverListens() throws Exception {
        try (var theirs = listen(plugin.resolve("dra.sock"))) {
            assertThat(theirs.isOpen()).isTrue();

            CheckResult result = runBeside("compute-domain-kubelet-plugin\0-v\0004\0");

            assertThat(result.severity()).isEqualTo(Severity.CRITICAL);
            assertThat(result.message())
                    .isEqualTo("process " + ME + " (compute-domain-kubelet-plugin -v 4) listens on "
                            + plugin.resolve("dra.sock"));
            assertThat(result.remedy()).contains("stop that");
        }
    }

    @Test
    void failsWhereAPluginRegistersUnderAnotherSocketsName() throws Exception {
        Path socket = registry.resolve("compute-domain.nvidia.com-0c1d-reg.sock");
        try (var theirs = listen(socket)) {
            assertThat(theirs.isOpen()).isTrue();

            CheckResult result = run();

            assertThat(result.severity()).isEqualTo(Severity.CRITICAL);
            assertThat(result.message()).isEqualTo("a process that cannot be seen from here listens on " + socket);
        }
    }

    /** As in a pod without hostPID, and under ProtectProc=: it may be this agent. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "plugins/compute-domain.nvidia.com/dra.sock",
                "plugins_registry/compute-domain.nvidia.com-reg.sock"
            })
    void cannotTellWhoseTheAgentsOwnSocketIsWhereItsProcessIsHidden(String name) throws Exception {
        try (var somebody = listen(kubelet.resolve(name))) {
            assertThat(somebody.isOpen()).isTrue();

            CheckResult result = run();

            assertThat(result.severity()).isEqualTo(Severity.WARNING);
            assertThat(result.message())
                    .startsWith("cannot tell whether this agent or another plugin")
                    .contains("hidepid");
            assertThat(result.remedy())
                    .hasValueSatisfying(remedy -> assertThat(remedy).contains("on the host"));
        }
    }

    /** As newer helper libraries name the sockets of drivers with long names. */
    @Test
    void failsWhereAPluginOfTheDriverAnswersUnderAnotherName() throws Exception {
        Path socket = registry.resolve("dra-5d41402a-reg.sock");
        try (var plugins = new FakePlugins()) {
            plugins.driver(socket, "compute-domain.nvidia.com");

            CheckResult result = runBeside("compute-domain-kubelet-plugin\0");

            assertThat(result.severity()).isEqualTo(Severity.CRITICAL);
            assertThat(result.message())
                    .isEqualTo("process " + ME + " (compute-domain-kubelet-plugin) listens on " + socket);
        }
    }

    @Test
    void isContentWhereThisAgentAnswersByALink() throws Exception {
        try (var plugins = new FakePlugins()) {
            plugins.driver(registry.resolve("compute-domain.nvidia.com-reg.sock"), "compute-domain.nvidia.com");
            Files.createSymbolicLink(
                    registry.resolve("link.sock"), registry.resolve("compute-domain.nvidia.com-reg.sock"));

            assertThat(runBeside("java\0-jar\0/usr/lib/imex-agent/lib/imex-agent.jar\0run\0")
                            .severity())
                    .isEqualTo(Severity.OK);
        }
    }

    @Test
    void isContentWithAnotherDriversPluginAndNamesASocketThatSaysNothing() throws Exception {
        try (var plugins = new FakePlugins()) {
            plugins.driver(registry.resolve("compute-domain.nvidia.com-reg.sock"), "another.example.com");
            plugins.hanging(registry.resolve("mute.sock"));

            CheckResult result = run();

            assertThat(result.severity()).isEqualTo(Severity.OK);
            assertThat(result.message())
                    .isEqualTo("no other plugin of compute-domain.nvidia.com runs on this node; of plugins_registry 1"
                            + " socket gives no plugin's answer, such as mute.sock");
        }
    }

    @Test
    void leavesPluginsOfOtherDriversAlone() throws Exception {
        try (var other = listen(registry.resolve("gpu.nvidia.com-reg.sock"))) {
            assertThat(other.isOpen()).isTrue();
            assertThat(run().severity()).isEqualTo(Severity.OK);
        }
    }

    @Test
    void failsWhereAnotherPluginServesNics() throws Exception {
        Path socket = Files.createDirectories(kubelet.resolve("plugins/rdma.imexagent.io"))
                .resolve("dra.sock");
        try (var theirs = listen(socket)) {
            assertThat(theirs.isOpen()).isTrue();
            command(ME, "other\0");

            CheckResult result = check("rdma-other-plugin", "rdma.imexagent.io", "stop it");

            assertThat(result.severity()).isEqualTo(Severity.CRITICAL);
            assertThat(result.id()).isEqualTo("rdma-other-plugin");
            assertThat(result.message()).contains("listens on " + socket);
            assertThat(run().severity()).as("of channels").isEqualTo(Severity.OK);
        }
    }

    private CheckResult run() throws InterruptedException {
        return check("other-plugin", "compute-domain.nvidia.com", "stop that");
    }

    private CheckResult check(String id, String driver, String remedy) throws InterruptedException {
        try (var plugins = new RegistrySockets(kubelet)) {
            return new PluginCheck(plugins, kubelet, proc, id, driver, remedy).run();
        }
    }

    /** With this command line of this process, which listens. */
    private CheckResult runBeside(String command) throws IOException, InterruptedException {
        command(ME, command);
        return run();
    }

    private void command(long pid, String command) throws IOException {
        Files.writeString(
                Files.createDirectories(proc.resolve(String.valueOf(pid))).resolve("cmdline"), command);
    }

    private static ServerSocketChannel listen(Path socket) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        return channel.bind(UnixDomainSocketAddress.of(socket));
    }

    /** Another process, which listens until it is killed. */
    static final class Thief {
        static Process on(Path socket) throws IOException {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Thief.class.getName(),
                            socket.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            assertThat(process.inputReader().readLine()).isEqualTo("listening");
            return process;
        }

        public static void main(String... arguments) throws IOException {
            try (var channel = listen(Path.of(arguments[0]))) {
                System.out.println("listening");
                while (true) {
                    channel.accept().close();
                }
            }
        }
    }
}
