package io.imexagent.agent.cli;

import io.imexagent.agent.cli.ClaimRecords.CdiFile;
import io.imexagent.agent.cli.ClaimRecords.Claim;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Style;
import io.imexagent.core.text.Table;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code imex-agent claims}. */
final class ClaimsCommands {

    private static final String NOT_TOLD = "-";

    private final Configured configured;
    private final Collaborators.Source<List<ClaimRecords.Answer>> source;

    ClaimsCommands(Configured configured, Collaborators.Source<List<ClaimRecords.Answer>> source) {
        this.configured = configured;
        this.source = source;
    }

    Command list() {
        var spec = Command.described(
                        "list",
                        "List the claims that are prepared on this node, of IMEX channels and of RDMA NICs, from their"
                                + " records. The daemon need not run.")
                .addOption(GlobalOptions.output());
        return Command.configured(spec, configured, (invocation, effective) -> {
            var records = ClaimRecords.tell(source.read(effective.config()), invocation.err());
            invocation.print(() -> table(records, invocation.colours()), () -> records.document(records.claims()));
            return records.exitCode();
        });
    }

    Command show() {
        var spec = Command.described(
                        "show",
                        "Show all that the records of this node know of a claim, once for each driver that prepared"
                                + " it.")
                .addOption(GlobalOptions.output())
                .addPositional(PositionalParamSpec.builder()
                        .index("0")
                        .type(String.class)
                        .paramLabel("CLAIM")
                        .required(true)
                        .description("The claim's UID, or namespace/name.")
                        .build());
        return Command.configured(spec, configured, (invocation, effective) -> {
            var records = ClaimRecords.tell(source.read(effective.config()), invocation.err());
            String wanted = invocation.argument(0);
            List<Claim> found = records.claims().stream()
                    .filter(claim -> claim.entry().uid().value().equals(wanted)
                            || name(claim.entry()).equals(wanted))
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

    private static String table(ClaimRecords records, boolean colours) {
        if (records.claims().isEmpty()) {
            return records.readings().isEmpty() ? "" : "no claims in " + records.files() + "\n";
        }
        Table table = Table.of("CLAIM", "UID", "DRIVER", "STATE", "DEVICES", "ALLOCATED", "CDI FILE");
        for (Claim claim : records.claims()) {
            ClaimEntry entry = claim.entry();
            table.row(
                    Cell.of(name(entry)),
                    Cell.of(entry.uid().value()),
                    Cell.of(claim.record().driver()),
                    state(entry),
                    Cell.of(devices(entry)),
                    Cell.of(allocated(entry)),
                    cdiFile(claim));
        }
        return table.text(colours);
    }

    private static String tables(List<Claim> claims, boolean colours) {
        return claims.stream().map(claim -> table(claim).text(colours)).collect(Collectors.joining("\n"));
    }

    private static Table table(Claim claim) {
        ClaimEntry entry = claim.entry();
        Table table = Table.ofFacts()
                .fact("claim", name(entry))
                .fact("uid", entry.uid().value())
                .fact("driver", claim.record().driver())
                .fact("state", state(entry))
                .fact("allocated", allocated(entry))
                .fact(
                        "reserved for",
                        entry.status().reservedFor().stream()
                                .map(user -> user.resource() + "/" + user.name())
                                .collect(Collectors.joining(", ")))
                .fact("CDI file", cdiFile(claim));
        if (entry instanceof ClaimEntry.Completed completed) {
            completed
                    .groups()
                    .forEach(group -> group.devices().forEach(device -> device(device, group.computeDomain(), table)));
        }
        return table;
    }

    private static void device(PreparedDevice device, String computeDomain, Table table) {
        PreparedDevice.Handed handed = device.handed();
        table.fact("device", handed.pool() + "/" + handed.device())
                .fact("  requests", String.join(", ", handed.requests()))
                .fact("  CDI devices", String.join(", ", handed.cdiDeviceIds()));
        if (!(device instanceof PreparedDevice.Plain)) {
            table.fact("  ComputeDomain", computeDomain.isEmpty() ? NOT_TOLD : computeDomain);
        }
        handed.shareId().ifPresent(share -> table.fact("  share", share));
    }

    private static String name(ClaimEntry entry) {
        return entry.name().map(name -> name.toString()).orElse(NOT_TOLD);
    }

    private static Cell state(ClaimEntry entry) {
        return switch (entry) {
            case ClaimEntry.Started started -> Cell.warning("started");
            case ClaimEntry.Completed completed -> Cell.good("completed");
            case ClaimEntry.Aborted aborted -> new Cell("aborted " + aborted.at(), Style.FAINT);
        };
    }

    private static String devices(ClaimEntry entry) {
        return entry instanceof ClaimEntry.Completed completed
                        && !completed.devices().isEmpty()
                ? completed.devices().stream()
                        .map(device -> device.handed().device())
                        .collect(Collectors.joining(", "))
                : NOT_TOLD;
    }

    private static String allocated(ClaimEntry entry) {
        return entry.status()
                .allocation()
                .flatMap(allocation -> allocation.timestamp())
                .map(time -> time.toString())
                .orElse(NOT_TOLD);
    }

    /** The claim's CDI file; only a completed claim must have one, and only then its absence is worth a colour. */
    private static Cell cdiFile(Claim claim) {
        CdiFile file = claim.cdiFile();
        if (file.present()) {
            return Cell.of(file.path().toString());
        }
        return claim.entry() instanceof ClaimEntry.Completed
                ? Cell.bad(file.path() + " is missing")
                : Cell.of(NOT_TOLD);
    }
}
