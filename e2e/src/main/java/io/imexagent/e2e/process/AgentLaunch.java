package io.imexagent.e2e.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * How the agent is started: through its executable, as a user would. That is a script, which takes options of the runtime from
 * {@code IMEX_AGENT_JVM_OPTIONS}, or a native image, which takes them as its first arguments. Every method that changes a
 * launch returns the same one.
 */
public final class AgentLaunch {

    private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};

    /** HotSpot prints its own version then, as {@code openjdk version "25"}, and does not run the program. */
    private static final String HOTSPOT_ALONE = "-version";

    private static final String VERSION_OF_HOTSPOT = " version \"";

    private Path executable = Checkout.find().executable();
    private final List<String> arguments = new ArrayList<>();
    private final List<String> runtimeOptions = new ArrayList<>();
    private final Map<String, String> environment = new HashMap<>();
    private String hangUps = "--default";
    private Consumer<String> listener = line -> {};

    private AgentLaunch() {}

    /** {@code imex-agent run --config <file>}. */
    public static AgentLaunch run(Path configuration) {
        return command("run", "--config", configuration.toString());
    }

    public static AgentLaunch command(String... arguments) {
        return new AgentLaunch().arguments(arguments);
    }

    /** Takes another executable than the checkout's. */
    public AgentLaunch executable(Path other) {
        executable = other;
        return this;
    }

    public AgentLaunch arguments(String... more) {
        arguments.addAll(List.of(more));
        return this;
    }

    /**
     * Adds options of the runtime, which hold no blanks. HotSpot and a native image know {@code -D…}, {@code -Xmx…},
     * {@code -Xms…} and {@code -Xmn…}; see {@link #isOnHotSpot} for all others.
     */
    public AgentLaunch runtimeOptions(String... more) {
        runtimeOptions.addAll(List.of(more));
        return this;
    }

    public AgentLaunch environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Starts it as nohup does. */
    public AgentLaunch ignoringHangUps() {
        hangUps = "--ignore";
        return this;
    }

    /** Passes on each line that the agent writes, on a thread of its own. */
    public AgentLaunch listener(Consumer<String> consumer) {
        this.listener = consumer;
        return this;
    }

    public AgentProcess start() throws IOException {
        // A build may run where HUP is ignored, as under nohup, and its children would inherit that.
        List<String> command = new ArrayList<>(List.of("env", hangUps + "-signal=HUP", executable.toString()));
        boolean asArguments = isProgram();
        if (asArguments) {
            command.addAll(runtimeOptions);
        }
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile());
        Map<String, String> variables = builder.environment();
        variables.keySet().removeIf(name -> name.startsWith("IMEX_AGENT_"));
        variables.put("IMEX_AGENT_JAVA_HOME", System.getProperty("java.home"));
        if (!runtimeOptions.isEmpty() && !asArguments) {
            variables.put("IMEX_AGENT_JVM_OPTIONS", String.join(" ", runtimeOptions));
        }
        variables.putAll(environment);
        return new AgentProcess(builder.start(), listener);
    }

    /** Whether HotSpot runs the agent of this launch, and no native image. A script is started once to find out. */
    public boolean isOnHotSpot() throws IOException, InterruptedException {
        if (isProgram()) {
            return false;
        }
        AgentLaunch question = command("--version").executable(executable).runtimeOptions(HOTSPOT_ALONE);
        question.environment.putAll(environment);
        try (AgentProcess answer = question.start()) {
            answer.awaitExit();
            return answer.line(VERSION_OF_HOTSPOT).isPresent();
        }
    }

    /** Whether the executable is a program by itself, so no script. */
    private boolean isProgram() throws IOException {
        try (InputStream file = Files.newInputStream(executable)) {
            return Arrays.equals(file.readNBytes(ELF.length), ELF);
        }
    }

    /** Starts the process and waits for its end; another exit code than 0 is an {@link IllegalStateException}. */
    public AgentProcess runToEnd() throws IOException, InterruptedException {
        return runToEnd(AgentProcess.LONG);
    }

    /** Starts the process and waits so long for its end. */
    public AgentProcess runToEnd(Duration limit) throws IOException, InterruptedException {
        try (AgentProcess process = start()) {
            int code = process.awaitExit(limit);
            if (code != 0) {
                throw process.failure("expected " + arguments + " to succeed, but it ended with exit code " + code);
            }
            return process;
        }
    }
}
