package io.imexagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the units must say. Whether systemd understands them is asked in the end-to-end tests. */
class UnitFilesTest {

    private static final UnitFile AGENT = UnitFile.read("imex-agent.service");
    private static final UnitFile GATE = UnitFile.read("nvidia-imex.service.d/10-imex-agent.conf");

    @Test
    void theAgentTellsWhenItIsReadyAndIsWatched() {
        assertThat(AGENT.value("Type")).isEqualTo("notify");
        assertThat(AGENT.value("ExecStart")).isEqualTo("/usr/bin/imex-agent run");
        assertThat(AGENT.value("ExecReload")).isEqualTo("/bin/kill -HUP $MAINPID");
        assertThat(AGENT.value("WatchdogSec")).isEqualTo("60s");
        assertThat(AGENT.value("Restart")).isEqualTo("always");
        assertThat(AGENT.value("StartLimitIntervalSec")).isEqualTo("0");
    }

    @Test
    void theAgentWaitsForNobody() {
        assertThat(AGENT.directives())
                .extracting(UnitFile.Directive::key)
                .doesNotContain("After", "Before", "Requires", "Wants", "BindsTo", "PartOf", "Requisite");
    }

    @ParameterizedTest
    @ValueSource(strings = {"imex-agent.service", "imex-controller.service"})
    void closesWhatAServiceHereDoesNotNeed(String name) {
        UnitFile unit = UnitFile.read(name);
        Map.ofEntries(
                        Map.entry("ProtectSystem", "strict"),
                        Map.entry("ProtectHome", "yes"),
                        Map.entry("ProtectProc", "invisible"),
                        Map.entry("ProtectClock", "yes"),
                        Map.entry("ProtectHostname", "yes"),
                        Map.entry("ProtectKernelModules", "yes"),
                        Map.entry("ProtectKernelTunables", "yes"),
                        Map.entry("ProtectKernelLogs", "yes"),
                        Map.entry("ProtectControlGroups", "yes"),
                        Map.entry("NoNewPrivileges", "yes"),
                        Map.entry("LockPersonality", "yes"),
                        Map.entry("RestrictRealtime", "yes"),
                        Map.entry("RestrictSUIDSGID", "yes"),
                        Map.entry("RestrictNamespaces", "yes"),
                        Map.entry("PrivateTmp", "yes"),
                        Map.entry("PrivateIPC", "yes"),
                        Map.entry("UMask", "0077"),
                        Map.entry("LimitCORE", "0"),
                        Map.entry("MemoryMax", "512M"),
                        Map.entry("TasksMax", "256"),
                        Map.entry("CapabilityBoundingSet", ""),
                        Map.entry("AmbientCapabilities", ""),
                        Map.entry("SystemCallArchitectures", "native"),
                        Map.entry("DevicePolicy", "closed"),
                        Map.entry("RestrictAddressFamilies", "AF_UNIX AF_INET AF_INET6 AF_NETLINK"))
                .forEach((key, value) -> assertThat(unit.value(key)).as(key).isEqualTo(value));
        assertThat(unit.value("NoExecPaths")).startsWith("/ /tmp /var/tmp ").contains(" /dev/shm", " /run");
        assertThat(unit.values("SystemCallFilter")).containsExactly("@system-service", "~@privileged @resources");
    }

    @ParameterizedTest
    @CsvSource({
        "imex-agent.service, ReadWritePaths",
        "imex-agent.service, DeviceAllow",
        "imex-agent.service, ProcSubset",
        "imex-agent.service, MemoryDenyWriteExecute",
        "imex-agent.service, CapabilityBoundingSet",
        "imex-agent.service, RestrictAddressFamilies",
        "imex-agent.service, ExecPaths",
        "imex-controller.service, ProcSubset",
        "imex-controller.service, MemoryDenyWriteExecute",
        "imex-controller.service, RestrictAddressFamilies"
    })
    void saysWhyADirectiveStaysOpen(String name, String key) {
        assertThat(UnitFile.read(name).directives())
                .filteredOn(directive -> directive.key().equals(key))
                .singleElement()
                .satisfies(directive -> assertThat(directive.comment()).contains("Open: "));
    }

