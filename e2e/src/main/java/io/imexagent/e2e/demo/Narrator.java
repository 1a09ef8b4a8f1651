package io.imexagent.e2e.demo;

import java.io.PrintStream;
import java.util.Locale;
import picocli.CommandLine.Help.Ansi;

/** Tells a story in numbered steps, in colours where they are wanted. */
final class Narrator {

    private static final String INDENT = "     ";

    private final PrintStream out;
    private final Ansi ansi;
    private final long start = System.nanoTime();
    private int steps;

    Narrator(PrintStream out, boolean colours) {
        this.out = out;
        this.ansi = colours ? Ansi.ON : Ansi.OFF;
    }

    void title(String text) {
        out.println(in("bold", text));
    }

    void step(String headline) {
        steps++;
        out.println("\n" + in("bold", String.format(Locale.ROOT, "%2d  ", steps) + headline));
    }

    /** More of the present step. */
    void say(String line) {
        out.println(INDENT + line);
    }

    /** Something that came out as it had to. */
    void proved(String line) {
        out.println(INDENT + in("green", "ok ") + line);
    }

    /** Text from somewhere else. */
    void quote(String text) {
        text.stripTrailing().lines().forEach(line -> out.println(INDENT + in("faint", "| ") + line));
    }

    void end(String text) {
        double seconds = (System.nanoTime() - start) / 1e9;
        out.println("\n" + in("green", text) + String.format(Locale.ROOT, " (%.1f s)", seconds));
    }

    void failure(Exception reason) {
        out.println("\n" + in("red", "The demo failed at step " + steps + ": ") + reason.getMessage());
    }

    private String in(String style, String text) {
        return ansi.string("@|" + style + " " + text + "|@");
    }
}
