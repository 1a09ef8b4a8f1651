package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.files.FileSteps;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.host.FakeHost;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** What holds of every command, those included that are added later. */
class CommandTreeTest {

    private static final String CLAIM = "aaaa";

    /** Of all commands that take the flags of the configuration, those that read them in ways of their own, and one. */
    private static final Set<String> FLAGS_OF = Set.of("run", "gate", "probe");

    private static final Set<String> EVERYWHERE = Set.of("--config", "--debug", "--color", "--help");

    private final CliFixture cli = new CliFixture();

    @TempDir
    private Path folder;

    @Test
    void aWrongCommandLineEndsWith2() {
        List<CommandSpec> commands = all(cli.commands()).toList();

        assertThat(commands).hasSizeGreaterThan(20);
        for (CommandSpec command : commands) {
            assertUsage(command, "--no-such-option");
            assertUsage(command, "surplus");
            if (command.positionalParameters().stream().anyMatch(ArgSpec::required)) {
                assertThat(cli.execute(words(command).toArray(String[]::new)))
                        .as("%s without its argument", command.qualifiedName())
                        .isEqualTo(ExitCode.USAGE);
            }
        }
    }

    @Test
    void aMissingOrWrongValueOfAnyOptionEndsWith2() {
        for (CommandSpec command : all(cli.commands()).toList()) {
            for (OptionSpec option : command.options()) {
                String name = option.longestName();
                if (option.arity().max() == 0) {
                    assertUsage(command, name + "=perhaps");
                    continue;
                }
                if (option.group() == null || FLAGS_OF.contains(command.name())) {
                    assertUsage(command, name);
                }
                // A file that is not there is no mistake of the command line. Flags of the configuration go one way.
                boolean own = option.group() == null || FLAGS_OF.contains(command.name());
                if (own && command.subcommands().isEmpty() && !name.equals(GlobalOptions.CONFIG)) {
                    assertThat(Stream.of("", "-1", "no such value")
                                    .anyMatch(value -> run(command, name + "=" + value) == ExitCode.USAGE))
                            .as("%s refuses some value of %s", command.qualifiedName(), name)
                            .isTrue();
                }
            }
        }
    }

    @Test
    void optionsOfEveryCommandStandBelowACommandsOwnInItsHelp() {
        String everywhere = "Options of every command:\n";
        for (CommandSpec command : all(cli.commands()).toList()) {
            assertThat(run(command, "--help")).isEqualTo(ExitCode.OK);
            List<OptionSpec> own = command.options().stream()
                    .filter(option -> option.group() == null && !EVERYWHERE.contains(option.longestName()))
                    .toList();
            if (command.parent() == null || own.isEmpty()) {
                assertThat(cli.out()).as(command.qualifiedName()).doesNotContain(everywhere);
                continue;
            }
            int below = cli.out().indexOf(everywhere);
            assertThat(own)
                    .as(command.qualifiedName())
                    .allSatisfy(option -> assertThat(cli.out().lastIndexOf(option.longestName(), below))
                            .as(option.longestName())
                            .isPositive());
            assertThat(EVERYWHERE)
                    .as(command.qualifiedName())
                    .allSatisfy(
                            name -> assertThat(cli.out().indexOf(name, below)).isPositive());
        }
    }

    @Test
    void theProgramsHelpHasATableOfExitCodes() {
        cli.execute("--help");

        assertThat(cli.out()
                        .substring(cli.out().indexOf("Exit codes:\n"))
                        .lines()
                        .map(String::strip)
                        .filter(line -> line.matches("[0-9]+  .*")))
                .hasSize(ExitCode.values().length)
                .startsWith("0     done, and nothing worse than info was found")
                .contains("78    the configuration has faults");
    }

    @Test
    void everyDocumentIsAnObjectWithTheTimeOfWhatItDescribes() throws Exception {
        var host = FakeHost.create(folder);
        cli.on(host);
        claim(host);
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions().token("secret", UserIdentity.ADMIN))) {
            Path access = api.writeKubeconfig(folder.resolve("kubelet.conf"), new Login.TokenLogin("secret"));
            Instant before = Instant.now();
            List<CommandSpec> printing = all(cli.commands())
                    .filter(command -> command.findOption(GlobalOptions.OUTPUT) != null)
                    // It needs pods that run; FabricTestCommandTest reads its document.
                    .filter(command -> !command.qualifiedName().equals("imex-agent fabric test"))
                    // It needs a clique; ControlPlaneCommandsTest reads its document.
                    .filter(command -> !command.qualifiedName().equals("imex-agent nodes-file"))
                    .toList();

            assertThat(printing).hasSizeGreaterThan(11);
            for (CommandSpec command : printing) {
                for (String format : List.of("json", "yaml")) {
                    run(command, "--set=controller.kubeconfig=" + access, "-o", format);
                    String what = command.qualifiedName() + " -o " + format + ": " + cli.err();
                    JsonNode document =
                            (format.equals("json") ? new ObjectMapper() : new YAMLMapper()).readTree(cli.out());
                    assertThat(document.isObject()).as(what).isTrue();
                    if (what.startsWith("imex-agent config show -o yaml")) {
                        // It is a configuration file.
                        continue;
                    }
                    assertThat(document.fieldNames().next()).as(what).isEqualTo("at");
                    assertThat(Instant.parse(document.get("at").asText()))
                            .as(what)
                            .isBetween(before, Instant.now());
                }
            }
        }
    }

    static void claim(FakeHost host) throws IOException {
        new FileCheckpointStore(
                        host.kubeletRoot().resolve("plugins").resolve(DriverNames.DRIVER),
                        CheckpointFormat.PUBLIC_DRIVER,
                        Clock.systemUTC(),
                        FileSteps.ALL_PASS)
                .save(Ledger.empty(Optional.of(new BootId("boot-1")))
                        .with(new ClaimEntry.Started(
                                new ClaimUid(CLAIM),
                                ClaimName.parse("team", "worker-0-channel"),
                                new ClaimStatus(Optional.empty(), List.of(), List.of()))));
    }

    private void assertUsage(CommandSpec command, String argument) {
        assertThat(run(command, argument))
                .as("%s %s", command.qualifiedName(), argument)
                .isEqualTo(ExitCode.USAGE);
        assertThat(cli.err()).as("%s %s", command.qualifiedName(), argument).startsWith("imex-agent: ");
    }

    private ExitCode run(CommandSpec command, String... arguments) {
        List<String> line = words(command);
        if (!command.positionalParameters().isEmpty()) {
            line.add(CLAIM);
        }
        line.addAll(List.of(arguments));
        return cli.execute(line.toArray(String[]::new));
    }

    /** The command's name as it is typed, without the program's. */
    private static List<String> words(CommandSpec command) {
        var words = new ArrayList<>(List.of(command.qualifiedName().split(" ", -1)));
        words.removeFirst();
        return words;
    }

    private static Stream<CommandSpec> all(CommandLine command) {
        return Stream.concat(
                Stream.of(command.getCommandSpec()),
                command.getSubcommands().values().stream().flatMap(CommandTreeTest::all));
    }
}
