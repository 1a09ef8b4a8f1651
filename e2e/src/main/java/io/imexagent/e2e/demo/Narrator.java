package io.imexagent.e2e.demo;

import java.io.PrintStream;
import java.util.Locale;
import java.util.function.LongSupplier;

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
    private final LongSupplier nanoTime;
    private final long start;
    private int steps;

    Narrator(PrintStream out, boolean colours, LongSupplier nanoTime) {
        this.out = out;
        this.colours = colours;
        this.nanoTime = nanoTime;
        this.start = nanoTime.getAsLong();
    }

    /** What the story is. */
    void title(String text) {
        out.println(in(BOLD, text));
    }

    /** Something that happens next. */
    void step(String headline) {
        steps++;
        out.println();
        out.println(in(BOLD, String.format(Locale.ROOT, "%2d  ", steps) + headline));
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
        long seconds = nanoTime.getAsLong() - start;
        out.println();
        out.println(in(GREEN, text) + String.format(Locale.ROOT, " (%.1f s)", seconds / 1e9));
    }

    /** How it ends otherwise. */
    void failure(String text) {
        out.println();
        out.println(in(RED, "The demo failed at step " + steps + ": ") + text);
    }

    private String in(String colour, String text) {
        return colours ? colour + text + PLAIN : text;
    }
}
