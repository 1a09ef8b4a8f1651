package io.imexagent.e2e.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a process takes of the machine, as {@code /proc/<pid>/smaps_rollup} and {@code /proc/<pid>/stat} tell (see
 * {@code proc(5)}).
 *
 * @param residentKb resident memory, in KiB
 * @param proportionalKb resident memory with pages that are shared counted by share, in KiB
 * @param anonymousKb the part that belongs to no file, in KiB
 * @param processor user and system time since it started; the kernel counts it in steps of 10 ms
 * @param children the same of programs that it has run and that have ended
 */
public record ProcessUsage(
        long residentKb, long proportionalKb, long anonymousKb, Duration processor, Duration children) {

    /** {@code USER_HZ}, in which the kernel tells times; 100 on all architectures of today. */
    private static final long TICKS_PER_SECOND = 100;

    /** utime and stime are fields 14 and 15; the command, which may hold blanks, ends with field 2. */
    private static final int USER_TIME = 14 - 3;

    /** cutime and cstime are the two fields after them. */
    private static final int CHILDRENS_USER_TIME = USER_TIME + 2;

    /** The usage of a process; {@link IOException} where there is none, or it belongs to another user. */
    public static ProcessUsage of(long pid) throws IOException {
        Path folder = Path.of("/proc", Long.toString(pid));
        List<String> memory = Files.readAllLines(folder.resolve("smaps_rollup"));
        String stat = Files.readString(folder.resolve("stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return new ProcessUsage(
                kilobytes(memory, "Rss:"),
                kilobytes(memory, "Pss:"),
                kilobytes(memory, "Anonymous:"),
                time(fields, USER_TIME),
                time(fields, CHILDRENS_USER_TIME));
    }

    /** How many threads a process has. */
    public static long threads(long pid) throws IOException {
        return entries(pid, "task");
    }

    /** How many descriptors of files a process has open. */
    public static long descriptors(long pid) throws IOException {
        return entries(pid, "fd");
    }

    private static long entries(long pid, String folder) throws IOException {
        try (Stream<Path> entries = Files.list(Path.of("/proc", Long.toString(pid), folder))) {
            return entries.count();
        }
    }

    /** Resident pages of files, the executable's among them: the kernel can drop them, and shares them between processes. */
    public long fileKb() {
        return residentKb - anonymousKb;
    }

    /** The processor time of the process and of the programs that it has run. */
    public Duration withChildren() {
        return processor.plus(children);
    }

    /** User time, and system time in the field behind it. */
    private static Duration time(String[] fields, int first) {
        long ticks = Long.parseLong(fields[first]) + Long.parseLong(fields[first + 1]);
        return Duration.ofMillis(ticks * 1000 / TICKS_PER_SECOND);
    }

    private static long kilobytes(List<String> lines, String key) throws IOException {
        return lines.stream()
                .filter(line -> line.startsWith(key))
                .map(line -> line.substring(key.length(), line.length() - "kB".length())
                        .strip())
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElseThrow(() -> new IOException("smaps_rollup has no line " + key));
    }
}
