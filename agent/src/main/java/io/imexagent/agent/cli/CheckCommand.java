package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.CheckResult.Status;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Style;
import io.imexagent.core.text.Table;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;

/** {@code imex-agent check}. */
final class CheckCommand implements Command {

    private final Configured configured;
    private final CheckSource source;

    CheckCommand(Configured configured, CheckSource source) {
        this.configured = configured;
        this.source = source;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create().name("check").addOption(GlobalOptions.output());
        spec.usageMessage()
                .description(
                        "CheckResult what must be so before the agent can serve, with a remedy for what is not.",
                        "Ends with " + ExitCode.FAILED.number() + " where a check failed, with "
                                + ExitCode.WARNINGS.number() + " where there are only warnings.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(invocation, effective -> {
            List<CheckResult> checks = source.check(effective.config());
            invocation.print(() -> table(checks, invocation.colours()), () -> document(checks));
            return exitCode(checks);
        });
    }

    static ExitCode exitCode(List<CheckResult> checks) {
        if (count(checks, Status.FAILURE) > 0) {
            return ExitCode.FAILED;
        }
        return count(checks, Status.WARNING) > 0 ? ExitCode.WARNINGS : ExitCode.OK;
    }

    static String table(List<CheckResult> checks, boolean colours) {
        Table table = Table.of("RESULT", "CHECK", "MESSAGE");
        for (CheckResult check : checks) {
            table.row(verdict(check.status()), Cell.of(check.id()), Cell.of(check.message()));
            check.remedy()
                    .ifPresent(
                            remedy -> table.row(Cell.of(""), Cell.of(""), new Cell("remedy: " + remedy, Style.FAINT)));
        }
        return table.text(colours) + "\n" + count(checks, Status.OK) + " ok, "
                + counted(count(checks, Status.WARNING), "warning") + ", "
                + counted(count(checks, Status.FAILURE), "failure") + "\n";
    }

    private static String counted(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    private static Cell verdict(Status verdict) {
        return switch (verdict) {
            case OK -> new Cell("ok", Style.GOOD);
            case WARNING -> new Cell("warning", Style.WARNING);
            case FAILURE -> new Cell("failure", Style.BAD);
        };
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
