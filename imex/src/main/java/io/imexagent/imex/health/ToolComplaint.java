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

    /** {@code config.cfg} by its name or in words, a path before it included. */
    private static final String FILE = "['\"(\\w./-]*(?:config\\.cfg\\b|\\bconfig(?:uration)?[ -]file\\b)";

    private static final String ABSENT =
            "(?:not found|does not exist|doesn't exist|no such file|permission denied|(?:is )?missing)";

    /** What is done to the file itself, or what the file is: something else that a file names may be missing, too. */
    private static final Pattern NO_FILE = Pattern.compile(
            "\\b(?:fail\\w*|unable|cannot|can't|could not|couldn't|error)\\b"
                    + ".*\\b(?:open|read|find|load|access|pars)\\w*:?\\s+"
                    + "(?:(?:the|its|from|file|nvidia-imex|nvidia|imex|daemon|default|nodes?)\\s+){0,3}" + FILE
                    + "|" + FILE + "['\")]?:?\\s+(?:\\S*/\\S*\\s+)?(?:was |cannot be opened: )?" + ABSENT + "\\b"
                    + "|\\b" + ABSENT + "(?: or directory)?:?\\s+" + FILE,
            Pattern.CASE_INSENSITIVE);

    private static final Pattern NODES_FILE = Pattern.compile("nodes?[ _-]*config", Pattern.CASE_INSENSITIVE);

    /** Begins a page of help. */
    private static final Pattern USAGE = Pattern.compile(
            "usage\\b.*|(where|options|commands|arguments|flags|examples?)\\s*:?"
                    + "|nvidia-imex-ctl\\s+[\\[<-].*|(try|see|run)\\b.*-(h|-help)\\b.*",
            Pattern.CASE_INSENSITIVE);

    /** Goes on with one: an option, an argument, or a heading. */
    private static final Pattern MORE_USAGE = Pattern.compile("-{1,2}\\w.*|\\[-.*|<.*|[\\w ]+:");

    /** Says that something is wrong; other lines below a page of help explain the program. */
    private static final Pattern WRONG = Pattern.compile(
            "\\b(error|fail\\w*|unknown|invalid|unable|cannot|can't|could not|couldn't|not|missing|denied|refused|bad"
                    + "|illegal|unsupported|unrecogni[sz]ed|timed out)\\b",
            Pattern.CASE_INSENSITIVE);

    /** What stood on its outputs: errors first, as programs tell their causes there. */
    static ToolComplaint of(String out, String err) {
        return new ToolComplaint(
                Stream.of(err, out).flatMap(text -> withoutUsage(text).stream()).toList());
    }

    /**
     * The lines that are no usage: a line that is indented below usage belongs to it, and so does one that says nothing
     * wrong.
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

    /** Texts of NVIDIA's tool; another text of it is an error like any other. */
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

    /**
     * The line that says the cause: one that is understood, one that says that something is wrong, or else the first.
     */
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
