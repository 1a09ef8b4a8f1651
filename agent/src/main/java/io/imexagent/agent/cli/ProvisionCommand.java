package io.imexagent.agent.cli;

import io.imexagent.imex.provision.Provisioning.Outcome;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code imex-agent provision}. */
final class ProvisionCommand implements Command {

    private static final String CHECK = "--check";
    private static final String DRY_RUN = "--dry-run";

    private final Configured configured;
    private final ProvisionSource source;

    ProvisionCommand(Configured configured, ProvisionSource source) {
        this.configured = configured;
        this.source = source;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create()
                .name("provision")
                .addOption(toggle(
                        CHECK,
                        "Change nothing; end with " + ExitCode.CHANGES_NEEDED.number()
                                + " where something would be changed."))
                .addOption(toggle(DRY_RUN, "Change nothing; print the commands that would be run."));
        spec.usageMessage()
                .description(
                        "Install nvidia-imex and enable its unit, on hosts with an NVIDIA GPU whose vendor is meant."
                                + " The unit is not started. Doing it again changes nothing more.",
                        "Prints a line with \"changed: \" for every change. Ends with 0 where the host is as it should"
                                + " be, with 1 where it could not be made so.");
        return GlobalOptions.configurable(spec);
    }

    private static OptionSpec toggle(String name, String description) {
        return OptionSpec.builder(name)
                .type(boolean.class)
                .arity("0")
                .description(description)
                .build();
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        boolean check = invocation.option(CHECK, Boolean.class).orElse(false);
        boolean dryRun = invocation.option(DRY_RUN, Boolean.class).orElse(false);
        return configured.with(invocation, effective -> {
            Outcome outcome = source.provision(effective.config(), !check && !dryRun, invocation.out()::println);
            return switch (outcome) {
                case NOTHING_TO_DO, CHANGED -> ExitCode.OK;
                case WOULD_CHANGE -> check ? ExitCode.CHANGES_NEEDED : ExitCode.OK;
                case FAILED -> ExitCode.FAILED;
            };
        });
    }
}
