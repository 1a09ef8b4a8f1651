package io.imexagent.agent.cli;

import io.imexagent.agent.config.EffectiveConfig;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A command.
 *
 * @param spec its name, its description and its arguments; not those that all commands have. Described to picocli by hand:
 *     that costs no reflection, and flags come from the keys
 * @param action does what it is for
 */
record Command(CommandSpec spec, Action action) {

    /** A command's name with its description, a paragraph each. */
    static CommandSpec described(String name, String... description) {
        CommandSpec spec = CommandSpec.create().name(name);
        spec.usageMessage().description(description);
        return spec;
    }

    /** A command that is given the configuration, and has flags that set it. */
    static Command configured(CommandSpec spec, Configured configured, ConfiguredAction action) {
        return new Command(
                GlobalOptions.configurable(spec),
                invocation -> configured.with(
                        GlobalOptions.sources(invocation),
                        invocation.err(),
                        (effective, reload) -> action.run(invocation, effective)));
    }

    /** A command that runs under the configuration until it is told to end. */
    static Command running(CommandSpec spec, Configured configured, Function<Invocation, Runner> runner) {
        return new Command(
                GlobalOptions.configurable(spec),
                invocation -> configured.with(
                        GlobalOptions.sources(invocation), invocation.err(), runner.apply(invocation)::run));
    }

    /** What a command does. */
    @FunctionalInterface
    interface Action {
        ExitCode run(Invocation invocation) throws Exception;
    }

    /** What a command does with the configuration. */
    @FunctionalInterface
    interface ConfiguredAction {
        ExitCode run(Invocation invocation, EffectiveConfig effective) throws Exception;
    }
}
