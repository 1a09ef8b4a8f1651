package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.ledger.ClaimEntry;
import picocli.CommandLine.Model.CommandSpec;

/** {@code imex-agent claims list}. */
final class ClaimsListCommand implements Command {

    private final Configured configured;
    private final ClaimsSource source;

    ClaimsListCommand(Configured configured, ClaimsSource source) {
        this.configured = configured;
        this.source = source;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create().name("list").addOption(GlobalOptions.output());
        spec.usageMessage().description("List the claims of the checkpoint.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(invocation, effective -> {
            ClaimsSource.Reading reading = source.read(effective.config());
            reading.remark().ifPresent(remark -> invocation.err().println("imex-agent: " + remark));
            invocation.print(() -> table(reading, invocation.colours()), () -> document(reading));
            return ExitCode.OK;
        });
    }

    private static String table(ClaimsSource.Reading reading, boolean colours) {
        if (reading.ledger().entries().isEmpty()) {
            return "no claims in " + reading.checkpoint() + "\n";
        }
        Table table = Table.of("CLAIM", "UID", "STATE", "DEVICES", "ALLOCATED", "CDI FILE");
        for (ClaimEntry entry : reading.ledger().entries().values()) {
            table.row(
                    Cell.of(ClaimText.name(entry)),
                    Cell.of(entry.uid().value()),
                    ClaimText.state(entry),
                    Cell.of(ClaimText.devices(entry)),
                    Cell.of(ClaimText.allocated(entry)),
                    ClaimText.cdiFile(entry, reading));
        }
        return table.text(colours);
    }

    private static ObjectNode document(ClaimsSource.Reading reading) {
        ObjectNode document = ClaimText.header(reading);
        var claims = document.putArray("claims");
        reading.ledger().entries().values().stream()
                .map(entry -> ClaimText.document(entry, reading))
                .forEach(claims::add);
        return document;
    }
}
