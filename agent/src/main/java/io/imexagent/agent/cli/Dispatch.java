package io.imexagent.agent.cli;

import io.imexagent.agent.config.ConfigLoader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Understands a command line by picocli and runs its command. Apart from {@link CommandLineTool}, which a daemon loads. */
final class Dispatch {

    private final Collaborators collaborators;
    private final ConfigLoader loader;
    private final Environment surroundings;

    Dispatch(Collaborators collaborators, ConfigLoader loader, Environment surroundings) {
        this.collaborators = collaborators;
        this.loader = loader;
        this.surroundings = surroundings;
    }

    /** Runs the command that the arguments name, or tells what is wrong with them. */
    ExitCode execute(String... arguments) throws Exception {
        CommandLine root = new CommandTree(collaborators, loader).commandLine();
        try {
            List<ParseResult> chain = chain(root.parseArgs(arguments));
            ParseResult leaf = chain.getFirst();
            var invocation = new Invocation(chain, surroundings);
            if (chain.stream().anyMatch(ParseResult::isUsageHelpRequested)) {
                leaf.commandSpec().commandLine().usage(surroundings.out(), ansi(invocation));
                return ExitCode.OK;
            }
            if (chain.getLast().isVersionHelpRequested()) {
                root.printVersionHelp(surroundings.out(), ansi(invocation));
                return ExitCode.OK;
            }
            return leaf.commandSpec().userObject() instanceof Command command
                    ? command.action().run(invocation)
                    : noCommand(leaf);
        } catch (ParameterException wrong) {
            return wrong(wrong);
        }
    }

    /** The commands from the innermost to the outermost. */
    private static List<ParseResult> chain(ParseResult root) {
        List<ParseResult> chain = new ArrayList<>();
        for (ParseResult result = root; result != null; result = result.subcommand()) {
            chain.addFirst(result);
        }
        return chain;
    }

    private ExitCode noCommand(ParseResult leaf) {
        surroundings.err().println(CommandLineTool.NAME + ": a command is missing");
        leaf.commandSpec().commandLine().usage(surroundings.err(), CommandLine.Help.Ansi.OFF);
        return ExitCode.USAGE;
    }

    private ExitCode wrong(ParameterException wrong) {
        surroundings.err().println(CommandLineTool.NAME + ": " + wrong.getMessage());
        CommandLine.UnmatchedArgumentException.printSuggestions(
                wrong, new PrintWriter(surroundings.err(), true, StandardCharsets.UTF_8));
        surroundings
                .err()
                .println("See '" + wrong.getCommandLine().getCommandSpec().qualifiedName() + " --help'.");
        return ExitCode.USAGE;
    }

    private static CommandLine.Help.Ansi ansi(Invocation invocation) {
        return invocation.colours() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF;
    }
}
