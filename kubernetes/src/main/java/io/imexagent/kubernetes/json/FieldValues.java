package io.imexagent.kubernetes.json;

import io.imexagent.kubernetes.ObjectRef;
import io.imexagent.kubernetes.Stored;
import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The values of wanted fields by path. A value of another type than the requested one counts as missing; the path of an
 * element is empty.
 */
public final class FieldValues {

    /** An array or an object: the wanted values of each element or field, and the number of them all. */
    public record Many(List<FieldValues> each, int count) {}

    private static final Many NONE = new Many(List.of(), 0);

    private final String name;
    private final Map<String, Object> values = new HashMap<>();
    private Optional<String> fault = Optional.empty();
    private int spent;

    public FieldValues(String name) {
        this.name = name;
    }

    public void put(String path, Object value) {
        values.put(path, value);
    }

    public void fault(String reason) {
        fault = fault.or(() -> Optional.of(reason));
    }

    public void spent(int bytes) {
        spent += bytes;
    }

    /** An upper estimate of the memory, in bytes, of all values read from the object. */
    public int spent() {
        return spent;
    }

    public void requireSound() throws UnreadableException {
        if (fault.isPresent()) {
            throw new UnreadableException(fault.get());
        }
    }

    /** An object as the server wrote it; empty if it is missing. */
    public Optional<JsonScanner.Raw> raw(String path) {
        return values.get(path) instanceof JsonScanner.Raw raw ? Optional.of(raw) : Optional.empty();
    }

    public String name() {
        return name;
    }

    public boolean has(String path) {
        return values.containsKey(path);
    }

    public String text(String path) {
        return values.get(path) instanceof String text ? text : "";
    }

    public Optional<String> given(String path) {
        return Optional.of(text(path)).filter(text -> !text.isEmpty());
    }

    /** A time of RFC 3339; empty if it is missing. Fails if the text is not a time. */
    public Optional<Instant> time(String path) throws UnreadableException {
        try {
            return given(path).map(Instant::parse);
        } catch (DateTimeParseException e) {
            throw new UnreadableException(path + " is no time");
        }
    }

    public String required(String path) throws UnreadableException {
        if (text(path).isEmpty()) {
            throw new UnreadableException("no " + path);
        }
        return text(path);
    }

    public boolean isTrue(String path) {
        return Boolean.TRUE.equals(values.get(path));
    }

    public boolean isFlag(String path) {
        return values.get(path) instanceof Boolean;
    }

    /** A whole number; empty if it is missing or does not fit in 64 bits. */
    public OptionalLong whole(String path) {
        return values.get(path) instanceof Long number ? OptionalLong.of(number) : OptionalLong.empty();
    }

    /** A whole number; {@code otherwise} if it is missing or does not fit in 32 bits. */
    public int whole(String path, int otherwise) {
        long number = whole(path).orElse(otherwise);
        return number == (int) number ? (int) number : otherwise;
    }

    public int count(String path) {
        return many(path).count();
    }

    public List<FieldValues> each(String path) {
        return many(path).each();
    }

    /** Builds an object from each element of an array. */
    public <T> List<T> each(String path, Decoder.ObjectBuilder<T> making) throws IOException {
        List<T> made = new ArrayList<>();
        for (FieldValues element : each(path)) {
            made.add(making.of(element));
        }
        return made;
    }

    public List<String> texts(String path) {
        return each(path).stream().map(element -> element.text("")).toList();
    }

    public Map<String, String> map(String path) {
        var texts = new LinkedHashMap<String, String>();
        each(path).forEach(field -> texts.put(field.name(), field.text("")));
        return texts;
    }

    private Many many(String path) {
        return values.get(path) instanceof Many many ? many : NONE;
    }

    /** The identity and version of an object that has a namespace. */
    public ObjectRef ref() throws UnreadableException {
        required("metadata.namespace");
        return stored("").ref();
    }

    public <T> Stored<T> stored(T content) throws UnreadableException {
        var ref = new ObjectRef(
                required("metadata.uid"),
                text("metadata.namespace"),
                required("metadata.name"),
                required("metadata.resourceVersion"));
        return new Stored<>(ref, deleting(), content);
    }

    public boolean deleting() {
        return has("metadata.deletionTimestamp");
    }

    public List<String> finalizers() {
        return texts("metadata.finalizers");
    }

    /** Namespace and name, as people write them; a missing one is left out. */
    public String path() {
        return new ObjectRef("", text("metadata.namespace"), text("metadata.name"), "").path();
    }
}
