package io.imexagent.agent.cli;

import io.imexagent.agent.cli.ClaimRecords.RecordedClaim;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.checkpoint.KubeletClaims;
import io.imexagent.checkpoint.TakeOverMark;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Cell.Style;
import io.imexagent.core.text.Screen;
import io.imexagent.core.text.Table;
import io.imexagent.dra.recovery.ClaimPresence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The commands {@code imex-agent claims}. */
record ClaimsCommands(Collaborators collaborators) {

    private static final String DRIVER = "--driver";
    private static final String YES = "--yes";
    private static final Set<String> AGREED = Set.of("y", "yes");

    Command list() {
        var spec = Command.printing(
                "list",
                "List the claims that are prepared on this node, of IMEX channels and of RDMA NICs, from their"
                        + " records. The daemon need not run.");
        return Command.configured(spec, (invocation, config) -> {
            var records = ClaimRecords.read(invocation, config);
            invocation.print(now(), screen -> table(records, screen), () -> records.document(records.claims()));
            return records.exitCode();
        });
    }

    Command show() {
        var spec = Command.printing(
                        "show",
                        "Show all that the records of this node know of a claim, once for each driver that prepared"
                                + " it.")
                .addPositional(GlobalOptions.argument("CLAIM", "The claim's UID, or namespace/name."));
        return Command.configured(spec, (invocation, config) -> {
            var records = ClaimRecords.read(invocation, config);
            String wanted = invocation.argument(0);
            List<RecordedClaim> found = records.claims().stream()
                    .filter(claim -> claim.entry().uid().value().equals(wanted)
                            || name(claim.entry()).equals(wanted))
                    .toList();
            if (found.isEmpty()) {
                return none(wanted, records, invocation);
            }
            invocation.print(now(), screen -> tables(found, screen), () -> records.document(found));
            return records.exitCode();
        });
    }

    Command forget() {
        var spec = Command.described(
                        "forget",
                        "Forget a prepared claim that no kubelet will unprepare: remove its CDI files and its entries in"
                                + " the records. It works without the daemon; a running daemon takes the change over"
                                + " within half a minute. The daemon ends most such claims itself after half an hour.",
                        "Shows the claim, and what API server and kubelet say of it, and asks. A claim that the kubelet"
                                + " has is not forgotten: delete its pod. Where the kubelet's state cannot be read, only"
                                + " an answer on a terminal counts. Containers keep the devices that they have.")
                .addOption(GlobalOptions.value(
                        DRIVER,
                        String.class,
                        ClaimRecords::driver,
                        "DRIVER",
                        "Forget what this driver has prepared. Default: both."))
                .addOption(GlobalOptions.toggle("Do not prompt; required when standard input is not a terminal.", YES))
                .addPositional(GlobalOptions.argument("UID", "The claim's UID."));
        return Command.configured(spec, (invocation, config) -> {
            var records = ClaimRecords.read(invocation, config);
            String wanted = invocation.argument(0);
            Optional<String> driver = invocation.option(DRIVER, String.class);
            List<RecordedClaim> found = records.claims().stream()
                    .filter(claim -> claim.entry().uid().value().equals(wanted))
                    .filter(claim -> driver.isEmpty()
                            || driver.get().equals(claim.driver().name()))
                    .filter(claim -> !(claim.entry() instanceof ClaimEntry.Aborted))
                    .toList();
            return found.isEmpty()
                    ? none(wanted, records, invocation)
                    : forget(found, records.exitCode(), invocation, config);
        });
    }

    private ExitCode forget(List<RecordedClaim> found, ExitCode done, Invocation invocation, AgentConfig config)
            throws IOException, InterruptedException {
        var forgetter = new ClaimForgetter(config, collaborators.process());
        ClaimEntry entry = found.getFirst().entry();
        ClaimPresence apiServer = forgetter.askServer(entry);
        KubeletClaims kubelet = forgetter.askKubelet();
        invocation
                .out()
                .print(tables(found, invocation.screen()) + "\n"
                        + Table.ofFacts()
                                .fact("API server", cell(apiServer))
                                .fact("kubelet", cell(kubelet, entry))
                                .text(invocation.screen()));
        boolean agreed = invocation.has(YES);
        Path kubeletState = config.kubelet().root().resolve(KubeletClaims.FILE);
        Optional<String> objection = objection(kubelet, entry, agreed)
                .map(why -> why + "; where no kubelet comes back, move " + kubeletState + " away first");
        if (objection.isPresent()) {
            return refused(invocation, ExitCode.FAILED, objection.get());
        }
        Optional<String> answer = agreed
                ? Optional.of("yes")
                : invocation.surroundings().question().apply("Forget this claim? [y/N] ");
        if (answer.isEmpty()) {
            return refused(
                    invocation, ExitCode.USAGE, "standard input is no terminal to ask on; give " + YES + " to go on");
        }
        if (!AGREED.contains(answer.get().strip().toLowerCase(Locale.ROOT))) {
            return refused(invocation, ExitCode.FAILED, "the answer was not yes");
        }
        for (RecordedClaim claim : found) {
            String line = forgetter.forget(claim.driver(), claim.entry(), kubelet);
            invocation.out().println(line);
            if (!collaborators.journal().test(line)) {
                invocation.warn("the journal did not take this line: " + line);
            }
        }
        return done;
    }

    private Instant now() {
        return collaborators.process().clock().instant();
    }

