package io.imexagent.agent.cli;

import io.imexagent.imex.document.InventoryDocument;
import io.imexagent.imex.document.InventoryText;
import picocli.CommandLine.Model.CommandSpec;

/** {@code imex-agent probe}. */
final class ProbeCommand implements Command {

    private final Configured configured;
    private final ProbeSource source;

    ProbeCommand(Configured configured, ProbeSource source) {
        this.configured = configured;
        this.source = source;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create().name("probe").addOption(GlobalOptions.output());
        spec.usageMessage().description("Read the host once and print what was found.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(invocation, effective -> {
            ProbeSource.Probed found = source.probe(effective.config());
            invocation.print(
                    () -> InventoryText.of(found.inventory(), found.xids(), invocation.colours()),
                    () -> InventoryDocument.of(found.inventory(), found.xids()));
            return ExitCode.OK;
        });
    }
}
