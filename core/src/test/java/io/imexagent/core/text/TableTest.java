package io.imexagent.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.text.Cell.Style;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class TableTest {

    @Test
    void columnsAreAsWideAsTheirWidestCell() {
        assertThat(Table.of("A", "LONG", "C")
                        .row("1", "2", "3")
                        .row("wide", "2", "3")
                        .text(Screen.NONE))
                .isEqualTo("""
                    A     LONG  C
                    1     2     3
                    wide  2     3
                    """);
    }

    @Test
    void linesEndWithoutBlanks() {
        assertThat(Table.of("A", "B").row("1", "").row("", "2").text(Screen.NONE))
                .isEqualTo("A  B\n1\n   2\n");
    }

    @Test
    void coloursDoNotCountAsWidth() {
        String plain =
                Table.of("A", "B").row(new Cell("x", Style.BAD), Cell.of("y")).text(Screen.NONE);
        String coloured = Table.of("A", "B")
                .row(new Cell("x", Style.BAD), Cell.of("y"))
                .text(new Screen(true, OptionalInt.empty()));

        assertThat(coloured).contains("\u001b[31mx\u001b[0m").isNotEqualTo(plain);
        assertThat(coloured.replaceAll("\u001b\\[[0-9]*m", "")).isEqualTo(plain);
    }

    @Test
    void charactersBeyondTheBasicPlaneCountOnce() {
        assertThat(Table.of("AB", "C").row("\ud83d\ude00", "x").text(Screen.NONE))
                .isEqualTo("AB  C\n\ud83d\ude00   x\n");
    }

    @Test
    void cellsCannotMoveTheCursor() {
        assertThat(Cell.of("a\nb\u001b[2Jc\u009b").text()).isEqualTo("a?b?[2Jc?");
    }

    @Test
    void factsHaveNoHeading() {
        assertThat(Table.ofFacts().fact("driver", "loaded").fact("vendor", "-").text(Screen.NONE))
                .isEqualTo("driver  loaded\nvendor  -\n");
    }

    @Test
    void onANarrowTerminalTheWidestColumnGoesOnBelow() {
        Table table = Table.of("SEVERITY", "FINDING", "MESSAGE")
                .row("error", "driver-absent", "there is no NVIDIA driver on this host")
                .remedy("install it");

        assertThat(table.text(new Screen(false, OptionalInt.of(42)))).isEqualTo("""
            SEVERITY  FINDING        MESSAGE
            error     driver-absent  there is no
                                     NVIDIA driver on
                                     this host
                                     remedy: install
                                     it
            """);
        assertThat(table.text(new Screen(false, OptionalInt.of(80)))).isEqualTo(table.text(Screen.NONE));
    }

    @Test
    void aWordIsNeverBroken() {
        assertThat(Table.of("UID", "STATE")
                        .row("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153", "is completed")
                        .text(new Screen(false, OptionalInt.of(20))))
                .isEqualTo("""
                    UID                                   STATE
                    c4a1f0de-5b72-4e09-9d36-8f2b7a60e153  is
                                                          completed
                    """);
    }

    @Test
    void eachLineOfACellHasItsColour() {
        assertThat(Table.ofFacts().fact("driver", Cell.bad("not loaded")).text(new Screen(true, OptionalInt.of(10))))
                .isEqualTo("\u001b[1mdriver\u001b[0m  \u001b[31mnot\u001b[0m\n        \u001b[31mloaded\u001b[0m\n");
    }
}
