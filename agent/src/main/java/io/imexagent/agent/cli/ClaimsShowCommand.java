package io.imexagent.agent.cli;

import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Table;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code imex-agent claims show}. */
final class ClaimsShowCommand implements Command {

    private final Configured configured;
    private final ClaimsSource source;

    ClaimsShowCommand(Configured configured, ClaimsSource source) {
        this.configured = configured;
        this.source = source;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create()
                .name("show")
                .addOption(GlobalOptions.output())
                .addPositional(PositionalParamSpec.builder()
                        .index("0")
                        .type(String.class)
                        .paramLabel("CLAIM")
                        .required(true)
                        .description("The claim's UID, or namespace/name.")
                        .build());
        spec.usageMessage()
                .description(
                        "Show all that the records of this node know of a claim, once for each driver that prepared"
                                + " it.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(invocation, effective -> {
            var records = ClaimRecords.tell(source.read(effective.config()), invocation.err());
            String wanted = invocation.argument(0);
            List<ClaimRecords.Claim> found = records.claims().stream()
                    .filter(claim -> claim.entry().uid().value().equals(wanted)
                            || ClaimText.name(claim.entry()).equals(wanted))
                    .toList();
            if (found.isEmpty()) {
                if (!records.readings().isEmpty()) {
                    invocation
                            .err()
                            .println("imex-agent: no claim " + Cell.of(wanted).text() + " in " + records.files()
                                    + "; 'imex-agent claims list' lists them");
                }
                return ExitCode.FAILED;
            }
            invocation.print(() -> tables(found, invocation.colours()), () -> records.document(found));
            return records.exitCode();
        });
    }

    private static String tables(List<ClaimRecords.Claim> claims, boolean colours) {
        return claims.stream().map(claim -> table(claim).text(colours)).collect(Collectors.joining("\n"));
    }

    private static Table table(ClaimRecords.Claim claim) {
        ClaimEntry entry = claim.entry();
        Table table = Table.ofFacts()
                .fact("claim", ClaimText.name(entry))
                .fact("uid", entry.uid().value())
                .fact("driver", claim.record().driver())
                .fact("state", ClaimText.state(entry))
                .fact("allocated", ClaimText.allocated(entry))
                .fact(
                        "reserved for",
                        entry.status().reservedFor().stream()
                                .map(user -> user.resource() + "/" + user.name())
                                .collect(Collectors.joining(", ")))
                .fact("CDI file", ClaimText.cdiFile(entry, claim.record()));
        switch (entry) {
            case ClaimEntry.Started started -> {}
            case ClaimEntry.Completed completed ->
                completed.groups().forEach(group -> {
                    group.devices().forEach(device -> device(device, group.computeDomain(), table));
                });
            case ClaimEntry.Aborted aborted -> {}
        }
        return table;
    }

    private static void device(PreparedDevice device, String computeDomain, Table table) {
        PreparedDevice.Handed handed = device.handed();
        table.fact("device", handed.pool() + "/" + handed.device())
                .fact("  requests", String.join(", ", handed.requests()))
                .fact("  CDI devices", String.join(", ", handed.cdiDeviceIds()));
        if (!(device instanceof PreparedDevice.Plain)) {
            table.fact("  ComputeDomain", computeDomain.isEmpty() ? ClaimText.NOT_TOLD : computeDomain);
        }
        handed.shareId().ifPresent(share -> table.fact("  share", share));
    }
}
