package io.imexagent.agent.cli;

import picocli.CommandLine.Model.CommandSpec;

/** {@code imex-agent run}. */
final class RunCommand implements Command {

    static final String NAME = "run";

    private final Configured configured;
    private final Runner runner;

    RunCommand(Configured configured, Runner runner) {
        this.configured = configured;
        this.runner = runner;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create().name(NAME);
        spec.usageMessage().description("Run the agent until SIGTERM; SIGHUP loads the configuration again.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(GlobalOptions.sources(invocation), invocation.err(), runner::run);
    }
}
