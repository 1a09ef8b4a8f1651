package io.imexagent.e2e.demo;

import java.util.List;

/**
 * The flags of the demo.
 *
 * @param keep whether the scratch directory stays
 * @param verbose whether the agent's log is shown as it comes
 * @param container whether a container is started where that is possible
 * @param color whether the story comes in colours
 */
record DemoOptions(boolean keep, boolean verbose, boolean container, boolean color) {

    static final String USAGE = """
            flags:
              --keep           leave the scratch directory there
              --verbose        show the agent's log as it comes
              --no-container   start no container, also where podman is at hand
              --color          tell it in colours""";

    private static final String KEEP = "--keep";
    private static final String VERBOSE = "--verbose";
    private static final String NO_CONTAINER = "--no-container";
    private static final String COLOR = "--color";

    /** Reads the flags; {@link IllegalArgumentException} for one that is not known. */
    static DemoOptions parse(List<String> arguments) {
        for (String argument : arguments) {
            if (!List.of(KEEP, VERBOSE, NO_CONTAINER, COLOR).contains(argument)) {
                throw new IllegalArgumentException("unknown flag " + argument);
            }
        }
        return new DemoOptions(
                arguments.contains(KEEP),
                arguments.contains(VERBOSE),
                !arguments.contains(NO_CONTAINER),
                arguments.contains(COLOR));
    }
}
