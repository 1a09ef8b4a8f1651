package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Screen;
import io.imexagent.core.text.Table;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The results of checks as a table and a document, and the exit code for them. */
final class CheckOutput {

    /** The help text about the exit codes of commands that judge. */
    static final String EXIT_CODES = "Ends with " + ExitCode.FAILED.number() + " where something is critical, with "
            + ExitCode.WARNINGS.number() + " where the worst is a warning.";

    private CheckOutput() {}

    static ExitCode print(Instant at, List<CheckResult> checks, Invocation invocation) {
        List<CheckResult> ordered = worstFirst(checks);
        invocation.print(at, screen -> table(ordered, screen), () -> {
            ObjectNode document = JsonNodeFactory.instance.objectNode();
            write(ordered, document.putArray("checks"));
            return document;
        });
        return exitCode(checks);
    }

    /**
     * Orders results by severity, the worst first, and groups those of equal severity and remedy; otherwise the order
     * stays. If failures and warnings share a remedy, its failures come last and its warnings first, so that both are
     * adjacent.
     */
    static List<CheckResult> worstFirst(List<CheckResult> checks) {
        Map<CheckResult, List<CheckResult>> groups = new LinkedHashMap<>();
        for (CheckResult check : checks) {
            var alike = new CheckResult("", check.severity(), "", check.remedy());
            groups.computeIfAbsent(alike, none -> new ArrayList<>()).add(check);
        }
        return groups.values().stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparing(CheckResult::severity)
                        .reversed()
                        .thenComparingInt(check -> place(check, checks)))
                .toList();
    }

    private static int place(CheckResult check, List<CheckResult> among) {
        boolean elsewhere = check.remedy().isPresent()
                && among.stream()
                        .anyMatch(other -> other.severity() != check.severity()
                                && other.remedy().equals(check.remedy()));
        return !elsewhere ? 0 : check.severity() == Severity.CRITICAL ? 1 : -1;
    }

    static ExitCode exitCode(List<CheckResult> checks) {
        return ExitCode.of(Severity.worst(checks.stream().map(CheckResult::severity)));
    }

    static String table(List<CheckResult> checks, Screen screen) {
        Table table = Table.of("SEVERITY", "CHECK", "MESSAGE");
        for (int at = 0; at < checks.size(); at++) {
            CheckResult check = checks.get(at);
            table.row(Cell.of(check.severity()), Cell.of(check.id()), Cell.of(check.message()));
            List<CheckResult> below = checks.subList(at + 1, checks.size());
            check.remedy()
                    .filter(remedy ->
                            below.stream().noneMatch(other -> other.remedy().equals(check.remedy())))
                    .ifPresent(table::remedy);
        }
        return table.text(screen) + "\n"
                + Arrays.stream(Severity.values())
                        .map(severity -> checks.stream()
                                        .filter(check -> check.severity() == severity)
                                        .count()
                                + " " + severity.text())
                        .collect(Collectors.joining(", "))
                + "\n";
    }

    static void write(List<CheckResult> checks, ArrayNode array) {
        for (CheckResult check : checks) {
            ObjectNode entry = array.addObject()
                    .put("check", check.id())
                    .put("severity", check.severity().text())
                    .put("message", check.message());
            check.remedy().ifPresent(remedy -> entry.put("remedy", remedy));
        }
    }
}
