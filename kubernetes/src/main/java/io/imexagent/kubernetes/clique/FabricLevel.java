package io.imexagent.kubernetes.clique;

import java.util.Arrays;
import java.util.Locale;

/** How far an import is taken. Each level does what the one before does; what is reported names the level. */
public enum FabricLevel {
    /** Export and import: the channel, and from another node nvidia-imex of both. */
    IMPORT("imported"),
    /** And reserve, map and set access, which checks clique and bandwidth mode; no context, so nothing that runs is touched. */
    MAP("imported and mapped"),
    /** And a context, in which one side writes a number and the other reads it. Takes compute mode and free GPUs. */
    DATA("imported, mapped and read");

    private final String done;

    FabricLevel(String done) {
        this.done = done;
    }

    /** What was done with memory at this level, as a participle. */
    public String done() {
        return done;
    }

    /** The level in options and documents: {@code map}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The level of this word; throws {@link IllegalArgumentException} for any other. */
    public static FabricLevel of(String word) {
        return Arrays.stream(values())
                .filter(level -> level.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no level is called \"" + word + "\""));
    }

    /** Whether the level takes in what this one adds. */
    public boolean includes(FabricLevel other) {
        return compareTo(other) >= 0;
    }
}
