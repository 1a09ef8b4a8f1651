package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.UserIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Which kubeconfig the commands of the cluster take, over one double of the API server. */
class KubeconfigChoiceTest {

    private static final String CONFIGURED = "IMEX_AGENT_CONTROLLER_KUBECONFIG";

    private final CliFixture cli = new CliFixture();

    @TempDir
    Path folder = Path.of("");

    private ApiDouble api;

    @BeforeEach
    void start() throws IOException {
        api = ApiDouble.start(new ApiDoubleOptions());
        api.acceptToken("admin", UserIdentity.ADMIN);
        Files.createDirectories(folder.resolve("home/.kube"));
        cli.environment("HOME", folder.resolve("home").toString());
    }

    @AfterEach
    void stop() {
        api.close();
    }

    /** The commands that have the option, those included that are added later. */
    static Stream<String> commandsOfTheCluster() {
        return leaves(new CliFixture().commands())
                .filter(command -> command.findOption("--context") != null)
                .map(CommandSpec::qualifiedName);
    }

    @Test
    void everyCommandOfTheClusterTakesAKubeconfig() {
        assertThat(commandsOfTheCluster())
                .contains(
                        "imex-agent domains",
                        "imex-agent cliques",
                        "imex-agent nodes-file",
                        "imex-agent racks",
                        "imex-agent fabric test");
    }

    @Test
    void takesTheFirstOfOptionVariableConfigurationAndHome() throws IOException {
        Path home = kubeconfig("home/.kube/config");
        assertTaken(home);

        Path configured = kubeconfig("configured.conf");
        cli.environment(CONFIGURED, configured.toString());
        assertTaken(configured);

        Path ofVariable = kubeconfig("variable.conf");
        cli.environment("KUBECONFIG", ofVariable.toString());
        assertTaken(ofVariable);

        Path ofOption = kubeconfig("option.conf");
        assertTaken(ofOption, "--kubeconfig", ofOption.toString());
        assertTaken(ofOption, "--controller-kubeconfig", ofOption.toString());
        assertTaken(ofOption, "--set", "controller.kubeconfig=" + ofOption);
    }

    @Test
    void saysWhichWasTakenInOneLineThatIsNoPartOfTheResult() throws IOException {
        Path file = kubeconfig("home/.kube/config");

        assertThat(cli.execute("domains", "-o", "json")).isEqualTo(ExitCode.OK);
        assertThat(cli.err().lines())
                .containsExactly("imex-agent: uses kubeconfig " + file + ", context double, " + api.url());
        assertThat(cli.out()).startsWith("{").doesNotContain("kubeconfig");
    }

    @ParameterizedTest
    @ValueSource(strings = {"domains", "cliques", "racks", "nodes-file 2a5b6f4c-1111-2222-3333-444444444444.1"})
    void aNamedFileThatIsMissingIsRefusedAndNoOtherIsTaken(String command) throws IOException {
        kubeconfig("home/.kube/config");
        Path missing = folder.resolve("missing.conf");
        String[] words = command.split(" ", -1);

        assertThat(cli.execute(with(words, "--kubeconfig", missing.toString()))).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err().lines())
                .containsExactly("imex-agent: --kubeconfig " + missing + " does not exist; name one that exists with"
                        + " --kubeconfig, or in the variable KUBECONFIG");

