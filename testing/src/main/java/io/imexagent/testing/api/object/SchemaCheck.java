package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * A part of a custom resource, checked field by field as the schema of its definition does. A field that is not there
 * meets everything but {@link #required}.
 *
 * @param node the part; missing where the object lacks it
 * @param path where it stands
 * @param causes what was found
 */
record SchemaCheck(JsonNode node, String path, List<Cause> causes) {
    SchemaCheck in(String field) {
        return new SchemaCheck(node.path(field), path(field), causes);
    }

    SchemaCheck required(String... fields) {
        for (String field : fields) {
            if (!node.isMissingNode() && !node.has(field)) {
                causes.add(Cause.required(path(field), ""));
            }
        }
        return this;
    }

    SchemaCheck text(String field, int shortest, int longest) {
        if (node.has(field)) {
            String text = node.path(field).asText();
            if (text.length() < shortest) {
                invalid(field, "should be at least " + shortest + " chars long");
            }
            if (text.length() > longest) {
                causes.add(Cause.tooLong(path(field), longest));
            }
        }
        return this;
    }

    SchemaCheck matching(String field, Pattern pattern) {
        if (node.has(field) && !pattern.matcher(node.path(field).asText()).matches()) {
            invalid(field, "should match '" + pattern + "'");
        }
        return this;
    }

    SchemaCheck oneOf(String field, String... values) {
        if (node.has(field) && !List.of(values).contains(node.path(field).asText())) {
            causes.add(Cause.unsupported(
                    path(field), node.path(field).asText(), "\"" + String.join("\", \"", values) + "\""));
        }
        return this;
    }

    SchemaCheck whole(String field, long least, long largest) {
        if (node.has(field)) {
            if (!node.path(field).canConvertToLong() || node.path(field).asLong() > largest) {
                invalid(field, "should be less than or equal to " + largest);
            } else if (node.path(field).asLong() < least) {
                invalid(field, "should be greater than or equal to " + least);
            }
        }
        return this;
    }

    SchemaCheck time(String field) {
        if (node.has(field)) {
            try {
                OffsetDateTime.parse(node.path(field).asText());
            } catch (DateTimeException e) {
                invalid(field, "must be of type date-time");
            }
        }
        return this;
    }

    /** A list of so many items at most, of which no two are the same, or have the same key. */
    SchemaCheck items(String field, int most, String key, Consumer<SchemaCheck> check) {
        JsonNode list = node.path(field);
        if (list.size() > most) {
            causes.add(Cause.tooMany(path(field), list.size(), most));
        }
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < list.size(); i++) {
            String item = field + "[" + i + "]";
            String identity = (key.isEmpty() ? list.get(i) : list.get(i).path(key)).asText();
            if (!seen.add(identity)) {
                causes.add(Cause.duplicate(path(item), identity));
            }
            check.accept(new SchemaCheck(list.get(i), path(item), causes));
        }
        return this;
    }

    private void invalid(String field, String why) {
        causes.add(Cause.invalid(path(field), node.path(field).toString(), path(field) + " in body " + why));
    }

    private String path(String field) {
        return path.isEmpty() ? field : path + "." + field;
    }
}
