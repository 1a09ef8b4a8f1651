package io.imexagent.imex.document;

import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Style;
import io.imexagent.core.text.Table;
import io.imexagent.imex.health.DomainHealth;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.Verdict;
import io.imexagent.imex.report.DomainReport;
import io.imexagent.imex.report.NodeReport;
import java.util.ArrayList;
import java.util.List;

/** The health of nvidia-imex for people. */
public final class HealthText {

    private static final String NOT_TOLD = "-";

    private HealthText() {}

    public static String of(ImexHealth health, boolean colours) {
        var text = new StringBuilder(facts(health).text(colours));
        health.report()
                .filter(report -> !report.nodes().isEmpty())
                .ifPresent(report -> text.append('\n')
                        .append(nodes(report).text(colours))
                        .append('\n')
                        .append(matrix(report).text(colours)));
        return text.toString();
    }

    private static Table facts(ImexHealth health) {
        Verdict verdict = health.verdict();
        Table table = Table.ofFacts().fact("verdict", new Cell(verdict.summary(), style(verdict.level())));
        if (!verdict.cause().isEmpty()) {
            table.fact("cause", verdict.cause());
        }
        if (!verdict.nextStep().isEmpty()) {
            table.fact("next step", verdict.nextStep());
        }
        table.fact("daemon", health.daemon().label().replace('_', ' ')).fact("domain", domain(health.domain()));
        health.notes().forEach(note -> table.fact("note", Cell.warning(note)));
        return table;
    }

    private static String domain(DomainHealth domain) {
        return domain instanceof DomainHealth.NotTold(String reason) ? "not told: " + reason : domain.label();
    }

    private static Table nodes(DomainReport report) {
        Table table = Table.of("NODE", "ADDRESS", "NAME", "STATE", "VERSION");
        for (NodeReport node : report.nodes()) {
            boolean here = report.isLocal(node);
            table.row(
                    Cell.of(node.index() + (here ? "*" : "")),
                    Cell.of(node.address().isEmpty() ? NOT_TOLD : node.address()),
                    Cell.of(node.hostName().orElse(NOT_TOLD)),
                    new Cell(node.state().word(), node.ready() ? Style.GOOD : Style.BAD),
                    Cell.of(node.version().orElse(NOT_TOLD)));
        }
        return table;
    }

    /** Letters as in nvidia-imex-ctl's own legend; a pair that is not reported has a hyphen. */
    private static Table matrix(DomainReport report) {
        var heading = new ArrayList<String>(List.of("FROM\\TO"));
        report.nodes().forEach(node -> heading.add(Integer.toString(node.index())));
        Table table = Table.of(heading.toArray(String[]::new));
        for (NodeReport from : report.nodes()) {
            var row = new ArrayList<Cell>(List.of(Cell.of(Integer.toString(from.index()))));
            for (NodeReport to : report.nodes()) {
                row.add(report.connection(from.index(), to.index())
                        .map(state -> new Cell(state.letter(), state.connected() ? Style.GOOD : Style.BAD))
                        .orElse(Cell.of(NOT_TOLD)));
            }
            table.row(row.toArray(Cell[]::new));
        }
        return table;
    }

    private static Style style(Verdict.Level level) {
        return switch (level) {
            case UP -> Style.GOOD;
            case DEGRADED, UNKNOWN -> Style.WARNING;
            case DOWN -> Style.BAD;
            case NOT_APPLICABLE -> Style.PLAIN;
        };
    }
}