    @Test
    void leavesTheGpusInReachOfADriverThatLoadsLater() {
        assertThat(AGENT.value("DeviceAllow")).isEqualTo("char-195 rw");
        assertThat(AGENT.values("PrivateDevices")).isEmpty();
    }

    /** A place that a line of the unit mounts by itself is left out of /. */
    @Test
    void whatTheAgentMayWriteItCannotRun() {
        List<String> closed = paths("NoExecPaths");

        assertThat(paths("ReadWritePaths")).isSubsetOf(closed);
        assertThat(closed)
                .contains("/run/" + AGENT.value("RuntimeDirectory"), "/var/lib/" + AGENT.value("StateDirectory"));
    }

    /** The roots of k0s and MicroK8s are looked for: made by others than them, they would be taken for the kubelet's. */
    @Test
    void whatTheAgentWritesIsMadeBeforeItStarts() throws IOException {
        List<String> made = Files.readAllLines(Path.of("units/imex-agent.tmpfiles.conf")).stream()
                .filter(line -> line.startsWith("d "))
                .map(line -> line.split(" ", -1)[1])
                .toList();

        assertThat(paths("ReadWritePaths"))
                .filteredOn(path -> !path.contains("k0s") && !path.contains("microk8s"))
                .hasSize(2)
                .isSubsetOf(made);
        assertThat(made).noneMatch(path -> path.contains("k0s") || path.contains("microk8s"));
        assertThat(AGENT.value("RuntimeDirectory")).isEqualTo("imex-agent");
        assertThat(AGENT.value("RuntimeDirectoryPreserve")).isEqualTo("yes");
        assertThat(made).contains("/run/imex-agent");
    }

    @Test
    void theControllersUserIsMade() throws IOException {
        assertThat(Files.readString(Path.of("units/imex-agent.sysusers.conf")))
                .contains("u " + UnitFile.read("imex-controller.service").value("User") + " ");
    }

    @ParameterizedTest
    @CsvSource({
        "packaging/rpm/imex-agent.sh, controller, -Xmx128m",
        "packaging/rpm/imex-agent.sh, fabric test, -Xmx128m",
        "packaging/rpm/imex-agent.sh, fabric rank, ''",
        "packaging/rpm/imex-agent.sh, run, ''",
        "bin/imex-agent, controller, -Xmx128m",
        "bin/imex-agent, fabric test, -Xmx128m",
        "bin/imex-agent, fabric local, ''",
        "bin/imex-agent, run, ''"
    })
    void whatReadsAWholeClusterHasALargerHeapWhichOptionsOfTheUnitMayStillChange(
            String launcher, String command, String heap, @TempDir Path directory) throws Exception {
        assertThat(UnitFile.read("imex-controller.service").value("ExecStart"))
                .isEqualTo("/usr/bin/imex-agent controller");

        List<String> arguments = launch(launcher, command, directory);

        List<String> heaps = arguments.stream()
                .filter(argument -> argument.startsWith("-Xmx"))
                .toList();
        assertThat(heaps).isEqualTo(heap.isEmpty() ? List.of("-Xmx256m") : List.of(heap, "-Xmx256m"));
        assertThat(arguments.getFirst()).endsWith("/jvm.options");
        assertThat(command).endsWith(arguments.getLast());
    }

    @ParameterizedTest
    @CsvSource({"controller, -Xmx128m", "fabric test, -Xmx128m", "run, ''", "gate --unit, ''"})
    void anExecutableTakesThePlaceOfJavaAndItsJars(String command, String heap, @TempDir Path directory)
            throws Exception {
        printer(directory.resolve("bin/imex-agent"));

        List<String> arguments = launch("packaging/rpm/imex-agent.sh", command, directory);

        assertThat(arguments)
                .containsExactlyElementsOf(Stream.of(
                                Stream.of(heap).filter(option -> !option.isEmpty()),
                                Stream.of("-Xmx256m"),
                                Stream.of(command.split(" ", -1)))
                        .flatMap(words -> words)
                        .toList());
    }

