package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.CheckResult.Status;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Screen;
import io.imexagent.core.text.Table;
import java.util.List;
import java.util.Locale;

/** How commands tell the results of checks, and how they end. */
final class CheckOutput {

    static final String EXIT_CODES = "Ends with " + ExitCode.FAILED.number() + " where a check failed, with "
            + ExitCode.WARNINGS.number() + " where there are only warnings.";

    private CheckOutput() {}

    static ExitCode print(List<CheckResult> checks, Invocation invocation) {
        invocation.print(screen -> table(checks, screen), () -> document(checks));
        return exitCode(checks);
    }

    static ExitCode exitCode(List<CheckResult> checks) {
        if (count(checks, Status.FAILURE) > 0) {
            return ExitCode.FAILED;
        }
        return count(checks, Status.WARNING) > 0 ? ExitCode.WARNINGS : ExitCode.OK;
    }

    static String table(List<CheckResult> checks, Screen screen) {
        Table table = Table.of("RESULT", "CHECK", "MESSAGE");
        for (CheckResult check : checks) {
            Cell verdict = switch (check.status()) {
                case OK -> Cell.good("ok");
                case WARNING -> Cell.warning("warning");
                case FAILURE -> Cell.bad("failure");
            };
            table.row(verdict, Cell.of(check.id()), Cell.of(check.message()));
            check.remedy().ifPresent(table::remedy);
        }
        return table.text(screen) + "\n" + count(checks, Status.OK) + " ok, "
                + counted(count(checks, Status.WARNING), "warning") + ", "
                + counted(count(checks, Status.FAILURE), "failure") + "\n";
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

    private static long count(List<CheckResult> checks, Status verdict) {
        return checks.stream().filter(check -> check.status() == verdict).count();
    }
}
