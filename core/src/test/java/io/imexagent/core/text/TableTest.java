package io.imexagent.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.text.Cell.Style;
import java.util.List;
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
    void cellsCannotTurnTheDirectionOfTextOrHideIt() {
        assertThat(Cell.of("a\u202eb\u200bc\u2028d\ufeffe\ud83d\ude00f\ud83d").text())
                .isEqualTo("a?b?c?d?e\ud83d\ude00f?");
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
        Table table = Table.of("UID", "STATE").row("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153", "is completed");

        assertThat(at(48, table)).isEqualTo("""
                    UID                                   STATE
                    c4a1f0de-5b72-4e09-9d36-8f2b7a60e153  is
                                                          completed
                    """);
        assertThat(at(20, table)).isEqualTo("""
                    UID    c4a1f0de-5b72-4e09-9d36-8f2b7a60e153
                    STATE  is completed
                    """);
    }

    @Test
    void pathsBreakBehindASlashAndListsBehindAComma() {
        Table table = Table.of("FILE", "NODES")
                .row("/var/lib/kubelet/plugins/compute-domain.nvidia.com/checkpoint.json", "tray-1,tray-2,tray-3");

        assertThat(at(50, table)).isEqualTo("""
                    FILE                          NODES
                    /var/lib/kubelet/plugins/     tray-1,tray-2,tray-3
                    compute-domain.nvidia.com/
                    checkpoint.json
                    """);
        assertThat(at(36, table)).isEqualTo("""
                    FILE                        NODES
                    /var/lib/kubelet/plugins/   tray-1,
                    compute-domain.nvidia.com/  tray-2,
                    checkpoint.json             tray-3
                    """);
    }

    @Test
    void numbersAndAddressesStayWhole() {
        Table table =
                Table.of("A", "B").row("1,000 of 17/18 at https://x.example", "1,000 of 17/18 at https://x.example");

        assertThat(at(30, table)).isEqualTo("""
                    A               B
                    1,000 of 17/18  1,000 of 17/18
                    at https://     at https://
                    x.example       x.example
                    """);
    }

    @Test
    void theFirstColumnMovesAboveRowsThatDoNotFit() {
        Table table = Table.of("CLIQUE", "NODE", "STATE");
        for (String clique :
                List.of("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7", "c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.8")) {
            table.row(clique, "tray-1", "Ready").row(clique, "tray-2", "NotReady, since an hour");
        }

        assertThat(at(50, table)).isEqualTo("""
                    CLIQUE  c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7
                    NODE    STATE
                    tray-1  Ready
                    tray-2  NotReady, since an hour

                    CLIQUE  c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.8
                    NODE    STATE
                    tray-1  Ready
                    tray-2  NotReady, since an hour
                    """);
    }

    @Test
    void rowsThatDoNotFitBecomeBlocksOfTheirCells() {
        Table table = Table.of("SEVERITY", "FINDING", "MESSAGE")
                .row("error", "gpu-outside-fabric", "the clique is c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7")
                .remedy("wait for it")
                .row("info", "", "all is well");

        assertThat(at(60, table)).isEqualTo("""
                    SEVERITY  error
                    FINDING             MESSAGE
                    gpu-outside-fabric  the clique is
                                        c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7
                                        remedy: wait for it

                    SEVERITY  info
                    FINDING  MESSAGE
                             all is well
                    """);
        assertThat(at(50, table)).isEqualTo("""
                    SEVERITY  error
                    FINDING  gpu-outside-fabric
                    MESSAGE  the clique is
                             c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7
                    MESSAGE  remedy: wait for it

                    SEVERITY  info
                    MESSAGE  all is well
                    """);
    }

    @Test
    void rowsThatDoNotFitBelowWhatTheyHaveInCommonBecomeBlocksThere() {
        Table table = Table.of("CLIQUE", "NODE", "DRIVER", "CONNECTIONS");
        for (int tray = 1; tray <= 2; tray++) {
            table.row("one", "rack-07-tray-0" + tray, "580.159.04", "-CCCCCCCCCCCCCCCCC");
        }

        assertThat(at(40, table)).isEqualTo("""
                    CLIQUE  one
                    NODE         rack-07-tray-01
                    DRIVER       580.159.04
                    CONNECTIONS  -CCCCCCCCCCCCCCCCC

                    NODE         rack-07-tray-02
                    DRIVER       580.159.04
                    CONNECTIONS  -CCCCCCCCCCCCCCCCC
                    """);
    }

    private static String at(int columns, Table table) {
        return table.text(new Screen(false, OptionalInt.of(columns)));
    }

    @Test
    void eachLineOfACellHasItsColour() {
        assertThat(Table.ofFacts().fact("driver", Cell.bad("not loaded")).text(new Screen(true, OptionalInt.of(10))))
                .isEqualTo("\u001b[1mdriver\u001b[0m  \u001b[31mnot\u001b[0m\n        \u001b[31mloaded\u001b[0m\n");
    }
}