    @Test
    void anExecutableIsSparedOptionsOfTheJvmThatWouldEndIt(@TempDir Path directory) throws Exception {
        printer(directory.resolve("bin/imex-agent"));

        List<String> lines = launch(
                "packaging/rpm/imex-agent.sh",
                "run",
                "-Xmx64m -XX:+UseG1GC -Xlog:gc -Da=b -Xss1m --add-opens=a/b=c",
                directory);

        assertThat(lines)
                .endsWith("-Xmx64m", "-Da=b", "-Xss1m", "run")
                .hasSize(7)
                .filteredOn(line -> line.contains("IMEX_AGENT_JVM_OPTIONS"))
                .extracting(line -> line.split(" ", -1)[2])
                .containsExactly("-XX:+UseG1GC", "-Xlog:gc", "--add-opens=a/b=c");
    }

    @Test
    void aNativeImageWritesNoMemoryThatItRuns() {
        assertThat(UnitFile.read("native-image.conf").value("MemoryDenyWriteExecute"))
                .isEqualTo("yes");
    }

    /** A program that prints its arguments, a line each. */
    private static void printer(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    /** What a launcher of the agent starts, with another program in the place of Java. */
    private static List<String> launch(String launcher, String command, Path directory) throws Exception {
        return launch(launcher, command, "-Xmx256m", directory);
    }

    private static List<String> launch(String launcher, String command, String options, Path directory)
            throws Exception {
        printer(directory.resolve("runtime/bin/java"));
        Files.writeString(directory.resolve("runtime/release"), "JAVA_VERSION=\"25.0.1\"\n");
        Files.createDirectories(directory.resolve("lib"));
        Files.writeString(directory.resolve("lib/imex-agent.jar"), "");
        Path output = directory.resolve("arguments");
        ProcessBuilder builder = new ProcessBuilder(Stream.concat(
                                Stream.of(
                                        "/bin/sh",
                                        Path.of("..").resolve(launcher).toString()),
                                Stream.of(command.split(" ", -1)))
                        .toList())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment()
                .putAll(Map.of(
                        "IMEX_AGENT_JVM_HOME", directory.toString(),
                        "IMEX_AGENT_IMAGE", directory.toString(),
                        "IMEX_AGENT_JAVA_HOME", directory.resolve("runtime").toString(),
                        "IMEX_AGENT_JVM_OPTIONS", options));
        Process process = builder.start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        List<String> lines = Files.readAllLines(output);
        assertThat(process.exitValue()).as("%s", lines).isZero();
        return lines;
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "10, 10", "14, 14", "19, 19", "1, 255", "2, 255", "20, 255", "78, 255", "143, 255", "255, 255"})
    void onlyAVerdictOfTheGateSkipsTheStart(int gate, int expected, @TempDir Path directory) throws Exception {
        assertThat(condition("exit " + gate, directory)).isEqualTo(expected);
    }

    @Test
    void aGateThatIsKilledOrMissingFailsTheStart(@TempDir Path directory) throws Exception {
        assertThat(condition("kill -KILL $$", directory)).isEqualTo(255);
        Files.delete(directory.resolve("gate"));
        assertThat(shell(directory)).isEqualTo(255);
    }

    private static int condition(String gate, Path directory) throws IOException, InterruptedException {
        Path script = Files.writeString(
                directory.resolve("gate"), "#!/bin/sh\n[ \"$*\" = 'gate --unit' ] || exit 99\n" + gate + "\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return shell(directory);
    }

    /** Runs the condition as systemd would, with another program in the place of the agent. */
    private static int shell(Path directory) throws IOException, InterruptedException {
        String line = GATE.value("ExecCondition");
        String script = line.substring(line.indexOf('\'') + 1, line.lastIndexOf('\''))
                .replace("$$", "$")
                .replace("/usr/bin/imex-agent", directory.resolve("gate").toString());
        Process process = new ProcessBuilder("/bin/sh", "-c", script)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private static List<String> paths(String key) {
        return Stream.of(AGENT.value(key).split(" ", -1))
                .map(path -> path.replaceFirst("^-", ""))
                .toList();
    }
}
