package io.imexagent.agent.cli;

import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code imex-agent run}. */
final class RunCommand implements Command {

    static final String NAME = "run";
    static final String FORCE = "--force";

    /** The switches of the short way. */
    static final Set<String> SWITCHES = Set.of(FORCE);

    private final Configured configured;
    private final Runner runner;

    RunCommand(Configured configured, Runner runner) {
        this.configured = configured;
        this.runner = runner;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create()
                .name(NAME)
                .addOption(OptionSpec.builder(FORCE)
                        .type(boolean.class)
                        .arity("0")
                        .description("Start although claims are prepared under another mode or isolation; what that"
                                + " overrules is logged.")
                        .build());
        spec.usageMessage().description("Run the agent until SIGTERM; SIGHUP loads the configuration again.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        boolean force = invocation.option(FORCE, Boolean.class).orElse(false);
        Runner chosen = force ? runner.forced() : runner;
        return configured.with(GlobalOptions.sources(invocation), invocation.err(), chosen::run);
    }
}
