package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.PreparedDevice;
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
        spec.usageMessage().description("Show all that the checkpoint knows of a claim.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(invocation, effective -> {
            ClaimsSource.Reading reading = source.read(effective.config());
            reading.remark().ifPresent(remark -> invocation.err().println("imex-agent: " + remark));
            String wanted = invocation.argument(0);
            List<ClaimEntry> found = reading.ledger().entries().values().stream()
                    .filter(entry -> entry.uid().value().equals(wanted)
                            || ClaimText.name(entry).equals(wanted))
                    .toList();
            if (found.isEmpty()) {
                invocation
                        .err()
                        .println("imex-agent: no claim " + Cell.of(wanted).text() + " in " + reading.checkpoint()
                                + "; 'imex-agent claims list' lists them");
                return ExitCode.FAILED;
            }
            invocation.print(() -> tables(found, reading, invocation.colours()), () -> document(found, reading));
            return ExitCode.OK;
        });
    }

    private static String tables(List<ClaimEntry> entries, ClaimsSource.Reading reading, boolean colours) {
        return entries.stream()
                .map(entry -> table(entry, reading).text(colours))
                .collect(Collectors.joining("\n"));
    }

    private static Table table(ClaimEntry entry, ClaimsSource.Reading reading) {
        Table table = Table.ofFacts()
                .fact("claim", ClaimText.name(entry))
                .fact("uid", entry.uid().value())
                .fact("state", ClaimText.state(entry))
                .fact("allocated", ClaimText.allocated(entry))
                .fact(
                        "reserved for",
                        entry.status().reservedFor().stream()
                                .map(user -> user.resource() + "/" + user.name())
                                .collect(Collectors.joining(", ")))
                .fact("CDI file", ClaimText.cdiFile(entry, reading));
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
                .fact("  CDI devices", String.join(", ", handed.cdiDeviceIds()))
                .fact("  ComputeDomain", computeDomain.isEmpty() ? ClaimText.NOT_TOLD : computeDomain);
        handed.shareId().ifPresent(share -> table.fact("  share", share));
    }

    private static ObjectNode document(List<ClaimEntry> entries, ClaimsSource.Reading reading) {
        ObjectNode document = ClaimText.header(reading);
        var claims = document.putArray("claims");
        entries.forEach(entry -> claims.add(ClaimText.document(entry, reading)));
        return document;
    }
}
