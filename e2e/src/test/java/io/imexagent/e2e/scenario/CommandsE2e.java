package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.cli.Environment;
import io.imexagent.agent.runtime.Main;
import io.imexagent.e2e.agent.ClaimedPod;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.page.PageWorld;
import io.imexagent.e2e.page.ShownRacks;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.testing.kubelet.ClaimResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Every command, of the agent that is tested and of the checkout's on HotSpot, in the same world: standard output, standard
 * error and exit code are the same, but for times. The exit code is the expected one, so that two wrong ones differ too.
 */
@ExtendWith(Worlds.class)
class CommandsE2e {

    /** An exit code, and the words of the command; names in capitals stand for what the world has. */
    private static final String ON_A_NODE = """
            0  --version
            2  no-such-command
            2  probe --no-such-option
            2  probe -o xml
            78 run --config /nonexistent/config.yaml
            2  controller --set no.such.key=1
            3  probe
            3  probe -o json
            3  probe -o yaml
            3  check
            3  check -o json
            0  health
            0  health -o json
            0  gate
            0  gate --set imex.service.pciDevices=ffff
            4  provision --check
            0  claims list
            0  claims list -o json
            0  claims show CLAIM
            0  claims show CLAIM -o yaml
            1  claims show no-such-claim
            1  claims forget no-such-claim
            0  manifests
            0  manifests --fabric-test
            0  config show
            0  config show -o json
            0  config validate
            2  config validate --set inventory.interval=soon
            78 config validate --config BROKEN
            0  rdma show
            0  rdma show -o json
            1  rdma check
            1  rdma summary
            0  rdma snapshot
            3  fabric local
            0  fabric child
            1  fabric rank
            0  completion
            0  completion --shell zsh
            0  completion --shell fish
            """;

    private static final String ON_A_CLUSTER = """
            0  domains
            0  domains -o json
            0  cliques
            0  cliques -o json
            0  cliques -o yaml
            0  racks
            0  racks -o json
            0  racks -o yaml
            0  racks --alerts
            0  racks rack000-tray-03
            2  racks no-such-rack
            1  nodes-file CLIQUE
            2  nodes-file no-such-clique
            2  fabric test --no-such-option
            """;

    private static final String WITHOUT_THE_SERVER = """
            1  domains
            1  cliques
            1  racks
            1  nodes-file CLIQUE
            1  fabric test --image registry.example/imex-agent:1
            """;

    /** Times of the day and how long something took or is ago. */
    private static final Pattern TIMES =
            Pattern.compile("\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)?"
                    + "|[A-Z][a-z]{2} \\d{1,2}, \\d{4} \\d{1,2}:\\d\\d:\\d\\d [AP]M"
                    + "|\\b\\d+(\\.\\d+)? ?m?s\\b");

    @TempDir
    private Path folder;

    private record Ran(int code, String out, String err) {}

    @Test
    void everyHelpIsTheSame() throws Exception {
        var soft = new SoftAssertions();
        for (CommandLine command : all(tree())) {
            List<String> words = new ArrayList<>(words(command));
            words.add("--help");
            compare(soft, 0, words, Map.of());
        }
        soft.assertAll();
    }

    @Test
    void everyCommandHasAnExpectation() {
        List<String> expected = Stream.of(ON_A_NODE, ON_A_CLUSTER)
                .flatMap(String::lines)
                .map(line -> line.split(" +", 2)[1] + " ")
                .toList();

        assertThat(all(tree()).stream()
                        .filter(command -> command.getSubcommands().isEmpty())
                        .map(command -> String.join(" ", words(command)) + " "))
                .allSatisfy(command -> assertThat(expected).anyMatch(line -> line.startsWith(command)));
    }

    @Test
    void aNodeIsReadAlike(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        world.startServing();
        assertThat(world.prepare(workload)).isInstanceOf(ClaimResult.ClaimDone.class);
        Path config = world.settings().write(folder.resolve("node.yaml"));

        Path broken = Files.writeString(folder.resolve("broken.yaml"), "inventory:\n  interval: soon\n");

        compare(ON_A_NODE.replace("CLAIM", workload.claim().uid()).replace("BROKEN", broken.toString()), config);
    }

    @Test
    void aClusterIsReadAlike() throws Exception {
        try (var world = new PageWorld(folder, racks -> {
            racks.add(0, 2);
            racks.fail(0, 3);
            racks.add(1, 1);
        })) {
            world.controller()
                    .awaitTrue(
                            "the racks",
                            () -> world.client().page("/metrics").body().contains("imex_agent_controller_cliques 2"));
            // What it writes at its start and after would be seen by one of two commands.
            world.stopController();

            compare(ON_A_CLUSTER.replace("CLIQUE", ShownRacks.clique(1)), world.config());
            world.api().goAway();
            compare(WITHOUT_THE_SERVER.replace("CLIQUE", ShownRacks.clique(1)), world.config());
        }
    }

    private void compare(String commands, Path config) throws IOException, InterruptedException {
        var soft = new SoftAssertions();
        for (String line : commands.lines().toList()) {
            String[] parts = line.split(" +");
            List<String> words = List.of(parts).subList(1, parts.length);
            compare(soft, Integer.parseInt(parts[0]), words, Map.of("IMEX_AGENT_CONFIG", config.toString()));
        }
        soft.assertAll();
    }

    private void compare(SoftAssertions soft, int code, List<String> words, Map<String, String> environment)
            throws IOException, InterruptedException {
        String line = String.join(" ", words);
        Ran tested = run(Checkout.find().executable(), words, environment);
        soft.assertThat(tested.code).as(line + ": " + tested.err).isEqualTo(code);
        soft.assertThat(tested).as(line).isEqualTo(run(Checkout.find().launcher(), words, environment));
    }

    private Ran run(Path executable, List<String> words, Map<String, String> environment)
            throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        List<String> command = new ArrayList<>(List.of(executable.toString()));
        command.addAll(words);
        var builder = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("IMEX_AGENT_"));
        builder.environment().put("IMEX_AGENT_JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(AgentProcess.LONG.toSeconds(), TimeUnit.SECONDS))
                    .as(String.join(" ", command) + " ends")
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Ran(process.exitValue(), timeless(out), timeless(err));
    }

    private static String timeless(Path file) throws IOException {
        return TIMES.matcher(Files.readString(file)).replaceAll("TIME");
    }

    private static CommandLine tree() {
        return Main.tool(Environment.ofProcess()).commands();
    }

    /** The command and all below it, those too that the help does not list. */
    private static List<CommandLine> all(CommandLine command) {
        List<CommandLine> found = new ArrayList<>(List.of(command));
        new TreeMap<>(command.getSubcommands()).values().forEach(below -> found.addAll(all(below)));
        return found;
    }

    private static List<String> words(CommandLine command) {
        List<String> words = List.of(command.getCommandSpec().qualifiedName(" ").split(" "));
        return words.subList(1, words.size());
    }
}
