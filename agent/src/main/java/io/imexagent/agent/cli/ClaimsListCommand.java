package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Table;
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
        spec.usageMessage()
                .description(
                        "List the claims that are prepared on this node, of IMEX channels and of RDMA NICs, from their"
                                + " records. The daemon need not run.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(invocation, effective -> {
            var records = ClaimRecords.tell(source.read(effective.config()), invocation.err());
            invocation.print(() -> table(records, invocation.colours()), () -> document(records));
            return records.exitCode();
        });
    }

    private static String table(ClaimRecords records, boolean colours) {
        if (records.claims().isEmpty()) {
            return records.readings().isEmpty() ? "" : "no claims in " + records.files() + "\n";
        }
        Table table = Table.of("CLAIM", "UID", "DRIVER", "STATE", "DEVICES", "ALLOCATED", "CDI FILE");
        for (ClaimRecords.Claim claim : records.claims()) {
            ClaimEntry entry = claim.entry();
            table.row(
                    Cell.of(ClaimText.name(entry)),
                    Cell.of(entry.uid().value()),
                    Cell.of(claim.record().driver()),
                    ClaimText.state(entry),
                    Cell.of(ClaimText.devices(entry)),
                    Cell.of(ClaimText.allocated(entry)),
                    ClaimText.cdiFile(entry, claim.record()));
        }
        return table.text(colours);
    }

    private static ObjectNode document(ClaimRecords records) {
        return records.document(records.claims());
    }
}
