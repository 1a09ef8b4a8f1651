package io.imexagent.e2e.bench;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How much is measured.
 *
 * @param starts how many starts
 * @param warmUp how many cycles of prepare and unprepare come before those that are measured
 * @param cycles how many cycles are measured
 * @param total after how many cycles in all memory is read again
 * @param idleSeconds how long after its start the agent's memory is read first
 * @param minutes how long the installed agent is idle before its memory is read, and as long again for its processor time
 */
record BenchOptions(int starts, int warmUp, int cycles, int total, int idleSeconds, int minutes) {

    static final String USAGE = """
            flags:
              --starts N    starts that are measured (default 7)
              --warm-up N   cycles before those that are measured (default 300)
              --cycles N    cycles that are measured (default 500)
              --total N     cycles after which memory is read (default 3000)
              --idle N      seconds after a start when memory is read (default 5)
              --minutes N   minutes for which the installed agent is idle, twice (default 10, which the aims
                            are for)""";

    private static final Set<String> FLAGS =
            Set.of("--starts", "--warm-up", "--cycles", "--total", "--idle", "--minutes");

    /** Reads the flags; {@link IllegalArgumentException} for one that is not known or has no number. */
    static BenchOptions parse(List<String> arguments) {
        Map<String, Integer> given = new HashMap<>();
        Iterator<String> rest = arguments.iterator();
        while (rest.hasNext()) {
            String flag = rest.next();
            if (!FLAGS.contains(flag) || !rest.hasNext()) {
                throw new IllegalArgumentException(
                        FLAGS.contains(flag) ? flag + " needs a number" : "unknown flag " + flag);
            }
            given.put(flag, number(flag, rest.next()));
        }
        return new BenchOptions(
                given.getOrDefault("--starts", 7),
                given.getOrDefault("--warm-up", 300),
                given.getOrDefault("--cycles", 500),
                given.getOrDefault("--total", 3000),
                given.getOrDefault("--idle", 5),
                given.getOrDefault("--minutes", 10));
    }

    private static int number(String flag, String text) {
        try {
            int number = Integer.parseInt(text);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            throw new IllegalArgumentException(flag + " needs a number, not " + text, notANumber);
        }
        throw new IllegalArgumentException(flag + " needs a number above 0, not " + text);
    }
}
