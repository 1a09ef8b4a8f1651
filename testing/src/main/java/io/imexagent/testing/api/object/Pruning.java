package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What was found while a tree was fitted into the shape of its type. */
public final class Pruning {
    private final List<String> unknown = new ArrayList<>();
    private final List<Cause> wrongTypes = new ArrayList<>();

    void unknown(String path) {
        unknown.add(path);
    }

    void wrongType(String path, JsonNode actual, String expected) {
        wrongTypes.add(Cause.wrongType(path, actual.getNodeType().name().toLowerCase(Locale.ROOT), expected));
    }

    /** The paths of the fields that were dropped. */
    public List<String> unknownFields() {
        return List.copyOf(unknown);
    }

    /** Values of the wrong JSON type. */
    public List<Cause> wrongTypes() {
        return List.copyOf(wrongTypes);
    }
}
