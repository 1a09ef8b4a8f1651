package io.imexagent.agent.cli;

import picocli.CommandLine.Model.CommandSpec;

/** {@code imex-agent config validate}. */
final class ConfigValidateCommand implements Command {

    private final Configured configured;

    ConfigValidateCommand(Configured configured) {
        this.configured = configured;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create().name("validate");
        spec.usageMessage()
                .description(
                        "Print all faults of the configuration.",
                        "Ends with " + ExitCode.CONFIGURATION.number() + " where there is one.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(invocation, effective -> {
            effective.notes().forEach(note -> invocation.out().println("note: " + note));
            invocation
                    .out()
                    .println(effective
                            .file()
                            .map(file -> "the configuration is valid: " + file)
                            .orElse("the configuration is valid; there is no file"));
            return ExitCode.OK;
        });
    }
}
