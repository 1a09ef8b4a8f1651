package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.Collaborators;
import io.imexagent.agent.cli.CommandLineTool;
import io.imexagent.agent.cli.Environment;
import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.ConfigLoader;
import io.imexagent.imex.provision.Provisioning;
import io.imexagent.systemd.Journal;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;

/** The program {@code imex-agent}. */
public final class Main {

    private Main() {}

    /** Runs the command that the arguments name, and ends the process with its exit code. */
    public static void main(String[] arguments) {
        ImageProperties.apply();
        int code = tool(Environment.ofProcess()).execute(arguments).number();
        if (arguments.length > 0 && arguments[0].equals(CommandLineTool.GATE)) {
            // The gate needs no shutdown hooks. A normal exit would first set up logging to log itself.
            Runtime.getRuntime().halt(code);
        }
        System.exit(code);
    }

    /** Creates the program without running a command. */
    public static CommandLineTool tool(Environment surroundings) {
        // In the manifest the commit follows the version: 0.2.0+37744050a1b2.
        String[] build = Optional.ofNullable(Main.class.getPackage().getImplementationVersion())
                .orElse("unreleased+unknown")
                .split("\\+", 2);
        var process = new ThisProcess(
                build[0], build[1], surroundings.environment(), Clock.systemUTC(), System::nanoTime, Math::random);
        var collaborators = new Collaborators(
                process,
                new AgentRunner(process, false),
                new AgentRunner(process, true),
                (config, reload) -> FollowingController.run(process, config, reload),
                line -> new Journal().notice(CommandLineTool.NAME, line),
                (config, change, onlyWithGpu, lines) -> {
                    var host = new Provisioning(
                            config.imex().service(), config.host().root(), onlyWithGpu, lines);
                    return change ? host.apply() : host.check();
                });
        return new CommandLineTool(
                collaborators, new ConfigLoader(surroundings.environment(), Path.of("/")), surroundings);
    }
}
