package io.imexagent.fabric.result;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.fabric.result.PairState.FailedPair;
import io.imexagent.fabric.result.PairState.ProvenPair;
import io.imexagent.fabric.result.PairState.TimedOutPair;
import io.imexagent.fabric.result.PairState.UntriedPair;
import io.imexagent.fabric.result.RankRow.ExportedGpu;
import io.imexagent.fabric.result.RankRow.PeerCells;
import io.imexagent.host.json.JsonTrees;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * The row of a rank as one line of JSON that fits into a termination message. A pair of GPUs is one character: {@code
 * +} proven, {@code !} hung, or a letter for an entry of {@code why}. If all pairs of a rank have the same state, it is
 * written once.
 */
public final class RowText {

    /** The kubelet keeps 4096 bytes of a termination message (core/v1 Container, terminationMessagePath). */
    public static final int LONGEST = 4096;

    /**
     * The most bytes of a row that is read: more than a row of 256 ranks with eight GPUs each and every pair written,
     * as in a log.
     */
    private static final int LONGEST_READ = 64 << 10;

    private static final String WHY = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    private static final char PROVEN = '+';
    private static final char TIMED_OUT = '!';
    private static final int VERSION = 1;
    private static final int LONGEST_WORDS = 100;
    private static final int SHORT_WORDS = 20;
    private static final int FEW_REASONS = 10;
    private static final PairState OTHER_FAILURE = new FailedPair("import", -1, "and other words");
    private static final PairState OTHER = new UntriedPair("for one of too many reasons to list");

    private RowText() {}

    /**
     * Returns the row in at most {@link #LONGEST} bytes; if it would be longer, with only the worst state for each
     * rank.
     */
    public static String of(RankRow row) {
        String whole = whole(row);
        if (fits(whole)) {
            return whole;
        }
        List<PeerCells> worst = row.peers().stream()
                .map(peer -> new PeerCells(peer.life(), List.of(peer.worst())))
                .toList();
        var shorter = new RankRow(
                row.run(),
                row.rank(),
                row.life(),
                row.level(),
                row.boot(),
                row.driver(),
                row.gpus(),
                row.fault(),
                worst);
        String rough = whole(shorter);
        return fits(rough) ? rough : new RowWriter(SHORT_WORDS, FEW_REASONS).text(shorter);
    }

    /** Returns the row with every pair of GPUs, for the log. */
    public static String whole(RankRow row) {
        return new RowWriter(LONGEST_WORDS, WHY.length()).text(row);
    }

    private static boolean fits(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length <= LONGEST;
    }

    private static String cut(String text, int most) {
        String plain = text.replaceAll("[^ -~]", "?");
        return plain.length() <= most ? plain : plain.substring(0, most - 1) + "~";
    }

    /** Parses the row of a rank; fails for any other text, since a pod may write anything. */
    public static RankRow parse(String text) throws IOException {
        if (text.length() > LONGEST_READ) {
            throw new IOException("a row has at most " + LONGEST_READ + " characters");
        }
        ObjectNode row;
        try {
            row = JsonTrees.object(text);
        } catch (IOException e) {
            throw new IOException("it is no JSON object", e);
        }
        if (row.path("version").asInt() != VERSION) {
            throw new IOException("a row of version " + row.path("version").asText("none") + " cannot be read");
        }
        int rank = row.path("rank").asInt(-1);
        if (rank < 0) {
            throw new IOException("it names no rank");
        }
        List<PairState> why = StreamSupport.stream(row.path("why").spliterator(), false)
                .limit(WHY.length())
                .map(RowText::reason)
                .toList();
        int count = row.path("peers").asInt();
        String[] cells = row.path("cells").asText().split(",", -1);
        String[] lives = row.path("lives").asText().split(",", -1);
        if (count < 0 || count > RingPlan.MOST || (count > 0 && (cells.length != count || lives.length != count))) {
            throw new IOException("its cells are not those of " + count + " ranks");
        }
        List<ExportedGpu> gpus = new ArrayList<>();
        for (JsonNode gpu : row.path("gpus")) {
            String failed = gpu.path("failed").asText();
            gpus.add(new ExportedGpu(
                    cut(gpu.path("uuid").asText(), LONGEST_WORDS),
                    failed.isEmpty() ? Optional.empty() : Optional.of(state(failed.charAt(0), why))));
        }
        int pairs = gpus.size() * gpus.size();
        List<PeerCells> peers = new ArrayList<>();
        for (int peer = 0; peer < count; peer++) {
            if (cells[peer].length() > 1 && cells[peer].length() != pairs) {
                throw new IOException("its cells are not those of " + gpus.size() + " GPUs");
            }
            List<PairState> states = new ArrayList<>();
            for (char letter : cells[peer].toCharArray()) {
                states.add(state(letter, why));
            }
            peers.add(new PeerCells(lives[peer], states));
        }
        return new RankRow(
                row.path("run").asText(),
                rank,
                row.path("life").asText(),
                cut(row.path("level").asText(), LONGEST_WORDS),
                given(row, "boot"),
                given(row, "driver"),
                gpus,
                given(row, "fault"),
                peers);
    }

