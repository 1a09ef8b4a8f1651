package io.imexagent.agent.config;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** Reads one YAML document into {@link YamlNode}s. Streaming, since binding would lose the lines and cost start-up time. */
final class YamlReader {

    private static final String PLACE = "in 'reader', line ";
    private static final int EXCERPT_LINES = 2;

    private final YAMLParser parser;

    private YamlReader(YAMLParser parser) {
        this.parser = parser;
    }

    /**
     * The document in the text.
     *
     * @throws BrokenYamlException where the text is no YAML, or more than one document
     */
    static YamlNode read(String text) throws BrokenYamlException {
        try (YAMLParser parser = new YAMLFactory().createParser(text)) {
            var reader = new YamlReader(parser);
            if (parser.nextToken() == null) {
                return new YamlNode.Empty(1);
            }
            YamlNode document = reader.node();
            if (parser.nextToken() != null) {
                throw new BrokenYamlException(reader.line(), "a second document begins; the file must be one document");
            }
            return document;
        } catch (JsonProcessingException broken) {
            throw broken(broken);
        } catch (IOException impossible) {
            throw new IllegalStateException("a string cannot fail to be read", impossible);
        }
    }

    private YamlNode node() throws IOException, BrokenYamlException {
        int line = line();
        if (parser.isCurrentAlias()) {
            return new YamlNode.Alias(line);
        }
        return switch (parser.currentToken()) {
            case START_OBJECT -> mapping(line);
            case START_ARRAY -> sequence(line);
            case VALUE_NULL -> new YamlNode.Empty(line);
            case VALUE_STRING, VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT, VALUE_TRUE, VALUE_FALSE ->
                new YamlNode.Scalar(parser.getText(), line);
            case VALUE_EMBEDDED_OBJECT -> throw new BrokenYamlException(line, "binary values have no meaning here");
            case END_OBJECT, END_ARRAY, FIELD_NAME, NOT_AVAILABLE ->
                throw new IllegalStateException("no value begins with " + parser.currentToken());
        };
    }

    private YamlNode mapping(int line) throws IOException, BrokenYamlException {
        List<YamlNode.Member> members = new ArrayList<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            int keyLine = line();
            parser.nextToken();
            members.add(new YamlNode.Member(key, keyLine, node()));
        }
        return new YamlNode.Mapping(members, line);
    }

    private YamlNode sequence(int line) throws IOException, BrokenYamlException {
        Optional<List<String>> entries = Optional.of(new ArrayList<>());
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            entries = node() instanceof YamlNode.Scalar scalar
                    ? entries.map(list -> with(list, scalar.text()))
                    : Optional.empty();
        }
        return new YamlNode.Sequence(entries, line);
    }

    private static List<String> with(List<String> list, String entry) {
        list.add(entry);
        return list;
    }

    private int line() {
        return Math.max(1, parser.currentTokenLocation().getLineNr());
    }

    /**
     * The parser's message in one line, with the last place that it names. It gives each place as {@code in 'reader', line
     * 2, column 1:}, followed by an excerpt and a caret, which are left out here.
     */
    private static BrokenYamlException broken(JsonProcessingException broken) {
        List<String> words = new ArrayList<>();
        int line = Optional.ofNullable(broken.getLocation())
                .map(JsonLocation::getLineNr)
                .orElse(1);
        Iterator<String> lines = broken.getOriginalMessage().lines().iterator();
        while (lines.hasNext()) {
            String text = lines.next().strip();
            if (text.startsWith(PLACE)) {
                line = numberAt(text, PLACE.length());
                skip(lines, EXCERPT_LINES);
            } else if (!text.isEmpty()) {
                words.add(text);
            }
        }
        return new BrokenYamlException(Math.max(1, line), String.join(", ", words));
    }

    private static void skip(Iterator<String> lines, int count) {
        for (int i = 0; i < count && lines.hasNext(); i++) {
            lines.next();
        }
    }

    private static int numberAt(String text, int from) {
        int number = 0;
        for (int i = from; i < text.length() && Character.isDigit(text.charAt(i)); i++) {
            number = number * 10 + Character.digit(text.charAt(i), 10);
        }
        return number;
    }

    /** The text is not one YAML document. */
    static final class BrokenYamlException extends Exception {

        private static final long serialVersionUID = 1L;

        private final int line;

        BrokenYamlException(int line, String message) {
            super(message);
            this.line = line;
        }

        int line() {
            return line;
        }
    }
}
