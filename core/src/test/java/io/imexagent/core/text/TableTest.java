package io.imexagent.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.text.Cell.Style;
import org.junit.jupiter.api.Test;

class TableTest {

    @Test
    void columnsAreAsWideAsTheirWidestCell() {
        assertThat(Table.of("A", "LONG", "C")
                        .row("1", "2", "3")
                        .row("wide", "2", "3")
                        .text(false))
                .isEqualTo("""
                    A     LONG  C
                    1     2     3
                    wide  2     3
                    """);
    }

    @Test
    void linesEndWithoutBlanks() {
        assertThat(Table.of("A", "B").row("1", "").row("", "2").text(false)).isEqualTo("A  B\n1\n   2\n");
    }

    @Test
    void coloursDoNotCountAsWidth() {
        String plain =
                Table.of("A", "B").row(new Cell("x", Style.BAD), Cell.of("y")).text(false);
        String coloured =
                Table.of("A", "B").row(new Cell("x", Style.BAD), Cell.of("y")).text(true);

        assertThat(coloured).contains("\u001b[31mx\u001b[0m").isNotEqualTo(plain);
        assertThat(coloured.replaceAll("\u001b\\[[0-9]*m", "")).isEqualTo(plain);
    }

    @Test
    void charactersBeyondTheBasicPlaneCountOnce() {
        assertThat(Table.of("AB", "C").row("\ud83d\ude00", "x").text(false)).isEqualTo("AB  C\n\ud83d\ude00   x\n");
    }

    @Test
    void cellsCannotMoveTheCursor() {
        assertThat(Cell.of("a\nb\u001b[2Jc\u009b").text()).isEqualTo("a?b?[2Jc?");
    }

    @Test
    void factsHaveNoHeading() {
        assertThat(Table.ofFacts().fact("driver", "loaded").fact("vendor", "-").text(false))
                .isEqualTo("driver  loaded\nvendor  -\n");
    }
}
