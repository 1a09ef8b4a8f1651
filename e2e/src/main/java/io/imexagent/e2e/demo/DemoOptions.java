package io.imexagent.e2e.demo;

import picocli.CommandLine.Option;

public final class DemoOptions {

    @Option(names = "--keep", description = "Leave the scratch directory there.")
    boolean keep;

    @Option(names = "--verbose", description = "Show the agent's log as it comes.")
    boolean verbose;

    @Option(names = "--no-container", description = "Start no container, also where podman is at hand.")
    boolean noContainer;

    @Option(names = "--color", description = "Tell it in colours.")
    boolean color;
}
