package io.imexagent.agent.cli;

import io.imexagent.agent.config.ConfigFault;
import io.imexagent.agent.config.ConfigLoader;
import io.imexagent.agent.config.ConfigSources;
import io.imexagent.agent.config.LoadResult;
import java.io.PrintStream;
import java.util.List;

/** Gives commands the configuration, and ends those that get a faulty one. */
final class Configured {

    private Configured() {}

    /** Runs under the configuration of these sources; of a faulty one it prints all faults. */
    static ExitCode run(ConfigLoader loader, ConfigSources sources, PrintStream err, Runner runner) throws Exception {
        return switch (loader.load(sources)) {
            case LoadResult.Loaded loaded -> runner.run(loaded.effective(), () -> loader.load(sources));
            case LoadResult.Faulty faulty -> refused(faulty.faults(), err);
        };
    }

    /** Prints all faults. */
    static ExitCode refused(List<ConfigFault> faults, PrintStream err) {
        err.println(
                "imex-agent: the configuration has " + (faults.size() == 1 ? "a fault:" : faults.size() + " faults:"));
        faults.forEach(fault -> err.println("  " + fault.text()));
        return ExitCode.CONFIGURATION;
    }
}
