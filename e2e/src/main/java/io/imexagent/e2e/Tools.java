package io.imexagent.e2e;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.agent.cli.Environment;
import io.imexagent.agent.runtime.Main;
import io.imexagent.e2e.bench.Bench;
import io.imexagent.e2e.bench.BenchOptions;
import io.imexagent.e2e.bench.Comparison;
import io.imexagent.e2e.bench.ControllerBench;
import io.imexagent.e2e.bench.Soak;
import io.imexagent.e2e.bench.Targets;
import io.imexagent.e2e.bench.Training;
import io.imexagent.e2e.demo.Demo;
import io.imexagent.e2e.demo.DemoOptions;
import io.imexagent.e2e.fabric.BindBench;
import io.imexagent.e2e.fabric.CrowdBench;
import io.imexagent.e2e.fabric.FirstClaimBench;
import io.imexagent.e2e.packaging.ManualPage;
import io.imexagent.e2e.packaging.MaterialsBill;
import io.imexagent.e2e.packaging.StoredJars;
import io.imexagent.e2e.packaging.ThirdPartyNotice;
import io.imexagent.e2e.page.NodesFileBench;
import io.imexagent.e2e.page.PageBench;
import io.imexagent.e2e.page.Pictures;
import io.imexagent.e2e.reachability.ReachabilityFolder;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/**
 * The tools of this module, each a command; {@code e2e/bin/launch} starts them. A benchmark prints one JSON document on
 * standard output. Exit code 1: the program failed, and says why on standard error; 2: wrong arguments.
 */
@Command(name = "e2e", mixinStandardHelpOptions = true, description = "The demo, the benchmarks, tools of the build.")
public final class Tools {

