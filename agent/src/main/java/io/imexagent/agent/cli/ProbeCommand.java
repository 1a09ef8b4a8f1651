package io.imexagent.agent.cli;

import io.imexagent.agent.render.InventoryDocument;
import io.imexagent.core.inventory.NodeInventory;
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
            NodeInventory inventory = source.probe(effective.config());
            invocation.print(
                    () -> InventoryText.of(inventory, invocation.colours()), () -> InventoryDocument.of(inventory));
            return ExitCode.OK;
        });
    }
}
