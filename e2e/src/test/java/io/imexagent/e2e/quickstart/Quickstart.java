package io.imexagent.e2e.quickstart;

import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The commands of docs/quickstart.md in their order, with what the page shows of their output. The second word after the
 * fence of a block says where its commands run. A line after a prompt begins a command; it goes on after a backslash, and
 * to the end of a here-document. The lines up to the next prompt are its output, of which {@code …} is any text: at the end
 * or within a line up to its end, and as a line of its own any lines. Blanks count as one.
 */
public final class Quickstart {

    /** The page. */
    public static final Path PAGE = Checkout.find().root().resolve("docs/quickstart.md");

    /** A block of code: the words after its fence, and its lines. */
    private static final Pattern BLOCK = Pattern.compile("^```(.*)\\n((?s:.*?))^```$", Pattern.MULTILINE);

    private static final Pattern PROMPT = Pattern.compile("[#$] (.*)");
    private static final Pattern HERE = Pattern.compile(".*<<(\\w+)");
    private static final String ANY = "…";

    private Quickstart() {}

    /** Where the commands of a block run. */
    public enum Place {
        /** A checkout of the project, as any user with a compiler. */
        CHECKOUT,
        /** A node that is a control-plane host too, as root, in the folder of a release. */
        HOST
    }

    /**
     * A command.
     *
     * @param place where it runs
     * @param command its lines, as a shell reads them
     * @param shown the lines that the page shows of its output; none where it shows nothing
     */
    public record Step(Place place, String command, List<String> shown) {

        /** Whether an output is as the page shows it; where it shows nothing, any output is. */
        public boolean isShownBy(String output) {
            return shown.isEmpty() || expected().matcher(plain(output)).matches();
        }

        private Pattern expected() {
            return Pattern.compile(shown.stream()
                    .map(line -> line.strip().equals(ANY) ? "(?:.*\\n)*?" : pattern(line) + "\\n")
                    .collect(Collectors.joining()));
        }

        private static String pattern(String line) {
            return Stream.of(plain(line).strip().split(ANY, -1))
                    .map(Pattern::quote)
                    .collect(Collectors.joining(".*"));
        }

        private static String plain(String text) {
            return text.lines()
                    .map(line -> line.replaceAll("\\h+", " ").strip() + "\n")
                    .collect(Collectors.joining());
        }
    }

    /** The commands of the page that run at a place. */
    public static List<Step> steps(Place place) throws IOException {
        return steps(Files.readString(PAGE)).stream()
                .filter(step -> step.place() == place)
                .toList();
    }

    /** The commands of a page. */
    static List<Step> steps(String page) {
        return blocks(page).flatMap(block -> steps(block).stream()).toList();
    }

    /** The blocks of a page, each with the words after its fence, and with its lines. */
    static Stream<MatchResult> blocks(String page) {
        return BLOCK.matcher(page).results();
    }

    /** A page without its blocks. */
    static String prose(String page) {
        return BLOCK.matcher(page).replaceAll("");
    }

    private static List<Step> steps(MatchResult block) {
        String[] words = block.group(1).split(" ", -1);
        List<Step> steps = new ArrayList<>();
        if (!words[0].equals("console")) {
            return steps;
        }
        Place place = Place.valueOf(words[1].toUpperCase(Locale.ROOT));
        List<String> lines = block.group(2).lines().toList();
        int next = 0;
        while (next < lines.size()) {
            var prompt = PROMPT.matcher(lines.get(next));
            if (!prompt.matches()) {
                throw new IllegalArgumentException("no prompt before: " + lines.get(next));
            }
            int end = next + commandLines(lines.subList(next, lines.size()));
            String command = prompt.group(1)
                    + lines.subList(next + 1, end).stream()
                            .map(line -> "\n" + line)
                            .collect(Collectors.joining());
            List<String> shown = lines.subList(end, lines.size()).stream()
                    .takeWhile(line -> !PROMPT.matcher(line).matches())
                    .toList();
            steps.add(new Step(place, command, shown));
            next = end + shown.size();
        }
        return steps;
    }

    /** How many of these lines are of the command that begins with the first one. */
    private static int commandLines(List<String> lines) {
        var here = HERE.matcher(lines.getFirst());
        if (here.matches()) {
            int end = lines.indexOf(here.group(1));
            if (end < 0) {
                throw new IllegalArgumentException("no end of the text after: " + lines.getFirst());
            }
            return end + 1;
        }
        int count = 1;
        while (lines.get(count - 1).endsWith("\\")) {
            count++;
        }
        return count;
    }
}
