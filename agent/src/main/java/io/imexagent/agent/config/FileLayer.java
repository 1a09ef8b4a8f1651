package io.imexagent.agent.config;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.imexagent.core.claim.Quoted;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The configuration file, one YAML document. It is read as a stream, since data binding would lose the line numbers;
 * values nested deeper than sections are skipped.
 */
record FileLayer(Path file, YAMLParser parser, ConfigDraft draft) {

    /** A position in the parser's message, with an excerpt of two lines. */
    private static final String PLACE = " *in 'reader', line ([0-9]{1,9}).*(\\n.*){0,2}";

    private static final String NO_KEY = "Expected a field name";

    /** Reads the file's text, the first source; for a text that is not YAML the draft gets only that fault. */
    static void read(Path file, String text, ConfigDraft draft) {
        try (YAMLParser parser = new YAMLFactory().createParser(text)) {
            new FileLayer(file, parser, draft).document();
        } catch (JsonProcessingException broken) {
            draft.clear();
            draft.add(noYaml(file, broken));
        } catch (IOException impossible) {
            throw new IllegalStateException("a string cannot fail to be read", impossible);
        }
    }

    private void document() throws IOException {
        JsonToken first = parser.nextToken();
        if (first == null) {
            return;
        }
        if (first == JsonToken.START_OBJECT) {
            section("");
        } else if (first != JsonToken.VALUE_NULL) {
            draft.add(ConfigFault.in(at(line()), "the file must hold sections, such as " + ConfigKeys.children("")));
            parser.skipChildren();
        }
        if (parser.nextToken() != null) {
            throw new JsonParseException(
                    parser, "a second document begins; the file must be one document", parser.currentTokenLocation());
        }
    }

    private void section(String section) throws IOException {
        Map<String, Integer> seen = new HashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            String path = ConfigKeys.join(section, name);
            int line = line();
            Integer first = seen.putIfAbsent(name, line);
            parser.nextToken();
            if (first == null) {
                member(section, name, path, line);
            } else {
                fault(line, path, "stands here a second time; the first is in line " + first);
                parser.skipChildren();
            }
        }
    }

    private void member(String section, String name, String path, int line) throws IOException {
        boolean nested = !name.contains(".");
        Optional<ConfigKey> key = nested ? ConfigKeys.find(path) : Optional.empty();
        Optional<PublicName> publicName = nested ? PublicName.at(path) : Optional.empty();
        if (key.isPresent()) {
            value(key.get(), line);
        } else if (publicName.isPresent()) {
            value(publicName.get(), path, line);
        } else if (nested && (ConfigKeys.isSection(path) || PublicName.isSection(path))) {
            subsection(path, line);
        } else {
            fault(line, shown(path), "unknown key; " + known(section, name));
            parser.skipChildren();
        }
    }

    /** A suggestion for an unknown name in a section. */
    private static String known(String section, String name) {
        return PublicName.isSection(section) ? PublicName.KNOWN : ConfigKeys.suggestion(section, name);
    }

    private void value(PublicName name, String path, int line) throws IOException {
        if (isText()) {
            draft.set(name, path, parser.getText(), at(line));
        } else {
            fault(line, path, found() + "; expected " + name.expected());
            parser.skipChildren();
        }
    }

    private void subsection(String path, int line) throws IOException {
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            section(path);
        } else if (parser.currentToken() != JsonToken.VALUE_NULL || parser.isCurrentAlias()) {
            String content = ConfigKeys.isSection(path) ? ConfigKeys.children(path) : PublicName.KNOWN;
            fault(line, path, found() + "; it must be a section with " + content);
            parser.skipChildren();
        }
    }

    private void value(ConfigKey key, int line) throws IOException {
        Optional<String> separator = key.separator();
        if (parser.currentToken() == JsonToken.START_ARRAY && separator.isPresent()) {
            list(key, line, separator.get());
        } else if (isText()) {
            draft.set(key, parser.getText(), at(line));
        } else {
            noValue(key, line, found());
            parser.skipChildren();
        }
    }

    /** Reads a list as a text of its entries with the separator between them. */
    private void list(ConfigKey key, int line, String separator) throws IOException {
        List<String> entries = new ArrayList<>();
        boolean texts = true;
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (isText()) {
                entries.add(parser.getText());
            } else {
                texts = false;
                parser.skipChildren();
            }
        }
        if (!texts) {
            noValue(key, line, "is a list with something else than texts in it");
        } else if (entries.stream().anyMatch(entry -> entry.isBlank() || entry.contains(separator))) {
            noValue(key, line, "has an entry that is empty or holds the separator " + separator);
        } else {
            draft.set(key, String.join(separator, entries), at(line));
        }
    }

    private boolean isText() throws IOException {
        JsonToken token = parser.currentToken();
        return token.isScalarValue()
                && token != JsonToken.VALUE_NULL
                && token != JsonToken.VALUE_EMBEDDED_OBJECT
                && !parser.isCurrentAlias();
    }

    private String found() throws IOException {
        return switch (parser.currentToken()) {
            case VALUE_NULL -> "has no value";
            case START_OBJECT -> "is a section";
            case START_ARRAY -> "is a list";
            case VALUE_EMBEDDED_OBJECT -> "is binary";
            default -> parser.isCurrentAlias() ? "is an alias" : "is " + Quoted.of(parser.getText());
        };
    }

    private void noValue(ConfigKey key, int line, String found) {
        fault(line, key.path(), found + "; expected " + key.expected());
    }

    private void fault(int line, String key, String message) {
        draft.add(ConfigFault.at(at(line), key, message));
    }

    private int line() {
        return Math.max(1, parser.currentTokenLocation().getLineNr());
    }

    private Origin at(int line) {
        return new Origin.FromFile(file, line);
    }

    /** The path, made safe for a message. */
    private static String shown(String path) {
        boolean plain = path.chars().allMatch(c -> c > ' ' && c < 127) && path.length() <= 80;
        return plain ? path : Quoted.of(path);
    }

    /** The parser's message as one line, without positions and excerpts; the fault has the last line number. */
    private static ConfigFault noYaml(Path file, JsonProcessingException broken) {
        // The library's message would show an internal object.
        String message = broken.getOriginalMessage().startsWith(NO_KEY)
                ? "a list or a section stands where a key must be"
                : broken.getOriginalMessage();
        Matcher places = Pattern.compile(PLACE).matcher(message);
        int line = places.results()
                .map(place -> Integer.parseInt(place.group(1)))
                .reduce((first, last) -> last)
                .or(() -> Optional.ofNullable(broken.getLocation()).map(JsonLocation::getLineNr))
                .orElse(1);
        String words = places.replaceAll("")
                .lines()
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining(", "));
        return ConfigFault.in(new Origin.FromFile(file, Math.max(1, line)), "is not YAML: " + words);
    }
}
