package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKey;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.config.Origin;
import io.imexagent.agent.config.SectionedText;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Cell.Style;
import io.imexagent.core.text.Screen;
import io.imexagent.core.text.Table;

/** The command {@code imex-agent config}. */
record ConfigCommands(Collaborators collaborators) {

    Command show() {
        var spec = Command.printing(
                "show",
                "Print the effective values and where each came from.",
                "With -o yaml as a configuration file, the origins as comments.");
        return Command.configured(spec, (invocation, config) -> {
            invocation.print(
                    collaborators.process().clock().instant(),
                    screen -> table(config, screen),
                    () -> document(config),
                    () -> SectionedText.of(config));
            return ExitCode.OK;
        });
    }

    Command validate() {
        var spec = Command.described(
                "validate",
                "Print all faults of the configuration.",
                "Ends with " + ExitCode.CONFIGURATION.number() + " where there is one.");
        return Command.configured(spec, (invocation, config) -> {
            config.notes().forEach(note -> invocation.out().println("note: " + note));
            invocation
                    .out()
                    .println(config.file()
                            .map(file -> "the configuration is valid: " + file)
                            .orElse("the configuration is valid; there is no file"));
            return ExitCode.OK;
        });
    }

    private static String table(AgentConfig config, Screen screen) {
        Table table = Table.of("KEY", "VALUE", "ORIGIN");
        for (ConfigKey key : ConfigKeys.ALL) {
            Origin origin = config.values().origin(key);
            Style style = switch (origin) {
                case Origin.Default _, Origin.FoundOnHost _ -> Style.FAINT;
                case Origin.FromFile _, Origin.FromEnvironment _, Origin.FromFlag _, Origin.FromPublicDriver _ ->
                    Style.PLAIN;
                case Origin.ForcedByKey _ -> Style.WARNING;
            };
            table.row(
                    Cell.of(key.path()),
                    key.textIn(config).map(Cell::of).orElseGet(() -> new Cell("(not set)", Style.FAINT)),
                    new Cell(origin.text(), style));
        }
        return table.text(screen);
    }

    private static ObjectNode document(AgentConfig config) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        var values = document.putArray("values");
        for (ConfigKey key : ConfigKeys.ALL) {
            ObjectNode entry = values.addObject().put("key", key.path());
            key.textIn(config).ifPresent(text -> entry.put("value", text));
            entry.put("origin", config.values().origin(key).text());
        }
        return document;
    }
}
