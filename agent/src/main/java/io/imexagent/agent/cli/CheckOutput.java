package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.CheckResult.CheckStatus;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Screen;
import io.imexagent.core.text.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How commands tell the results of checks, and how they end. */
final class CheckOutput {

    static final String EXIT_CODES = "Ends with " + ExitCode.FAILED.number() + " where a check failed, with "
            + ExitCode.WARNINGS.number() + " where there are only warnings.";

    private CheckOutput() {}

    static ExitCode print(List<CheckResult> checks, Invocation invocation) {
        List<CheckResult> ordered = worstFirst(checks);
        invocation.print(screen -> table(ordered, screen), () -> document(ordered));
        return exitCode(checks);
    }

    /**
     * The worst first, those of one result with one remedy together, and else as they came, but for a remedy of failures
     * and warnings: so that they meet, its failures come last and its warnings first.
     */
    static List<CheckResult> worstFirst(List<CheckResult> checks) {
        Map<CheckResult, List<CheckResult>> groups = new LinkedHashMap<>();
        for (CheckResult check : checks) {
            var alike = new CheckResult("", check.status(), "", check.remedy());
            groups.computeIfAbsent(alike, none -> new ArrayList<>()).add(check);
        }
        return groups.values().stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparing(CheckResult::status)
                        .reversed()
                        .thenComparingInt(check -> place(check, checks)))
                .toList();
    }

    private static int place(CheckResult check, List<CheckResult> among) {
        boolean elsewhere = check.remedy().isPresent()
                && among.stream()
                        .anyMatch(other -> other.status() != check.status()
                                && other.remedy().equals(check.remedy()));
        return !elsewhere ? 0 : check.status() == CheckStatus.FAILURE ? 1 : -1;
    }

    static ExitCode exitCode(List<CheckResult> checks) {
        if (count(checks, CheckStatus.FAILURE) > 0) {
            return ExitCode.FAILED;
        }
        return count(checks, CheckStatus.WARNING) > 0 ? ExitCode.WARNINGS : ExitCode.OK;
    }

    static String table(List<CheckResult> checks, Screen screen) {
        Table table = Table.of("RESULT", "CHECK", "MESSAGE");
        for (int at = 0; at < checks.size(); at++) {
            CheckResult check = checks.get(at);
            Cell verdict = switch (check.status()) {
                case OK -> Cell.good("ok");
                case WARNING -> Cell.warning("warning");
                case FAILURE -> Cell.bad("failure");
            };
            table.row(verdict, Cell.of(check.id()), Cell.of(check.message()));
            List<CheckResult> below = checks.subList(at + 1, checks.size());
            check.remedy()
                    .filter(remedy ->
                            below.stream().noneMatch(other -> other.remedy().equals(check.remedy())))
                    .ifPresent(table::remedy);
        }
        return table.text(screen) + "\n" + count(checks, CheckStatus.OK) + " ok, "
                + counted(count(checks, CheckStatus.WARNING), "warning") + ", "
                + counted(count(checks, CheckStatus.FAILURE), "failure") + "\n";
    }

    private static String counted(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    static ArrayNode document(List<CheckResult> checks) {
        ArrayNode document = JsonNodeFactory.instance.arrayNode();
        for (CheckResult check : checks) {
            ObjectNode entry = document.addObject()
                    .put("check", check.id())
                    .put("result", check.status().name().toLowerCase(Locale.ROOT))
                    .put("message", check.message());
            check.remedy().ifPresent(remedy -> entry.put("remedy", remedy));
        }
        return document;
    }

    private static long count(List<CheckResult> checks, CheckStatus verdict) {
        return checks.stream().filter(check -> check.status() == verdict).count();
    }
}
