package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringTokenizer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A field selector in its text form: {@code spec.nodeName=a,spec.driver!=b}. */
public final class FieldSelector {
    /** Matches everything. */
    public static final FieldSelector ALL = new FieldSelector(List.of());

    private static final Pattern TERM = Pattern.compile("([^=!]+)(==|=|!=)(.*)");

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
        return new FieldSelector(requirements);
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
        Matcher parts = TERM.matcher(term);
        if (!parts.matches()) {
            throw StatusException.badRequest("invalid selector: '" + whole + "'; can't understand '" + term + "'");
        }
        if (!type.selectable(parts.group(1))) {
            throw StatusException.badRequest("Unable to find \"" + type.apiVersion() + ", Resource=" + type.plural()
                    + "\" that match label selector \"\", field selector \"" + whole
                    + "\": field label not supported: " + parts.group(1));
        }
        return new Requirement(parts.group(1), parts.group(3), parts.group(2).equals("!="));
    }
}
