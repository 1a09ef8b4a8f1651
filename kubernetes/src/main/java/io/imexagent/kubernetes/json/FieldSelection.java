package io.imexagent.kubernetes.json;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields to read of an object. The object's text is read once; all other fields are skipped.
 *
 * <p>A field is named by its path, {@code spec.pool.name}. {@code []} stands for each element of an array, {@code *}
 * for each field of an object, and a final {@code !} selects an object as the server wrote it. A path that ends at an
 * object or an array selects its number of fields or elements. {@code spec.pool.name,generation} names two fields of
 * one object.
 *
 * <p>Each text is limited by {@link #LONGEST_TEXT} or {@link #longest}, and all values together, including elements of
 * lists, by {@link #ROOM} or {@link #room}. An object that exceeds a limit has a fault, and only its identity is kept.
 */
public final class FieldSelection {

    /**
     * The longest text, in bytes as written. Names in the API have at most 253 characters, keys of labels and
     * finalizers 317.
     */
    public static final int LONGEST_TEXT = 1 << 10;

    /** The memory that the wanted fields of an object may take, in bytes: about a thousand elements of lists. */
    public static final int ROOM = 256 << 10;

    /** The memory of an element without its texts; the next constant is that of a text without its characters. */
    private static final int ELEMENT = 256;

    private static final int TEXT = 64;

    private static final Set<String> IDENTITY =
            Set.of("metadata.uid", "metadata.namespace", "metadata.name", "metadata.resourceVersion");

    private static final String EACH = "*";
    private static final String RAW = "!";

    private final Map<String, FieldSelection> children = new HashMap<>();
    private final String path;
    private int longest = LONGEST_TEXT;
    private int room = ROOM;
    private boolean note;

    private FieldSelection(String path) {
        this.path = path;
    }

    public static FieldSelection of(String... paths) {
        var root = new FieldSelection("");
        for (String path : paths) {
            String inside = path.substring(0, path.split(",", 2)[0].lastIndexOf('.') + 1);
            for (String field : path.substring(inside.length()).split(",", -1)) {
                root.at(inside + field);
            }
        }
        return root;
    }

    /** Selects these fields, and the metadata that is read of every object. */
    public static FieldSelection ofObject(String... paths) {
        FieldSelection root = of(paths);
        IDENTITY.forEach(root::at);
        root.at("metadata.deletionTimestamp");
        root.at("metadata.finalizers[]");
        return root;
    }

    public FieldSelection identified() {
        FieldSelection identity = of().room(room);
        IDENTITY.forEach(identity::at);
        return identity.and(this);
    }

    public FieldSelection and(FieldSelection other) {
        FieldSelection both = of().room(room);
        both.add(this);
        both.add(other);
        return both;
    }

    /** Adds a field whose name may have dots and that any user may write; a text that is too long counts as missing. */
    public FieldSelection note(String object, String name) {
        FieldSelection inside = at(object);
        inside.children.computeIfAbsent(name, none -> new FieldSelection(inside.path + "." + name)).note = true;
        return this;
    }

    public FieldSelection longest(int bytes, String field) {
        at(field).longest = bytes;
        return this;
    }

    public FieldSelection room(int bytes) {
        room = bytes;
        return this;
    }

    private FieldSelection at(String field) {
        FieldSelection at = this;
        for (String step :
                field.replace("[]", "." + EACH).replace(RAW, "." + RAW).split("\\.", -1)) {
            String to = step.equals(EACH) ? "" : at.path.isEmpty() ? step : at.path + "." + step;
            at = at.children.computeIfAbsent(step, none -> new FieldSelection(to));
        }
        return at;
    }

    private void add(FieldSelection other) {
        longest = Math.max(longest, other.longest);
        note |= other.note;
        other.children.forEach((step, child) -> children.computeIfAbsent(step, none -> new FieldSelection(child.path))
                .add(child));
    }

    public FieldValues read(JsonScanner body) throws IOException {
        var fields = new FieldValues("");
        read(body, body.next(), fields);
        return fields;
    }

    /**
     * Reads the fields of the object whose first byte is {@code first}; {@code into} has those that were read also if
     * reading fails.
     */
    public void read(JsonScanner body, int first, FieldValues into) throws IOException {
        body.begin();
        if (first != '{') {
            body.pass(first);
            throw new UnreadableException("no JSON object");
        }
        new Walk(body, into, room).object(this, into);
    }

    private @Nullable FieldSelection child(String name) {
        FieldSelection own = children.get(name);
        return own == null ? children.get(EACH) : own;
    }

    /** A single pass over a text. It descends only into wanted fields, no deeper than the longest path. */
    private static final class Walk {

        private final JsonScanner body;
        private final int room;
        private final FieldValues root;
        private int left;

        Walk(JsonScanner body, FieldValues root, int room) {
            this.body = body;
            this.root = root;
            this.room = room;
            this.left = room;
        }

        private void value(FieldSelection wanted, int first, FieldValues into) throws IOException {
            switch (first) {
                case '{' -> {
                    if (wanted.children.containsKey(RAW)) {
                        into.put(wanted.path, body.raw(first, wanted.longest));
                    } else {
                        object(wanted, into);
                    }
                }
                case '[' -> array(wanted, into);
                case '"' -> text(wanted, body.text(wanted.longest), into);
                default -> literal(wanted, body.literal(first), into);
            }
        }

        private void text(FieldSelection wanted, Optional<String> text, FieldValues into) {
            if (text.isEmpty()) {
                if (!wanted.note) {
                    root.fault(name(wanted) + " has more than " + wanted.longest + " bytes");
                }
            } else if (spent(text.get()) || (into == root && IDENTITY.contains(wanted.path))) {
                into.put(wanted.path, text.get());
            }
        }

        private static String name(FieldSelection wanted) {
            return wanted.path.isEmpty() ? "an element" : wanted.path;
        }

        private static void literal(FieldSelection wanted, Optional<String> literal, FieldValues into)
                throws UnreadableException {
            String text = literal.orElse("0.0");
            if (text.equals("true") || text.equals("false")) {
                into.put(wanted.path, text.equals("true"));
            } else if (text.matches("-?[0-9]+")) {
                try {
                    into.put(wanted.path, Long.parseLong(text));
                } catch (NumberFormatException tooLarge) {
                    // Counts as missing, as any number that does not fit in 64 bits.
                }
            } else if (!text.equals("null") && !text.matches("-?[0-9].*")) {
                throw new UnreadableException("no JSON");
            }
        }

        private void object(FieldSelection wanted, FieldValues into) throws IOException {
            List<FieldValues> each = new ArrayList<>();
            int count = 0;
            for (int first = body.next(); first != '}'; first = body.next()) {
                Optional<String> read = body.name(first, LONGEST_TEXT);
                int value = body.next();
                count++;
                if (read.isEmpty() && wanted.children.containsKey(EACH)) {
                    root.fault("the name of a field in " + name(wanted) + " has more than " + LONGEST_TEXT + " bytes");
                }
                // A name that is too long is not a wanted one.
                String name = read.orElse("");
                FieldSelection child = read.isEmpty() ? null : wanted.child(name);
                if (child == null) {
                    body.pass(value);
                } else if (wanted.children.containsKey(name)) {
                    value(child, value, into);
                } else if (spent(name)) {
                    each.add(each(child, name, value));
                } else {
                    body.pass(value);
                }
            }
            into.put(wanted.path, new FieldValues.Many(each, count));
        }

        private void array(FieldSelection wanted, FieldValues into) throws IOException {
            FieldSelection child = wanted.children.get(EACH);
            List<FieldValues> each = new ArrayList<>();
            int count = 0;
            for (int first = body.next(); first != ']'; first = body.next()) {
                int value = first == ',' ? body.next() : first;
                count++;
                if (child != null && spent("")) {
                    each.add(each(child, "", value));
                } else {
                    body.pass(value);
                }
            }
            into.put(wanted.path, new FieldValues.Many(each, count));
        }

        private FieldValues each(FieldSelection wanted, String name, int first) throws IOException {
            spend(ELEMENT);
            var element = new FieldValues(name);
            value(wanted, first, element);
            return element;
        }

        /** Takes the memory of a text from the remaining room; false if none is left. */
        private boolean spent(String text) {
            return spend(TEXT + 2 * text.length());
        }

        private boolean spend(int bytes) {
            if (left < bytes) {
                left = 0;
                root.fault("what is wanted of it takes more than " + room + " bytes");
                return false;
            }
            left -= bytes;
            root.spent(bytes);
            return true;
        }
    }
}
