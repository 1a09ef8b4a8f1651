package io.imexagent.imex.health;

import io.imexagent.imex.health.QueryResult.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The error output of a program that failed. {@code nvidia-imex-ctl} prints the cause in one line, and may print a page
 * of help before or after it.
 */
record ToolComplaint(List<String> lines) {

    /** The error of a daemon that is down is 14, gRPC's {@code UNAVAILABLE}. */
    private static final Pattern ERROR_CODE =
            Pattern.compile("\\berror code(?::\\s*|\\s+)(\\w+)", Pattern.CASE_INSENSITIVE);

    private static final String UNAVAILABLE = "14";

    /** The name {@code config.cfg} or a paraphrase, including a path before it. */
    private static final String FILE = "['\"(\\w./-]*(?:config\\.cfg\\b|\\bconfig(?:uration)?[ -]file\\b)";

    private static final String ABSENT =
            "(?:not found|does not exist|doesn't exist|no such file|permission denied|(?:is )?missing)";

    /** A failed operation on the file itself, or its absence: other files that a file names may be missing, too. */
    private static final Pattern NO_FILE = Pattern.compile(
            "\\b(?:fail\\w*|unable|cannot|can't|could not|couldn't|error)\\b"
                    + ".*\\b(?:open|read|find|load|access|pars)\\w*:?\\s+"
                    + "(?:(?:the|its|from|file|nvidia-imex|nvidia|imex|daemon|default|nodes?)\\s+){0,3}" + FILE
                    + "|" + FILE + "['\")]?:?\\s+(?:\\S*/\\S*\\s+)?(?:was |cannot be opened: )?" + ABSENT + "\\b"
                    + "|\\b" + ABSENT + "(?: or directory)?:?\\s+" + FILE,
            Pattern.CASE_INSENSITIVE);

    private static final Pattern NODES_FILE = Pattern.compile("nodes?[ _-]*config", Pattern.CASE_INSENSITIVE);

    /** The first line of a page of help. */
    private static final Pattern USAGE = Pattern.compile(
            "usage\\b.*|(where|options|commands|arguments|flags|examples?)\\s*:?"
                    + "|nvidia-imex-ctl\\s+[\\[<-].*|(try|see|run)\\b.*-(h|-help)\\b.*",
            Pattern.CASE_INSENSITIVE);

    /** A further line of a page of help: an option, an argument, or a heading. */
    private static final Pattern MORE_USAGE = Pattern.compile("-{1,2}\\w.*|\\[-.*|<.*|[\\w ]+:");

    /** Words of an error; other lines below a page of help explain the program. */
    private static final Pattern WRONG = Pattern.compile(
            "\\b(error|fail\\w*|unknown|invalid|unable|cannot|can't|could not|couldn't|not|missing|denied|refused|bad"
                    + "|illegal|unsupported|unrecogni[sz]ed|timed out)\\b",
            Pattern.CASE_INSENSITIVE);

    /** The lines of both outputs, errors first, since programs print the cause there. */
    static ToolComplaint of(String out, String err) {
        return new ToolComplaint(
                Stream.of(err, out).flatMap(text -> withoutUsage(text).stream()).toList());
    }

    /**
     * The lines without pages of help. A line that is indented below a page of help belongs to it; so does a later line
     * that has no word of an error.
     */
    private static List<String> withoutUsage(String text) {
        var lines = new ArrayList<String>();
        boolean inUsage = false;
        boolean seen = false;
        for (String raw : text.lines().filter(line -> !line.isBlank()).toList()) {
            String line = raw.strip();
            boolean indented = Character.isWhitespace(raw.charAt(0));
            inUsage = USAGE.matcher(line).matches()
                    || (inUsage && indented)
                    || ((seen || indented) && MORE_USAGE.matcher(line).matches());
            seen |= inUsage;
            if (!inUsage && (!seen || WRONG.matcher(line).find())) {
                lines.add(line);
            }
        }
        return lines;
    }

    Failure failure() {
        return lines.stream()
                .map(ToolComplaint::failure)
                .filter(failure -> failure != Failure.ERROR)
                .findFirst()
                .orElse(Failure.ERROR);
    }

    /** The failure by texts of NVIDIA's tool; any other text is a general error. */
    private static Failure failure(String line) {
        Matcher code = ERROR_CODE.matcher(line);
        if (code.find() && code.group(1).equals(UNAVAILABLE)) {
            return Failure.UNREACHABLE;
        }
        if (NO_FILE.matcher(line).find()) {
            return NODES_FILE.matcher(line).find() ? Failure.NO_NODES_FILE : Failure.NO_CONFIGURATION;
        }
        return Failure.ERROR;
    }

    /** The line with the cause: a known text, or otherwise a line with a word of an error, or otherwise the first. */
    Optional<String> cause() {
        return lines.stream()
                .filter(line -> failure(line) != Failure.ERROR)
                .findFirst()
                .or(() -> lines.stream()
                        .filter(line -> WRONG.matcher(line).find())
                        .findFirst())
                .or(() -> lines.stream().findFirst())
                .map(PrintedState::line);
    }
}
