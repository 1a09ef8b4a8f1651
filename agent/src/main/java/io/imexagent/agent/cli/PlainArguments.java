package io.imexagent.agent.cli;

import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.config.ConfigSources;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The arguments of a command in their plain form: the daemon and the gate start without the full command line, whose
 * classes cost them 140 ms (docs/performance.md). Help, mistakes and all else are left to that.
 */
record PlainArguments(ConfigSources sources, Set<String> switches) {

    PlainArguments {
        switches = Set.copyOf(switches);
    }

    /** The arguments, where they are the command, its switches, and plain {@code --flag value} or {@code --flag=value}. */
    static Optional<PlainArguments> parse(String command, Set<String> known, List<String> arguments) {
        if (arguments.isEmpty() || !arguments.getFirst().equals(command)) {
            return Optional.empty();
        }
        List<String> flags = ConfigKeys.flags();
        Map<String, List<String>> values = new HashMap<>();
        Set<String> switches = new HashSet<>();
        for (Iterator<String> words = arguments.listIterator(1); words.hasNext(); ) {
            String word = words.next();
            if (known.contains(word)) {
                if (!switches.add(word)) {
                    return Optional.empty();
                }
                continue;
            }
            int equals = word.indexOf('=');
            String name = equals < 0 ? word : word.substring(0, equals);
            if (!(flags.contains(name) || name.equals(GlobalOptions.CONFIG)) || (equals < 0 && !words.hasNext())) {
                return Optional.empty();
            }
            String value = equals < 0 ? words.next() : word.substring(equals + 1);
            List<String> given = values.computeIfAbsent(name, first -> new ArrayList<>());
            boolean again = !given.isEmpty() && !name.equals(ConfigKeys.SET_FLAG);
            // What begins with a hyphen, a parser could take for an option.
            if (again || value.isEmpty() || value.charAt(0) == '-') {
                return Optional.empty();
            }
            given.add(value);
        }
        Optional<Path> file =
                Optional.ofNullable(values.remove(GlobalOptions.CONFIG)).map(given -> Path.of(given.getFirst()));
        return Optional.of(new PlainArguments(new ConfigSources(file, values), switches));
    }

    boolean has(String name) {
        return switches.contains(name);
    }
}