    private static PairState reason(JsonNode why) {
        return why.has("code")
                ? new FailedPair(
                        cut(why.path("step").asText(), LONGEST_WORDS),
                        why.path("code").asInt(),
                        cut(why.path("words").asText(), LONGEST_WORDS))
                : new UntriedPair(cut(why.path("reason").asText("for no reason that it gives"), LONGEST_WORDS));
    }

    private static PairState state(char letter, List<PairState> why) throws IOException {
        if (letter == PROVEN) {
            return new PairState.ProvenPair();
        }
        if (letter == TIMED_OUT) {
            return new PairState.TimedOutPair();
        }
        int index = WHY.indexOf(letter);
        if (index < 0 || index >= why.size()) {
            throw new IOException("its cells have a character that has no meaning");
        }
        return why.get(index);
    }

    private static Optional<String> given(ObjectNode row, String field) {
        return Optional.of(row.path(field).asText())
                .filter(text -> !text.isEmpty())
                .map(text -> cut(text, 4 * LONGEST_WORDS));
    }

    /** Writes one row: each reason with at most {@code words} characters, and at most {@code reasons} of them. */
    private static final class RowWriter {

        private final int words;
        private final int reasons;
        private final List<PairState> why = new ArrayList<>();

        RowWriter(int words, int reasons) {
            this.words = words;
            this.reasons = reasons;
        }

        String text(RankRow row) {
            ObjectNode object = JsonTrees.object()
                    .put("version", VERSION)
                    .put("run", row.run())
                    .put("rank", row.rank())
                    .put("life", row.life())
                    .put("level", row.level());
            row.boot().ifPresent(boot -> object.put("boot", boot));
            row.driver().ifPresent(driver -> object.put("driver", driver));
            row.fault().ifPresent(fault -> object.put("fault", cut(fault, 4 * words)));
            ArrayNode gpus = object.putArray("gpus");
            for (ExportedGpu gpu : row.gpus()) {
                ObjectNode one = gpus.addObject().put("uuid", gpu.uuid());
                gpu.failure().ifPresent(failure -> one.put("failed", String.valueOf(letter(failure))));
            }
            List<String> cells = new ArrayList<>();
            List<String> lives = new ArrayList<>();
            for (PeerCells peer : row.peers()) {
                boolean same = peer.cells().stream().distinct().count() <= 1;
                cells.add((same ? peer.cells().stream().limit(1) : peer.cells().stream())
                        .map(cell -> String.valueOf(letter(cell)))
                        .collect(Collectors.joining()));
                lives.add(peer.life());
            }
            object.put("peers", row.peers().size())
                    .put("cells", String.join(",", cells))
                    .put("lives", String.join(",", lives));
            ArrayNode written = object.putArray("why");
            why.forEach(state -> written(written.addObject(), state));
            return JsonTrees.text(object);
        }

        private char letter(PairState state) {
            PairState shown = switch (state) {
                case ProvenPair _, TimedOutPair _ -> state;
                case FailedPair(String step, int code, String text) -> new FailedPair(step, code, cut(text, words));
                case UntriedPair(String reason) -> new UntriedPair(cut(reason, words));
            };
            if (shown instanceof ProvenPair) {
                return PROVEN;
            }
            if (shown instanceof TimedOutPair) {
                return TIMED_OUT;
            }
            if (!why.contains(shown) && why.size() >= reasons - 2) {
                // A failure that exceeds the number of reasons still counts as a failure.
                shown = shown instanceof FailedPair ? OTHER_FAILURE : OTHER;
            }
            if (!why.contains(shown)) {
                why.add(shown);
            }
            return WHY.charAt(why.indexOf(shown));
        }

        private static void written(ObjectNode into, PairState state) {
            switch (state) {
                case FailedPair(String step, int code, String words) ->
                    into.put("step", step).put("code", code).put("words", words);
                case UntriedPair(String reason) -> into.put("reason", reason);
                case ProvenPair _, TimedOutPair _ -> throw new IllegalArgumentException("has a character of its own");
            }
        }
    }
}
