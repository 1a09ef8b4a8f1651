package io.imexagent.agent.cli;

import picocli.CommandLine.Model.CommandSpec;

/** {@code imex-agent controller}. */
final class ControllerCommand implements Command {

    private final Configured configured;
    private final Runner runner;

    ControllerCommand(Configured configured, Runner runner) {
        this.configured = configured;
        this.runner = runner;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create().name("controller");
        spec.usageMessage()
                .description("Run the controller of ComputeDomains until SIGTERM; of several, one works at a time.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(GlobalOptions.sources(invocation), invocation.err(), runner::run);
    }
}
