package io.imexagent.kubernetes.clique;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import io.imexagent.kubernetes.clique.ProvenPairs.CellState;
import io.imexagent.kubernetes.clique.ProvenPairs.ProvenNode;
import io.imexagent.kubernetes.clique.RecordedRun.RecordedNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProvenPairsTest {

    private static final CliqueId CLIQUE = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766");
    private static final CliqueId ELSEWHERE = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.1");
    private static final Instant NOW = Instant.parse("2026-11-28T12:00:00Z");
    private static final Instant MORNING = NOW.minus(Duration.ofHours(2));

    private static FabricIdentity identity(String uid, String boot, long start, String driver) {
        return new FabricIdentity(
                uid,
                boot.isEmpty() ? Optional.empty() : Optional.of(new BootId(boot)),
                start == 0 ? OptionalLong.empty() : OptionalLong.of(start),
                driver.isEmpty() ? Optional.empty() : Optional.of(driver));
    }

    private static FabricIdentity usual(String name) {
        return identity("uid-" + name, "boot-" + name, 71_000_001, "580.95.05");
    }

    private static ProvenNode node(String name) {
        return new ProvenNode(name, Optional.of(CLIQUE), usual(name));
    }

    /** A run of nodes named by letters, each with its row. */
    private static RecordedRun run(String id, Instant ended, String names, String... rows) {
        return new RecordedRun(
                id,
                "alice",
                FabricLevel.MAP,
                ended.minusSeconds(40),
                ended,
                IntStream.range(0, rows.length)
                        .mapToObj(at -> {
                            String name = names.substring(at, at + 1);
                            return new RecordedNode(name, usual(name), rows[at]);
                        })
                        .toList());
    }

    private static List<ProvenNode> nodes(String names) {
        return names.chars().mapToObj(name -> node(Character.toString(name))).toList();
    }

    private static String letters(ProvenPairs pairs) {
        return String.join(
                " ",
                pairs.rows().stream()
                        .map(row -> {
                            var text = new StringBuilder();
                            row.forEach(pair -> text.append(pair.state().letter()));
                            return text.toString();
                        })
                        .toList());
    }

    private static ProvenPairs pairs(List<ProvenNode> nodes, Instant now, RecordedRun... newestFirst) {
        return ProvenPairs.of(CLIQUE, nodes, new FabricTest(List.of(newestFirst)), now);
    }

    @Test
    void aRunIsShownInTheOrderOfTheNodesAsTheyAre() {
        RecordedRun run = run("one", MORNING, "cab", "- + 400", "T - .", "F! + -");

        assertThat(letters(pairs(nodes("abc"), NOW, run))).isEqualTo("-.T +-F +F-");
        assertThat(pairs(nodes("abc"), NOW, run).counts())
                .containsOnly(
                        Map.entry("proven", 2L),
                        Map.entry("failed", 2L),
                        Map.entry("timeout", 1L),
                        Map.entry("not_tried", 1L));
    }

    @Test
    void aNodeThatJoinedOrWasRenamedWasNotTriedAndOneThatWentIsGone() {
        RecordedRun run = run("one", MORNING, "ab", "- +", "+ -");

        assertThat(letters(pairs(nodes("bx"), NOW, run))).isEqualTo("-. .-");
        assertThat(letters(pairs(nodes("ab"), NOW))).isEqualTo("-. .-");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // What is now: UID, boot, start of nvidia-imex, driver; and why the cells are stale.
                "uid-b, boot-b, 71000001, 580.95.05, -",
                "uid-x, boot-b, 71000001, 580.95.05, b: another NVLinkNode",
                "uid-b, boot-x, 71000001, 580.95.05, b: rebooted",
                "uid-b, '', 71000001, 580.95.05, b: rebooted",
                "uid-b, boot-b, 99000000, 580.95.05, b: nvidia-imex restarted",
                "uid-b, boot-b, 0, 580.95.05, b: nvidia-imex restarted",
                "uid-b, boot-b, 71000001, 585.01, b: another driver",
                "uid-b, boot-b, 71000001, '', b: another driver"
            })
    void aCellIsStaleOnceEitherSideIsAnother(String uid, String boot, long start, String driver, @Nullable String why) {
        var changed = new ProvenNode("b", Optional.of(CLIQUE), identity(uid, boot, start, driver));

        ProvenPairs pairs = pairs(
                List.of(node("a"), changed, node("c")), NOW, run("one", MORNING, "abc", "- + +", "+ - +", "+ + -"));

        assertThat(letters(pairs)).isEqualTo(why == null ? "-++ +-+ ++-" : "-S+ S-S +S-");
        if (why != null) {
            assertThat(pairs.rows().get(0).get(1).state()).isEqualTo(new CellState.StaleCell(why));
        }
    }

    @Test
    void whatWasUnknownThenAndIsUnknownNowHasNotChanged() {
        FabricIdentity unknown = identity("uid-a", "", 0, "");
        var run = new RecordedRun(
                "one",
                "alice",
                FabricLevel.MAP,
                MORNING,
                MORNING,
                List.of(new RecordedNode("a", unknown, "- +"), new RecordedNode("b", usual("b"), "+ -")));

        assertThat(letters(pairs(List.of(new ProvenNode("a", Optional.of(CLIQUE), unknown), node("b")), NOW, run)))
                .isEqualTo("-+ +-");
    }

    @Test
    void aNodeInAnotherCliqueOrInNoneMakesItsCellsStale() {
        RecordedRun run = run("one", MORNING, "ab", "- +", "+ -");
        for (Optional<CliqueId> clique : List.of(Optional.of(ELSEWHERE), Optional.<CliqueId>empty())) {
            assertThat(letters(pairs(List.of(node("a"), new ProvenNode("b", clique, usual("b"))), NOW, run)))
                    .isEqualTo("-S S-");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S, +",
        "PT23H59M59S, +",
        "PT24H, S",
        "PT1000H, S", // its age
        "-PT5M, +",
        "-PT5M1S, S",
        "-PT9000H, S" // from the future
    })
    void aRunCountsForADayAndNotFromTheFuture(Duration age, String letter) {
        assertThat(letters(pairs(nodes("ab"), NOW, run("one", NOW.minus(age), "ab", "- +", "+ -"))))
                .isEqualTo("-L L-".replace("L", letter));
    }

    @Test
    void aRunThatEndedBeforeItBeganIsStale() {
        var backwards = new RecordedRun(
                "one",
                "alice",
                FabricLevel.MAP,
                MORNING.plusSeconds(9),
                MORNING,
                run("one", MORNING, "ab", "- +", "+ -").nodes());

        assertThat(letters(pairs(nodes("ab"), NOW, backwards))).isEqualTo("-S S-");
    }

    @Test
    void aRunOfTwoNodesHidesNothingOfTheOthers() {
        RecordedRun all = run("all", MORNING, "abc", "- 400 +", "+ - +", "+ + -");
        RecordedRun two = run("two", NOW, "ab", "- +", "T -");

        assertThat(letters(pairs(nodes("abc"), NOW, two, all))).isEqualTo("-++ T-+ ++-");
    }

    @Test
    void aPairIsContradictedTwiceWhereItsLastTwoRunsFailedWhileItWasCalledConnected() {
        RecordedRun first = run("1", MORNING, "abc", "- 400! +", "+ - +", "T! + -");
        RecordedRun second = run("2", MORNING.plusSeconds(600), "ab", "- T!", "400! -");
        RecordedRun third = run("3", NOW, "abc", "- F! +", "+ - +", "400 + -");

        ProvenPairs once = pairs(nodes("abc"), NOW, first);
        ProvenPairs twice = pairs(nodes("abc"), NOW, second, first);
        ProvenPairs thrice = pairs(nodes("abc"), NOW, third, second, first);

        assertThat(once.contradicted()).isZero();
        assertThat(once.rows().get(0).get(1).contradictions()).isEqualTo(1);
        assertThat(twice.contradicted()).isEqualTo(1);
        assertThat(twice.rows().get(1).get(0).contradictions()).isEqualTo(1);
        assertThat(thrice.rows().get(0).get(1).contradictions()).isEqualTo(3);
        assertThat(thrice.rows().get(2).get(0).contradictions())
                .as("nvidia-imex said the same as the last run")
                .isZero();
        assertThat(pairs(nodes("abc"), NOW.plus(FRESH_AND_A_BIT), third, second, first)
                        .contradicted())
                .as("stale")
                .isZero();
    }

    private static final Duration FRESH_AND_A_BIT = ProvenPairs.FRESH.plusSeconds(1);

    /** Of any runs and nodes a pair is proven only by the first run that tried it, which is fresh, of the same two. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void nothingIsProvenThatNoFreshRunOfTheSameNodesProved(int seed) {
        var random = new Random(seed);
        String[] words = {"+", ".", "T", "T!", "F", "400", "400!", "odd", ""};
        for (int world = 0; world < 200; world++) {
            List<RecordedRun> runs = new ArrayList<>();
            for (int run = 0; run < random.nextInt(FabricTest.MOST_RUNS + 1); run++) {
                String names = random.nextBoolean() ? "abcd" : "dxb";
                String[] rows = names.chars()
                        .mapToObj(any -> String.join(
                                " ",
                                IntStream.range(0, random.nextInt(names.length() + 2))
                                        .mapToObj(at -> words[random.nextInt(words.length)])
                                        .toList()))
                        .toArray(String[]::new);
                runs.add(run("run-" + run, NOW.minus(Duration.ofMinutes(random.nextInt(-20, 2000))), names, rows));
            }
            List<ProvenNode> nodes = Arrays.stream("abcd".split(""))
                    .map(name -> random.nextInt(4) > 0
                            ? node(name)
                            : new ProvenNode(
                                    name,
                                    Optional.of(random.nextBoolean() ? CLIQUE : ELSEWHERE),
                                    identity("uid-" + name, "boot-" + random.nextInt(2), 71_000_001, "580.95.05")))
                    .toList();
            ProvenPairs pairs = pairs(nodes, NOW, runs.toArray(RecordedRun[]::new));

            for (int importer = 0; importer < nodes.size(); importer++) {
                for (int exporter = 0; exporter < nodes.size(); exporter++) {
                    boolean proven = pairs.rows().get(importer).get(exporter).state() instanceof CellState.ProvenCell;
                    assertThat(proven)
                            .isEqualTo(importer != exporter && proves(runs, nodes.get(importer), nodes.get(exporter)));
                }
            }
        }
    }

    /** The rule again, in the plainest way: no index, no early end. */
    private static boolean proves(List<RecordedRun> runs, ProvenNode importer, ProvenNode exporter) {
        for (RecordedRun run : runs) {
            List<String> names = run.nodes().stream().map(RecordedNode::name).toList();
            int row = names.indexOf(importer.name());
            int column = names.indexOf(exporter.name());
            String[] cells =
                    row < 0 ? new String[0] : run.nodes().get(row).cells().split(" ");
            String cell = column < 0 || column >= cells.length ? "." : cells[column];
            if (cell.matches("[+]|[TF]!?|[0-9]+!?")) {
                return cell.equals("+")
                        && !run.ended().isAfter(NOW.plus(Duration.ofMinutes(5)))
                        && run.ended().isAfter(NOW.minus(Duration.ofHours(24)))
                        && List.of(importer, exporter).stream()
                                .allMatch(node -> node.clique().equals(Optional.of(CLIQUE))
                                        && node.identity().equals(usual(node.name())));
            }
        }
        return false;
    }
}