    /** Why the claim must stay. If the kubelet's state is unreadable, only an interactive confirmation counts. */
    private static Optional<String> objection(KubeletClaims kubelet, ClaimEntry entry, boolean agreed) {
        if (kubelet.has(entry.uid()).orElse(false)) {
            return Optional.of("the kubelet has this claim: delete its pod, and the kubelet unprepares it");
        }
        return agreed && kubelet instanceof KubeletClaims.UnreadableKubeletClaims
                ? Optional.of("the kubelet's state does not tell whether a pod uses this claim, so " + YES
                        + " is not enough: check with 'crictl ps' that no container of the pod runs, then repeat the"
                        + " command on a terminal without " + YES)
                : Optional.empty();
    }

    private static ExitCode refused(Invocation invocation, ExitCode code, String why) {
        invocation.warn("nothing was forgotten: " + why);
        return code;
    }

    private static Cell cell(ClaimPresence presence) {
        return switch (presence) {
            case ClaimPresence.ClaimPresent(String text) -> Cell.warning(text);
            case ClaimPresence.ClaimAbsent absent -> Cell.good(absent.text());
            case ClaimPresence.PresenceUnknown(String text) -> Cell.warning("did not tell: " + text);
        };
    }

    private static Cell cell(KubeletClaims kubelet, ClaimEntry entry) {
        return switch (kubelet) {
            case KubeletClaims.NamedKubeletClaims named ->
                named.has(entry.uid()).orElse(false) ? Cell.bad("has it") : Cell.good("does not have it");
            case KubeletClaims.NoKubeletClaims() -> Cell.warning("has no " + KubeletClaims.FILE);
            case KubeletClaims.UnreadableKubeletClaims(String reason) -> Cell.warning("did not tell: " + reason);
        };
    }

    private static ExitCode none(String wanted, ClaimRecords records, Invocation invocation) {
        if (!records.readings().isEmpty()) {
            invocation.warn("no claim " + Cell.of(wanted).text() + " in " + records.files()
                    + "; 'imex-agent claims list' lists them");
        }
        return ExitCode.FAILED;
    }

    private static String table(ClaimRecords records, Screen screen) {
        if (records.claims().isEmpty()) {
            return records.readings().isEmpty() ? "" : "no claims in " + records.files() + "\n";
        }
        Table table = Table.of("CLAIM", "UID", "DRIVER", "STATE", "DEVICES", "ALLOCATED", "CDI FILE");
        for (RecordedClaim claim : records.claims()) {
            ClaimEntry entry = claim.entry();
            table.row(
                    Cell.of(name(entry)),
                    Cell.of(entry.uid().value()),
                    Cell.of(claim.driver().name()),
                    state(entry),
                    Cell.of(devices(entry)),
                    Cell.of(allocated(entry)),
                    cdiFile(claim));
        }
        return table.text(screen);
    }

    private static String tables(List<RecordedClaim> claims, Screen screen) {
        return claims.stream().map(claim -> table(claim).text(screen)).collect(Collectors.joining("\n"));
    }

    private static Table table(RecordedClaim claim) {
        ClaimEntry entry = claim.entry();
        Table table = Table.ofFacts()
                .fact("claim", name(entry))
                .fact("uid", entry.uid().value())
                .fact("driver", claim.driver().name())
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
        PreparedDevice.ReturnedDevice handed = device.returned();
        table.fact("device", handed.pool() + "/" + handed.device())
                .fact("  requests", String.join(", ", handed.requests()))
                .fact("  CDI devices", device.reachesContainers() ? String.join(", ", handed.cdiDeviceIds()) : "none");
        if (!(device instanceof PreparedDevice.Plain)) {
            table.fact("  ComputeDomain", computeDomain.isEmpty() ? Cell.UNKNOWN : computeDomain);
        }
        handed.shareId().ifPresent(share -> table.fact("  share", share));
    }

    private static String name(ClaimEntry entry) {
        return text(entry.name());
    }

    private static String text(Optional<?> value) {
        return value.map(Object::toString).orElse(Cell.UNKNOWN);
    }

    private static Cell state(ClaimEntry entry) {
        return switch (entry) {
            case ClaimEntry.Started _ -> Cell.warning("started");
            case ClaimEntry.Completed completed ->
                TakeOverMark.isOn(completed) ? Cell.warning("completed, taken over") : Cell.good("completed");
            case ClaimEntry.Aborted aborted -> new Cell("aborted " + aborted.at(), Style.FAINT);
        };
    }

    private static String devices(ClaimEntry entry) {
        return entry instanceof ClaimEntry.Completed completed
                        && !completed.devices().isEmpty()
                ? completed.devices().stream()
                        .map(device -> device.returned().device())
                        .collect(Collectors.joining(", "))
                : Cell.UNKNOWN;
    }

    private static String allocated(ClaimEntry entry) {
        return text(entry.status().allocation().flatMap(Allocation::timestamp));
    }

    /** The claim's CDI file; coloured if it is missing although the kubelet received a CDI device. */
    private static Cell cdiFile(RecordedClaim claim) {
        Path file = claim.cdiFile();
        if (Files.exists(file)) {
            return Cell.of(file.toString());
        }
        return claim.entry() instanceof ClaimEntry.Completed completed
                        && completed.devices().stream().anyMatch(PreparedDevice::reachesContainers)
                ? Cell.bad(file + " is missing")
                : Cell.of(Cell.UNKNOWN);
    }
}
