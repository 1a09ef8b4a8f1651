package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which fields of an object are wanted. Reading goes once over the object's text and takes them out; the rest is skipped,
 * as deep and as long as it may be, without recursion and without a copy.
 *
 * <p>A field is named by its path, {@code spec.pool.name}. {@code []} stands for each element of an array, {@code *} for
 * each field of an object, and a last {@code !} asks for an object as the server wrote it. A path that ends at an object
 * or an array asks how many fields or elements it has.
 */
final class WantedFields {

    /** As long as all annotations of an object together; no text that is wanted may be longer. */
    private static final int LONGEST_TEXT = 256 << 10;

    /** Twice what the limits of {@code resource.k8s.io/v1} let a claim's status be, opaque parameters included. */
    private static final int LONGEST_RAW = 2 << 20;

    private static final int LONGEST_NUMBER = 20;

    /** A level costs some 60 bytes while it is open. An API server takes 10,000 levels. */
    private static final int DEEPEST = 150_000;

    /** What is skipped may be as long as the text, which is bounded. Names are not kept beyond their object. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEEPEST)
                    .maxNameLength(JsonScanner.LONGEST_OBJECT)
                    .maxNumberLength(JsonScanner.LONGEST_OBJECT)
                    .maxStringLength(JsonScanner.LONGEST_OBJECT)
                    .build())
            .build();

    private static final List<String> METADATA = List.of(
            "metadata.uid",
            "metadata.namespace",
            "metadata.name",
            "metadata.resourceVersion",
            "metadata.deletionTimestamp",
            "metadata.finalizers[]",
            "metadata.labels.*");

    private static final String EACH = "*";
    private static final String RAW = "!";

    private final Map<String, WantedFields> children = new HashMap<>();

    private WantedFields() {}

    /** These fields. */
    static WantedFields of(String... paths) {
        var root = new WantedFields();
        for (String path : paths) {
            WantedFields at = root;
            for (String step :
                    path.replace("[]", "." + EACH).replace(RAW, "." + RAW).split("\\.", -1)) {
                at = at.children.computeIfAbsent(step, none -> new WantedFields());
            }
        }
        return root;
    }

    /** These fields, and what is wanted of every object's metadata. */
    static WantedFields ofObject(String... paths) {
        return of(Stream.concat(METADATA.stream(), Stream.of(paths)).toArray(String[]::new));
    }

    /**
     * Reads the fields of an object.
     *
     * @param text the object, or one with the object in it
     * @param inside the field that holds the object; empty where the text is the object
     * @throws IOException where it is no JSON object, or a text in it is too long
     */
    Fields read(String text, String inside) throws IOException {
        return read(text, inside, false);
    }

    /** Reads the fields of an object until all of them were there; what comes after is not looked at. */
    Fields readHead(String text, String inside) throws IOException {
        return read(text, inside, true);
    }

    private Fields read(String text, String inside, boolean headOnly) throws IOException {
        try (JsonParser parser = JSON.createParser(text)) {
            parser.nextToken();
            boolean found = inside.isEmpty();
            while (!found && parser.nextToken() == JsonToken.FIELD_NAME) {
                found = parser.currentName().equals(inside);
                parser.nextToken();
                if (!found) {
                    parser.skipChildren();
                }
            }
            if (!found || parser.currentToken() != JsonToken.START_OBJECT) {
                throw new UnreadableException("no JSON object");
            }
            var fields = new Fields("");
            new Walk(parser, text).object(this, "", fields, headOnly);
            return fields;
        }
    }

    private @Nullable WantedFields child(String name) {
        WantedFields own = children.get(name);
        return own == null ? children.get(EACH) : own;
    }

    /** One way over a text. It descends into what is wanted only, no deeper than the longest path. */
    private record Walk(JsonParser parser, String text) {

        private void value(WantedFields wanted, String path, Fields into) throws IOException {
            switch (parser.currentToken()) {
                case START_OBJECT -> {
                    if (wanted.children.containsKey(RAW)) {
                        into.put(path, raw(path));
                    } else {
                        object(wanted, path, into, false);
                    }
                }
                case START_ARRAY -> array(wanted, path, into);
                case VALUE_STRING -> {
                    if (parser.getTextLength() > LONGEST_TEXT) {
                        throw new UnreadableException(path + " is longer than " + LONGEST_TEXT + " characters");
                    }
                    into.put(path, parser.getText());
                }
                case VALUE_NUMBER_INT -> {
                    if (parser.getTextLength() <= LONGEST_NUMBER
                            && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
                        into.put(path, parser.getLongValue());
                    }
                }
                case VALUE_TRUE, VALUE_FALSE -> into.put(path, parser.getBooleanValue());
                default -> {}
            }
        }

        private void object(WantedFields wanted, String path, Fields into, boolean headOnly) throws IOException {
            List<Fields> each = new ArrayList<>();
            int count = 0;
            int wantedOnes = wanted.children.size();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                count++;
                WantedFields child = wanted.child(name);
                if (child == null) {
                    parser.skipChildren();
                } else if (wanted.children.containsKey(name)) {
                    value(child, path.isEmpty() ? name : path + "." + name, into);
                    if (--wantedOnes == 0 && headOnly) {
                        return;
                    }
                } else {
                    each.add(each(child, name));
                }
            }
            into.put(path, new Fields.Many(each, count));
        }

        private void array(WantedFields wanted, String path, Fields into) throws IOException {
            WantedFields child = wanted.children.get(EACH);
            List<Fields> each = new ArrayList<>();
            int count = 0;
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                count++;
                if (child == null) {
                    parser.skipChildren();
                } else {
                    each.add(each(child, ""));
                }
            }
            into.put(path, new Fields.Many(each, count));
        }

        private Fields each(WantedFields wanted, String name) throws IOException {
            var element = new Fields(name);
            value(wanted, "", element);
            return element;
        }

        private String raw(String path) throws IOException {
            int from = (int) parser.currentTokenLocation().getCharOffset();
            parser.skipChildren();
            int to = (int) parser.currentLocation().getCharOffset();
            if (to - from > LONGEST_RAW) {
                throw new UnreadableException(path + " is longer than " + LONGEST_RAW + " characters");
            }
            return text.substring(from, to);
        }
    }
}
