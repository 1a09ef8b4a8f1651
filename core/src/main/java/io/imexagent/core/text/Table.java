package io.imexagent.core.text;

import io.imexagent.core.inventory.Finding;
import io.imexagent.core.text.Cell.Style;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Rows of cells under a heading, with each column as wide as its widest cell. If a terminal is too narrow, the widest
 * columns are narrowed and their texts wrapped at blanks, after the slashes of a path and after the commas of a list. A
 * word is not broken anywhere else, since it may be an ID to copy. If the table is still too wide, each value of the
 * first column is printed above the rows that share it; if that does not suffice, each row becomes a block with a line
 * for each cell.
 */
public final class Table {

    private static final int GAP = 2;

    /**
     * The places where a text may be wrapped: after a blank, a comma or a slash, but not within {@code 1,000} or {@code
     * 17/18}.
     */
    private static final Pattern BREAK = Pattern.compile("(?<= )|(?<=,)(?![ ]|[0-9]{3}(?![0-9]))|(?<=/)(?![ /0-9])");

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

    /** Creates a table of names and values, without a heading. */
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

    /** Adds the remedy for the previous row, in the third column. */
    public Table remedy(String remedy) {
        return row(Cell.of(""), Cell.of(""), new Cell("remedy: " + remedy, Style.FAINT));
    }

    public Table fact(String name, String value) {
        return row(new Cell(name, Style.HEADING), Cell.of(value));
    }

    public Table fact(String name, Cell value) {
        return row(new Cell(name, Style.HEADING), value);
    }

    /** Formats tables one below the other, with an empty line between them. A table with only a heading is left out. */
    public static String texts(Screen screen, Table... tables) {
        return Arrays.stream(tables)
                .filter(table ->
                        table.rows.stream().flatMap(List::stream).anyMatch(cell -> cell.style() != Style.HEADING))
                .map(table -> table.text(screen))
                .collect(Collectors.joining("\n"));
    }

    /** Formats the table as lines without trailing blanks. */
    public String text(Screen screen) {
        int[] widths = fitted(screen);
        if (fits(widths, screen) || !isHeading(rows.getFirst())) {
            return text(widths, screen);
        }
        boolean restFits = fits(rest(rows).fitted(screen), screen);
        return rows.getFirst().size() > 2 && (restFits || repeats()) ? groups(screen, restFits) : blocks(screen);
    }

    private String text(int[] widths, Screen screen) {
        var text = new StringBuilder();
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

    private static boolean isHeading(List<Cell> row) {
        return row.size() > 1 && row.stream().allMatch(cell -> cell.style() == Style.HEADING);
    }

    private static boolean fits(int[] widths, Screen screen) {
        return Arrays.stream(widths).sum() <= room(screen, widths.length);
    }

    /** Formats each group of rows below the first cell that they share, with an empty line between the groups. */
    private String groups(Screen screen, boolean restFits) {
        List<Cell> headings = rows.getFirst();
        List<String> groups = new ArrayList<>();
        for (int first = 1, next; first < rows.size(); first = next) {
            Cell common = rows.get(first).getFirst();
            List<List<Cell>> group = new ArrayList<>(List.of(headings));
            for (next = first; next < rows.size() && isOf(common, rows.get(next)); next++) {
                group.add(rows.get(next));
            }
            Table rest = rest(group);
            groups.add(ofFacts().row(headings.getFirst(), common).text(screen)
                    + (restFits ? rest.text(rest.fitted(screen), screen) : rest.blocks(screen)));
        }
        return String.join("\n", groups);
    }

    /** These rows without their first cells. */
    private static Table rest(List<List<Cell>> rows) {
        Table rest = new Table();
        rows.forEach(row -> rest.rows.add(row.subList(1, row.size())));
        return rest;
    }

    /** Whether two consecutive rows share their first cell. */
    private boolean repeats() {
        return IntStream.range(2, rows.size())
                .anyMatch(row -> isOf(rows.get(row - 1).getFirst(), rows.get(row)));
    }

    /** Whether a row has this first cell, or an empty one, which continues the previous row. */
    private static boolean isOf(Cell first, List<Cell> row) {
        return row.getFirst().equals(first) || row.getFirst().text().isEmpty();
    }

    /**
     * Formats each row as a block, with an empty line between blocks. A row with an empty first cell continues the
     * previous block.
     */
    private String blocks(Screen screen) {
        List<Cell> headings = rows.getFirst();
        Table facts = ofFacts();
        for (List<Cell> row : rows.subList(1, rows.size())) {
            if (!facts.rows.isEmpty() && !row.getFirst().text().isEmpty()) {
                facts.rows.add(List.of());
            }
            for (int column = 0; column < row.size(); column++) {
                if (!row.get(column).text().isEmpty()) {
                    facts.row(headings.get(column), row.get(column));
                }
            }
        }
        return facts.text(screen);
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

    /** Wraps the text at this width; a longer part is on a line of its own. */
    private static List<String> lines(String text, int width) {
        if (Cell.width(text) <= width) {
            return List.of(text);
        }
        List<String> lines = new ArrayList<>();
        var line = new StringBuilder();
        for (String part : BREAK.split(text, -1)) {
            if (!line.isEmpty() && Cell.width(line) + Cell.width(part.stripTrailing()) > width) {
                lines.add(line.toString().stripTrailing());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? part.stripLeading() : part);
        }
        lines.add(line.toString().stripTrailing());
        return lines;
    }

    /** The width of each column on this screen. The widest column is narrowed first, but not below its longest part. */
    private int[] fitted(Screen screen) {
        int[] widths = widths(Cell::width);
        int[] least = widths(text -> Arrays.stream(BREAK.split(text, -1))
                .mapToInt(part -> Cell.width(part.stripTrailing()))
                .max()
                .orElse(0));
        for (int over = Arrays.stream(widths).sum() - room(screen, widths.length); over > 0; over--) {
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

    private static int room(Screen screen, int columns) {
        return screen.columns().orElse(Integer.MAX_VALUE) - GAP * (columns - 1);
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
