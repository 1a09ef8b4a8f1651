package io.imexagent.e2e.demo;

import java.io.PrintStream;
import java.util.Locale;

/** Tells a story in numbered steps, in colours where they are wanted. */
final class Narrator {

    private static final String BOLD = "\u001b[1m";
    private static final String DIM = "\u001b[2m";
    private static final String GREEN = "\u001b[32m";
    private static final String RED = "\u001b[31m";
    private static final String PLAIN = "\u001b[0m";
    private static final String INDENT = "     ";

    private final PrintStream out;
    private final boolean colours;
    private final long start = System.nanoTime();
    private int steps;

    Narrator(PrintStream out, boolean colours) {
        this.out = out;
        this.colours = colours;
    }

    void title(String text) {
        out.println(in(BOLD, text));
    }

    /** Begins the next step. */
    void step(String headline) {
        steps++;
        out.println("\n" + in(BOLD, String.format(Locale.ROOT, "%2d  ", steps) + headline));
    }

    /** More of the present step. */
    void say(String line) {
        out.println(INDENT + line);
    }

    /** Something that came out as it had to. */
    void proved(String line) {
        out.println(INDENT + in(GREEN, "ok ") + line);
    }

    /** Text from somewhere else. */
    void quote(String text) {
        text.stripTrailing().lines().forEach(line -> out.println(INDENT + in(DIM, "| ") + line));
    }

    /** How the story ends well. */
    void end(String text) {
        double seconds = (System.nanoTime() - start) / 1e9;
        out.println("\n" + in(GREEN, text) + String.format(Locale.ROOT, " (%.1f s)", seconds));
    }

    /** How it ends otherwise. */
    void failure(Exception reason) {
        out.println("\n" + in(RED, "The demo failed at step " + steps + ": ") + reason.getMessage());
    }

    private String in(String colour, String text) {
        return colours ? colour + text + PLAIN : text;
    }
}
