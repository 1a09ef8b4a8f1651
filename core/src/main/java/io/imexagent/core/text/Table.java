package io.imexagent.core.text;

import io.imexagent.core.inventory.Finding;
import io.imexagent.core.text.Cell.Style;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Rows of cells under a heading, every column as wide as its widest cell. */
public final class Table {

    private static final String GAP = "  ";

    private final List<List<Cell>> rows = new ArrayList<>();

    private Table() {}

    /** A table with a heading. */
    public static Table of(String... headings) {
        var table = new Table();
        table.rows.add(Arrays.stream(headings)
                .map(heading -> new Cell(heading, Style.HEADING))
                .toList());
        return table;
    }

    /** A table of findings, each with its remedy. */
    public static Table of(List<Finding> findings) {
        Table table = of("SEVERITY", "FINDING", "MESSAGE");
        for (Finding finding : findings) {
            Cell severity = switch (finding.severity()) {
                case INFO -> Cell.of("info");
                case WARNING -> Cell.warning("warning");
                case ERROR -> Cell.bad("error");
            };
            table.row(severity, Cell.of(finding.code()), Cell.of(finding.message()))
                    .remedy(finding.remedy());
        }
        return table;
    }

    /** A table of names and values, without a heading. */
    public static Table ofFacts() {
        return new Table();
    }

    /** Adds a row. It may have fewer cells than others. */
    public Table row(Cell... cells) {
        rows.add(List.of(cells));
        return this;
    }

    /** Adds a row of plain texts. */
    public Table row(String... texts) {
        rows.add(Arrays.stream(texts).map(Cell::of).toList());
        return this;
    }

    /** Adds what to do about the row before, in the third column. */
    public Table remedy(String remedy) {
        return row(Cell.of(""), Cell.of(""), new Cell("remedy: " + remedy, Style.FAINT));
    }

    /** Adds a name with its value. */
    public Table fact(String name, String value) {
        return row(new Cell(name, Style.HEADING), Cell.of(value));
    }

    /** Adds a name with its value, which looks as its meaning wants. */
    public Table fact(String name, Cell value) {
        return row(new Cell(name, Style.HEADING), value);
    }

    /** The table as lines, without blanks at their ends. */
    public String text(boolean colours) {
        var text = new StringBuilder();
        int[] widths = widths();
        for (List<Cell> row : rows) {
            int last = lastFilled(row);
            for (int column = 0; column <= last; column++) {
                Cell cell = row.get(column);
                text.append(cell.style().paint(cell.text(), colours));
                if (column < last) {
                    text.append(" ".repeat(widths[column] - cell.width())).append(GAP);
                }
            }
            text.append('\n');
        }
        return text.toString();
    }

    private static int lastFilled(List<Cell> row) {
        int last = row.size() - 1;
        while (last >= 0 && row.get(last).text().isEmpty()) {
            last--;
        }
        return last;
    }

    private int[] widths() {
        int[] widths = new int[rows.stream().mapToInt(List::size).max().orElse(0)];
        for (List<Cell> row : rows) {
            for (int column = 0; column < row.size(); column++) {
                widths[column] = Math.max(widths[column], row.get(column).width());
            }
        }
        return widths;
    }
}
