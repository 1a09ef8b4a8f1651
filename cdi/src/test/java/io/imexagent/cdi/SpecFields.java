package io.imexagent.cdi;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.core.claim.Quoted;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The fields of one mapping of a spec, read strictly: a field that is not known is a fault, and so is a wrong type. */
final class SpecFields {

    private static final long LARGEST_UNSIGNED_32 = 0xFFFF_FFFFL;

    private final JsonNode node;
    private final String path;

    /**
     * The mapping at the path, which may hold the known fields and no others.
     *
     * @throws InvalidCdiSpecException where it is no mapping, or holds another field
     */
    SpecFields(JsonNode node, String path, Set<String> known) throws InvalidCdiSpecException {
        this.node = node;
        this.path = path;
        if (!node.isObject()) {
            throw new InvalidCdiSpecException(path, "must be a mapping");
        }
        for (Iterator<String> names = node.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!known.contains(name)) {
                throw new InvalidCdiSpecException(path, "unknown field " + Quoted.of(name));
            }
        }
    }

    /** Reads what stands at a path. */
    interface Reader<T> {
        T read(JsonNode node, String path) throws InvalidCdiSpecException;
    }

    /** A text that must be there. */
    String required(String name) throws InvalidCdiSpecException {
        if (absent(node.path(name))) {
            throw new InvalidCdiSpecException(path, "field " + Quoted.of(name) + " is missing");
        }
        return textOf(node.path(name), at(name));
    }

    /** A whole number from 0 to 2³² − 1 that may be missing. */
    OptionalLong number(String name) throws InvalidCdiSpecException {
        JsonNode value = node.path(name);
        return absent(value) ? OptionalLong.empty() : OptionalLong.of(numberOf(value, at(name)));
    }

    /** A device major or minor, also a negative one, which is the rules' matter; 0 where it is missing. */
    long deviceNumber(String name) throws InvalidCdiSpecException {
        JsonNode value = node.path(name);
        if (absent(value)) {
            return 0;
        }
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw new InvalidCdiSpecException(at(name), "must be a whole number");
        }
        return value.longValue();
    }

    /** A list of texts, empty where it is missing. */
    List<String> texts(String name) throws InvalidCdiSpecException {
        return list(name, SpecFields::textOf);
    }

    /** A list, empty where it is missing. */
    <T> List<T> list(String name, Reader<T> reader) throws InvalidCdiSpecException {
        JsonNode value = node.path(name);
        if (absent(value)) {
            return List.of();
        }
        if (!value.isArray()) {
            throw new InvalidCdiSpecException(at(name), "must be a list");
        }
        var items = new ArrayList<T>();
        for (JsonNode item : value) {
            items.add(reader.read(item, at(name) + "[" + items.size() + "]"));
        }
        return items;
    }

    /** A mapping, or nothing where it is missing. */
    <T> Optional<T> mapping(String name, Reader<T> reader) throws InvalidCdiSpecException {
        JsonNode value = node.path(name);
        return absent(value) ? Optional.empty() : Optional.of(reader.read(value, at(name)));
    }

    private String at(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    private static boolean absent(JsonNode value) {
        return value.isMissingNode() || value.isNull();
    }

    private static String textOf(JsonNode value, String path) throws InvalidCdiSpecException {
        if (!value.isTextual()) {
            throw new InvalidCdiSpecException(path, "must be a text");
        }
        return value.textValue();
    }

    private static long numberOf(JsonNode value, String path) throws InvalidCdiSpecException {
        boolean fits = value.isIntegralNumber()
                && value.canConvertToLong()
                && value.longValue() >= 0
                && value.longValue() <= LARGEST_UNSIGNED_32;
        if (!fits) {
            throw new InvalidCdiSpecException(path, "must be a whole number from 0 to " + LARGEST_UNSIGNED_32);
        }
        return value.longValue();
    }
}
