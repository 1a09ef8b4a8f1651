package io.imexagent.agent.cli;

import java.util.Set;

/** {@code imex-agent run}. */
final class RunCommand {

    static final String NAME = "run";
    static final String FORCE = "--force";

    /** The switches of the short way. */
    static final Set<String> SWITCHES = Set.of(FORCE);

    private RunCommand() {}

    /** The command on the long way. */
    static Command of(Configured configured, Runner runner) {
        var spec = Command.described(NAME, "Run the agent until SIGTERM; SIGHUP loads the configuration again.")
                .addOption(GlobalOptions.toggle(
                        "Start although claims are prepared under another mode or isolation; what that"
                                + " overrules is logged.",
                        FORCE));
        return Command.running(spec, configured, invocation -> invocation.has(FORCE) ? runner.forced() : runner);
    }
}
