package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringTokenizer;

/** A field selector in its text form: {@code spec.nodeName=a,spec.driver!=b}. */
public final class FieldSelector {
    /** Matches everything. */
    public static final FieldSelector ALL = new FieldSelector(List.of());

    private record Requirement(String field, String value, boolean negated) {
        boolean matches(JsonNode object) {
            return Json.text(object, field).equals(value) != negated;
        }
    }

    private final List<Requirement> requirements;

    private FieldSelector(List<Requirement> requirements) {
        this.requirements = List.copyOf(requirements);
    }

    /** Parses a selector; a field that the type does not offer for selection is a refusal with 400. */
    public static FieldSelector parse(ResourceType type, String text) {
        List<Requirement> requirements = new ArrayList<>();
        StringTokenizer terms = new StringTokenizer(text, ",");
        while (terms.hasMoreTokens()) {
            requirements.add(requirement(type, terms.nextToken().strip(), text));
        }
        return requirements.isEmpty() ? ALL : new FieldSelector(requirements);
    }

    /** Whether an object has the values. */
    public boolean matches(JsonNode object) {
        return requirements.stream().allMatch(requirement -> requirement.matches(object));
    }

    /** The value that the selector demands of a field. */
    public Optional<String> demanded(String field) {
        return requirements.stream()
                .filter(requirement -> requirement.field().equals(field) && !requirement.negated())
                .map(Requirement::value)
                .findFirst();
    }

    private static Requirement requirement(ResourceType type, String term, String whole) {
        int equals = term.indexOf('=');
        if (equals <= 0) {
            throw StatusException.badRequest("invalid selector: '" + whole + "'; can't understand '" + term + "'");
        }
        boolean negated = term.charAt(equals - 1) == '!';
        String field = term.substring(0, negated ? equals - 1 : equals);
        int value = term.startsWith("==", equals) ? equals + 2 : equals + 1;
        if (!type.selectable(field)) {
            throw StatusException.badRequest("Unable to find \"" + type.apiVersion() + ", Resource=" + type.plural()
                    + "\" that match label selector \"\", field selector \"" + whole
                    + "\": field label not supported: " + field);
        }
        return new Requirement(field, term.substring(value), negated);
    }
}
