package io.imexagent.core.text;

import io.imexagent.core.inventory.Finding;
import io.imexagent.core.text.Cell.Style;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/**
 * Rows of cells under a heading, every column as wide as its widest cell. Where a terminal is narrower than that, the widest
 * columns give way, and their texts go on below, broken at blanks; a word, which may be an ID to copy, is never broken.
 */
public final class Table {

    private static final int GAP = 2;

    private final List<List<Cell>> rows = new ArrayList<>();

    private Table() {}

    public static Table of(String... headings) {
        var table = new Table();
        table.rows.add(Arrays.stream(headings)
                .map(heading -> new Cell(heading, Style.HEADING))
                .toList());
        return table;
    }

    public static Table of(List<Finding> findings) {
        Table table = of("SEVERITY", "FINDING", "MESSAGE");
        for (Finding finding : findings) {
            table.row(Cell.of(finding.severity()), Cell.of(finding.code()), Cell.of(finding.message()))
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

    public Table row(String... texts) {
        rows.add(Arrays.stream(texts).map(Cell::of).toList());
        return this;
    }

    /** Adds what to do about the row before, in the third column. */
    public Table remedy(String remedy) {
        return row(Cell.of(""), Cell.of(""), new Cell("remedy: " + remedy, Style.FAINT));
    }

    public Table fact(String name, String value) {
        return row(new Cell(name, Style.HEADING), Cell.of(value));
    }

    public Table fact(String name, Cell value) {
        return row(new Cell(name, Style.HEADING), value);
    }

    /** These tables one below the other, an empty line between them; one with nothing below its heading is left out. */
    public static String texts(Screen screen, Table... tables) {
        return Arrays.stream(tables)
                .filter(table ->
                        table.rows.stream().flatMap(List::stream).anyMatch(cell -> cell.style() != Style.HEADING))
                .map(table -> table.text(screen))
                .collect(Collectors.joining("\n"));
    }

    /** The table as lines, without blanks at their ends. */
    public String text(Screen screen) {
        var text = new StringBuilder();
        int[] widths = fitted(screen);
        for (List<Cell> row : rows) {
            List<List<String>> cells = new ArrayList<>();
            for (int column = 0; column < row.size(); column++) {
                cells.add(lines(row.get(column).text(), widths[column]));
            }
            int height = cells.stream().mapToInt(List::size).max().orElse(1);
            for (int line = 0; line < height; line++) {
                text.append(line(row, cells, line, widths, screen.colours())).append('\n');
            }
        }
        return text.toString();
    }

    private static String line(List<Cell> row, List<List<String>> cells, int line, int[] widths, boolean colours) {
        var text = new StringBuilder();
        int blanks = 0;
        for (int column = 0; column < row.size(); column++) {
            String part = line < cells.get(column).size() ? cells.get(column).get(line) : "";
            if (!part.isEmpty()) {
                text.append(" ".repeat(blanks)).append(row.get(column).style().paint(part, colours));
                blanks = 0;
            }
            blanks += widths[column] - Cell.width(part) + GAP;
        }
        return text.toString();
    }

    /** The text in lines of this width; a word that is longer has a line of its own. */
    private static List<String> lines(String text, int width) {
        if (Cell.width(text) <= width) {
            return List.of(text);
        }
        List<String> lines = new ArrayList<>();
        var line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            if (!line.isEmpty() && Cell.width(line) + 1 + Cell.width(word) > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    /** How wide each column is on this screen: the widest one gives way first, as far as its longest word lets it. */
    private int[] fitted(Screen screen) {
        int[] widths = widths(Cell::width);
        int[] least = widths(text ->
                Arrays.stream(text.split(" ", -1)).mapToInt(Cell::width).max().orElse(0));
        int room = screen.columns().orElse(Integer.MAX_VALUE) - GAP * (widths.length - 1);
        for (int over = Arrays.stream(widths).sum() - room; over > 0; over--) {
            int widest = -1;
            for (int column = 0; column < widths.length; column++) {
                if (widths[column] > least[column] && (widest < 0 || widths[column] > widths[widest])) {
                    widest = column;
                }
            }
            if (widest < 0) {
                break;
            }
            widths[widest]--;
        }
        return widths;
    }

    private int[] widths(ToIntFunction<String> width) {
        int[] widths = new int[rows.stream().mapToInt(List::size).max().orElse(0)];
        for (List<Cell> row : rows) {
            for (int column = 0; column < row.size(); column++) {
                widths[column] = Math.max(
                        widths[column], width.applyAsInt(row.get(column).text()));
            }
        }
        return widths;
    }
}
