package io.imexagent.kubernetes.clique;

import java.util.Arrays;
import java.util.Locale;

/** The depth of the fabric test. Each level includes the steps of the levels before; reports name the level. */
public enum FabricLevel {
    /** Exports and imports memory: this tests the channel, and between nodes nvidia-imex of both. */
    IMPORT("imported"),
    /**
     * Also reserves and maps memory and sets access, which checks clique and bandwidth mode. It needs no context, so
     * running workloads are not disturbed.
     */
    MAP("imported and mapped"),
    /**
     * Also creates a context, in which one side writes a number and the other reads it. This needs a suitable compute
     * mode and free GPUs.
     */
    DATA("imported, mapped and read");

    private final String done;

    FabricLevel(String done) {
        this.done = done;
    }

    /** The steps of this level, as participles. */
    public String done() {
        return done;
    }

    /** The level in options and documents: {@code map}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Parses the word of a level; throws {@link IllegalArgumentException} for any other word. */
    public static FabricLevel of(String word) {
        return Arrays.stream(values())
                .filter(level -> level.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no level is called \"" + word + "\""));
    }

    /** Whether this level includes the steps of the other. */
    public boolean includes(FabricLevel other) {
        return compareTo(other) >= 0;
    }
}