    private Tools() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Tools())
                .registerConverter(int.class, Tools::positive)
                .setExecutionExceptionHandler((failure, command, result) -> {
                    System.err.println(command.getCommandName() + " failed: " + failure);
                    return CommandLine.ExitCode.SOFTWARE;
                });
    }

    private static int positive(String text) {
        int number = Integer.parseInt(text);
        if (number > 0) {
            return number;
        }
        throw new TypeConversionException("a number above 0 is needed, not " + text);
    }

    @Command(description = "The real agent on a simulated GB200 tray, from the probe to a prepared claim.")
    int demo(@Mixin DemoOptions options) throws InterruptedException {
        return Demo.tell(options, System.out) ? 0 : 1;
    }

    @Command(description = "Time and memory of the agent. Missed targets are told, and no failure.")
    void bench(@Mixin BenchOptions options) throws IOException, InterruptedException {
        Consumer<String> progress = System.err::println;
        try (Bench bench = new Bench(options, progress)) {
            ObjectNode document = bench.measure();
            Targets.print(document, progress);
            print(document);
        }
    }

    @Command(name = "bench-compare", description = "Two documents of the benchmark beside each other.")
    void benchCompare(
            @Parameters(paramLabel = "THEN", description = "The earlier document.") Path then,
            @Parameters(paramLabel = "NOW", description = "The later one.") Path now)
            throws IOException {
        Comparison.print(
                Json.literal(Files.readString(then)), Json.literal(Files.readString(now)), System.out::println);
    }

    @Command(
            description =
                    "An agent that works for an hour, with outages of the API server. Exit code 1: it has grown, or"
                            + " something failed.")
    int soak(@Option(names = "--minutes", defaultValue = "60", description = "How long it works.") int minutes)
            throws IOException, InterruptedException {
        Consumer<String> progress = System.err::println;
        try (Soak soak = new Soak(minutes, progress)) {
            ObjectNode document = soak.run();
            print(document);
            List<String> missed = Soak.missed(document);
            missed.forEach(progress);
            return missed.isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
        }
    }

    @Command(name = "bench-controller", description = "Time, calls and memory of the controller.")
    void benchController(
            @Option(names = "--domains", defaultValue = "5000", description = "How many ComputeDomains.") int domains,
            @Option(names = "--cliques", defaultValue = "555", description = "How many cliques of 18 nodes.")
                    int cliques)
            throws IOException, InterruptedException {
        print(ControllerBench.measure(domains, cliques));
    }

    @Command(name = "bench-bind", description = "18 nodes of a clique that bind a channel at once.")
    void benchBind(
            @Option(names = "--rounds", defaultValue = "100", description = "Rounds that are measured.") int rounds)
            throws Exception {
        print(BindBench.measure(rounds));
    }

    @Command(
            name = "bench-crowd",
            description =
                    "New ComputeDomains that come at once, 100 on one node and 8 on each of 18. Exit code 1: a bar is"
                            + " missed.")
    int benchCrowd() throws Exception {
        ObjectNode report = CrowdBench.measure();
        print(report);
        List<String> missed = CrowdBench.missed(report);
        missed.forEach(System.err::println);
        return missed.isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    @Command(
            name = "bench-first-claim",
            description = "The first claim of a ComputeDomain on a node, and further ones.")
    void benchFirstClaim(
            @Option(names = "--rounds", defaultValue = "90", description = "Rounds that are measured.") int rounds)
            throws Exception {
        print(FirstClaimBench.measure(rounds));
    }

    @Command(name = "bench-page", description = "The controller's page in a browser, over many nodes.")
    void benchPage(
            @Option(names = "--racks", defaultValue = "556", description = "How many racks of 18 nodes.") int racks)
            throws IOException, InterruptedException {
        print(PageBench.measure(racks));
    }

    @Command(name = "bench-nodes-file", description = "What the files of nodes that agents report cost.")
    void benchNodesFile(
            @Option(names = "--racks", defaultValue = "556", description = "How many racks of 18 nodes.") int racks)
            throws IOException, InterruptedException {
        print(NodesFileBench.measure(racks));
    }

    @Command(description = "Makes the pictures of the controller's page.")
    void pictures(@Parameters(paramLabel = "FOLDER", description = "The folder to write to.") Path folder)
            throws IOException, InterruptedException {
        Pictures.write(folder);
    }

    @Command(description = "Writes what native-image cannot see by itself in the agent's jars.")
    void reachability(
            @Parameters(paramLabel = "JARS", description = "The folder of jars.") Path libraries,
            @Parameters(paramLabel = "TO", description = "The folder to write to, for the class path.") Path to)
            throws IOException {
        System.err.println("wrote " + ReachabilityFolder.write(libraries, to));
    }

    @Command(description = "Makes the class caches.")
    void train(
            @Parameters(paramLabel = "CACHE", description = "The agent's cache; the gate's is made beside it.")
                    Path cache)
            throws IOException, InterruptedException {
        try (Training training = new Training(cache.toAbsolutePath())) {
            System.err.println(training.train());
        }
    }

    @Command(description = "Writes jars as they ship.")
    void jars(
            @Parameters(paramLabel = "ARCHITECTURE", description = "As uname -m says it.") String architecture,
            @Parameters(paramLabel = "FROM", description = "The folder of the jars as built.") Path from,
            @Parameters(paramLabel = "TO", description = "The folder of those that ship.") Path jars,
            @Parameters(paramLabel = "PARTS", description = "The folder of the native parts.") Path parts)
            throws IOException {
        System.err.println("native parts: " + StoredJars.write(architecture, from, jars, parts));
    }

    @Command(description = "Adds the Java runtime to the bill of materials, and keeps the libraries that have a jar.")
    void bill(
            @Parameters(paramLabel = "BILL", description = "The bill of the jars.") Path bill,
            @Parameters(paramLabel = "JARS", description = "The folder of jars.") Path jars,
            @Parameters(paramLabel = "RELEASE", description = "The file release of the JDK.") Path release,
            @Parameters(paramLabel = "TO", description = "The file to write.") Path to,
            @Option(names = "--substrate-vm", description = "The version of GraalVM's runtime in a native image.")
                    Optional<String> substrate)
            throws IOException {
        Files.write(to, MaterialsBill.withRuntime(bill, jars, release, substrate));
    }

    @Command(description = "Writes the notice of what ships of others.")
    void notice(
            @Parameters(paramLabel = "BILL", description = "The bill of the jars.") Path bill,
            @Parameters(paramLabel = "JARS", description = "The folder of jars.") Path jars,
            @Parameters(paramLabel = "TO", description = "The file to write.") Path to)
            throws IOException {
        Files.writeString(to, ThirdPartyNotice.of(bill, jars));
    }

    @Command(description = "Writes the man pages.")
    void manual(@Parameters(paramLabel = "FOLDER", description = "The folder to write to.") Path directory)
            throws IOException {
        ManualPage.write(Main.tool(Environment.ofProcess()).commands(), directory);
    }

    private static void print(ObjectNode document) {
        System.out.println(new String(Json.bytes(document), StandardCharsets.UTF_8));
    }
}
