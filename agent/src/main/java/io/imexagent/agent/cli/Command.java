package io.imexagent.agent.cli;

import io.imexagent.agent.cli.Collaborators.Runner;
import io.imexagent.agent.config.AgentConfig;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A command: its name, description and own arguments, whether flags set its configuration, and its action. picocli's model is built by hand without
 * annotations, which avoids reflection and makes flags from the configuration keys.
 */
record Command(CommandSpec spec, boolean configurable, Action action) {

    /** Describes a command by its name and paragraphs. */
    static CommandSpec described(String name, String... description) {
        CommandSpec spec = CommandSpec.create().name(name);
        spec.usageMessage().description(description);
        return spec;
    }

    /** Describes a command that prints its result in the format of {@code -o}. */
    static CommandSpec printing(String name, String... description) {
        return described(name, description).addOption(GlobalOptions.output());
    }

    /** A command that receives the configuration, and has flags that set it. */
    static Command configured(CommandSpec spec, ConfiguredAction action) {
        return running(spec, invocation -> (config, reload) -> action.run(invocation, config));
    }

    /** A command that runs under the configuration, and may reload it. */
    static Command running(CommandSpec spec, Function<Invocation, Runner> runner) {
        return new Command(
                spec,
                true,
                invocation -> CommandLineTool.under(
                        invocation.loader(),
                        GlobalOptions.sources(invocation),
                        invocation.surroundings(),
                        runner.apply(invocation)));
    }

    @FunctionalInterface
    interface Action {
        ExitCode run(Invocation invocation) throws Exception;
    }

    @FunctionalInterface
    interface ConfiguredAction {
        ExitCode run(Invocation invocation, AgentConfig config) throws Exception;
    }
}
