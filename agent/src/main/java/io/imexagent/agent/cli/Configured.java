package io.imexagent.agent.cli;

import io.imexagent.agent.config.ConfigFault;
import io.imexagent.agent.config.ConfigLoader;
import io.imexagent.agent.config.ConfigSources;
import io.imexagent.agent.config.EffectiveConfig;
import io.imexagent.agent.config.LoadResult;
import java.io.PrintStream;
import java.util.List;
import java.util.function.Supplier;

/** Gives commands the configuration, and ends those that are given a faulty one. */
final class Configured {

    private final ConfigLoader loader;

    Configured(ConfigLoader loader) {
        this.loader = loader;
    }

    /** Loads the configuration that the sources lead to and hands it to the action; tells all faults of a faulty one. */
    ExitCode with(ConfigSources sources, PrintStream err, Action action) throws Exception {
        return switch (loader.load(sources)) {
            case LoadResult.Loaded loaded -> action.run(loaded.effective(), () -> loader.load(sources));
            case LoadResult.Faulty faulty -> refused(faulty.faults(), err);
        };
    }

    /** Tells all faults. */
    static ExitCode refused(List<ConfigFault> faults, PrintStream err) {
        err.println(
                "imex-agent: the configuration has " + (faults.size() == 1 ? "a fault:" : faults.size() + " faults:"));
        faults.forEach(fault -> err.println("  " + fault.text()));
        return ExitCode.CONFIGURATION;
    }

    /** What is done with the configuration. */
    @FunctionalInterface
    interface Action {
        ExitCode run(EffectiveConfig effective, Supplier<LoadResult> reload) throws Exception;
    }
}