        cli.environment("KUBECONFIG", missing.toString());
        assertThat(cli.execute(words)).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err()).contains("$KUBECONFIG " + missing + " does not exist");
    }

    @Test
    void theFabricTestTakesItToo() throws IOException {
        kubeconfig("home/.kube/config");
        Path missing = folder.resolve("missing.conf");

        assertThat(cli.execute("fabric", "test", "--image", "x", "--kubeconfig", missing.toString()))
                .isEqualTo(ExitCode.FAILED);
        assertThat(cli.err()).contains("--kubeconfig " + missing + " does not exist");
    }

    @Test
    void ofSeveralFilesInTheVariableTheOneThatExistsIsTakenAndMoreAreRefused() throws IOException {
        Path one = kubeconfig("one.conf");
        Path two = folder.resolve("two.conf");
        cli.environment("KUBECONFIG", two + "::" + one + ":" + one);
        assertTaken(one);

        kubeconfig("two.conf");
        assertThat(cli.execute("domains")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err())
                .contains("$KUBECONFIG names several files, " + two + " and " + one, "--flatten", "--kubeconfig");
        assertTaken(one, "--kubeconfig", one.toString());
    }

    @Test
    void aFileIsNamedRelativeToTheWorkingDirectory() throws IOException {
        Path file = kubeconfig("relative.conf");
        Path relative = Path.of("").toAbsolutePath().relativize(file.toRealPath());

        assertThat(cli.execute("domains", "--kubeconfig", relative.toString())).isEqualTo(ExitCode.OK);
        assertThat(cli.err()).contains("relative.conf, context double");
    }

    @Test
    void aContextIsTakenByItsNameAndAnUnknownOneRefusedWithThoseThatAreThere() throws IOException {
        Path file = kubeconfig("home/.kube/config");
        Files.writeString(
                file,
                Files.readString(file)
                        .replace("current-context: \"double\"", "current-context: \"gone\"")
                        .replace("current-context: double", "current-context: gone"));

        assertThat(cli.execute("domains")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err()).contains("its contexts have no gone; use another context: it has double");
        assertThat(cli.execute("domains", "--context", "double")).isEqualTo(ExitCode.OK);
        assertThat(cli.err()).contains("context double");
        assertThat(cli.execute("domains", "--context", "")).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void aTokenThatTheServerDoesNotTakeIsNamedWithItsFile() throws IOException {
        Path file = api.writeKubeconfig(folder.resolve("old.conf"), new Login.TokenLogin("expired"));

        assertThat(cli.execute("domains", "--kubeconfig", file.toString())).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err())
                .contains("does not accept the identity of kubeconfig " + file + " (its token)", "renew it");
    }

    @Test
    void aPluginThatIsMissingIsNamedWithItsHint() throws IOException {
        Path file = Files.writeString(folder.resolve("plugin.conf"), """
                current-context: c
                contexts: [{name: c, context: {cluster: a, user: u}}]
                clusters: [{name: a, cluster: {server: "%s", insecure-skip-tls-verify: true}}]
                users:
                - name: u
                  user:
                    exec:
                      apiVersion: client.authentication.k8s.io/v1
                      command: /nonexistent/mint
                      installHint: install the mint
                """.formatted(api.url()));

        assertThat(cli.execute("domains", "--kubeconfig", file.toString())).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err()).contains("plugin /nonexistent/mint cannot be started", "install the mint");
    }

    @Test
    void twoOptionsOfOneMeaningAreRefused() {
        assertThat(cli.execute("domains", "--kubeconfig", "/a", "--controller-kubeconfig", "/b"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(cli.err()).contains("--kubeconfig and --controller-kubeconfig name the same thing");
    }

    @Test
    void withoutAnyItSaysWhereItLooked() {
        assertThat(cli.execute("domains")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err())
                .contains("there is no kubeconfig: none of /etc/imex-agent/controller.conf, "
                        + folder.resolve("home/.kube/config") + " exists; name one that exists with --kubeconfig");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 600, true",
        "0, 0, 664, true",
        "0, 0, 666, false",
        "0, 1000, 644, true",
        "0, 1000, 664, false",
        "1000, 1000, 600, false"
    })
    void onlyAFileThatNoOtherUserCanWriteIsOfRoot(int owner, int group, String mode, boolean expected) {
        assertThat(KubeconfigChoice.isOfRoot(owner, group, Integer.parseInt(mode, 8)))
                .isEqualTo(expected);
    }

    /** As another user, who can change no owner, the file's mode alone changes nothing. */
    @Test
    void rootPassesOverAFileInTheHomeThatAnotherUserCanWrite() throws IOException {
        Path home = kubeconfig("home/.kube/config");
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rw-rw-rw-"));
        if (!ThisProcess.isRoot()) {
            assertTaken(home);
            return;
        }

        assertThat(cli.execute("domains")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err())
                .contains("imex-agent: passes over " + home + ", which others than root own or can write")
                .contains("controller.conf does not exist");
        assertTaken(home, "--kubeconfig", home.toString());

        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rw-------"));
        assertTaken(home);
        Files.setAttribute(home, "unix:uid", 4711);
        assertThat(cli.execute("domains")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err()).contains("passes over " + home);
    }

    @Test
    void theControllerTakesTheOptionAndNoVariable() {
        cli.environment("KUBECONFIG", "/of/a/user");

        assertThat(cli.execute("controller", "--kubeconfig", "/of/the/controller"))
                .isEqualTo(ExitCode.OK);
        assertThat(cli.runs().getLast().controller().kubeconfig()).isEqualTo(Path.of("/of/the/controller"));
        assertThat(cli.execute("controller")).isEqualTo(ExitCode.OK);
        assertThat(cli.runs().getLast().controller().kubeconfig())
                .isEqualTo(Path.of("/etc/imex-agent/controller.conf"));
    }

    @Test
    void ofANodesCommandsTheOptionIsTheKubelets() {
        assertThat(cli.execute("run", "--kubeconfig", "/of/the/kubelet")).isEqualTo(ExitCode.OK);
        assertThat(cli.runs().getLast().kubeconfigs()).isEqualTo(List.of(Path.of("/of/the/kubelet")));
        assertThat(cli.runs().getLast().controller().kubeconfig())
                .isEqualTo(Path.of("/etc/imex-agent/controller.conf"));
    }

    private void assertTaken(Path file, String... options) {
        assertThat(cli.execute(with(new String[] {"domains"}, options)))
                .as(cli.err())
                .isEqualTo(ExitCode.OK);
        assertThat(cli.err()).startsWith("imex-agent: uses kubeconfig " + file + ", context ");
    }

    private Path kubeconfig(String name) throws IOException {
        return api.writeKubeconfig(folder.resolve(name), new Login.TokenLogin("admin"));
    }

    private static String[] with(String[] words, String... more) {
        return Stream.concat(Arrays.stream(words), Arrays.stream(more)).toArray(String[]::new);
    }

    private static Stream<CommandSpec> leaves(CommandLine command) {
        return Stream.concat(
                Stream.of(command.getCommandSpec()),
                command.getSubcommands().values().stream().flatMap(KubeconfigChoiceTest::leaves));
    }
}
