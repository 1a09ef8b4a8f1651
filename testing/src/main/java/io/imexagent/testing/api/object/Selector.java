package io.imexagent.testing.api.object;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A selector in its text form: of labels {@code a=b,c!=d,e in (f,g),h notin (i),j,!k}, of fields {@code
 * spec.nodeName=a,spec.driver!=b}.
 */
public final class Selector {
    public static final Selector ALL = new Selector(List.of());

    /** A comma outside parentheses. */
    private static final Pattern COMMA = Pattern.compile(",(?![^(]*\\))");

    private static final String KEY = "([A-Za-z0-9][-A-Za-z0-9_./]*)";
    private static final Pattern EQUALITY = Pattern.compile(KEY + "\\s*(==|=|!=)\\s*([-A-Za-z0-9_.]*)");
    private static final Pattern SET = Pattern.compile(KEY + "\\s+(in|notin)\\s*\\(([^()]*)\\)");
    private static final Pattern PRESENCE = Pattern.compile("(!?)\\s*" + KEY);
    private static final Pattern FIELD = Pattern.compile("([^=!]+)(==|=|!=)(.*)");

    /** What is demanded of a value: to be one of these, or where none are given to be there; or the opposite. */
    private record Requirement(
            String key, Set<String> values, boolean negated, Function<JsonNode, Optional<String>> value) {
        boolean matches(JsonNode object) {
            return value.apply(object)
                            .filter(found -> values.isEmpty() || values.contains(found))
                            .isPresent()
                    != negated;
        }

        static Requirement ofLabel(String key, Set<String> values, boolean negated) {
            return new Requirement(
                    key,
                    values,
                    negated,
                    object -> Optional.ofNullable(object.at("/metadata/labels").get(key))
                            .map(JsonNode::asText));
        }
    }

    private final List<Requirement> requirements;

    private Selector(List<Requirement> requirements) {
        this.requirements = requirements;
    }

    /** Parses a selector of labels; a text that is none is a refusal with 400. */
    public static Selector ofLabels(String text) {
        return parse(text, part -> label(part, text));
    }

    /** Parses a selector of fields; a field that the type does not offer for selection is a refusal with 400. */
    public static Selector ofFields(ResourceType type, String text) {
        return parse(text, part -> field(type, part, text));
    }

    public boolean matches(JsonNode object) {
        return requirements.stream().allMatch(requirement -> requirement.matches(object));
    }

    /** The value that a selector of fields demands of one. */
    public Optional<String> demanded(String field) {
        return requirements.stream()
                .filter(requirement -> requirement.key().equals(field) && !requirement.negated())
                .flatMap(requirement -> requirement.values().stream())
                .findFirst();
    }

    private static Selector parse(String text, Function<String, Requirement> requirement) {
        return new Selector(COMMA.splitAsStream(text)
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .map(requirement)
                .toList());
    }

    private static Requirement field(ResourceType type, String term, String whole) {
        Matcher parts = FIELD.matcher(term);
        if (!parts.matches()) {
            throw StatusException.badRequest("invalid selector: '" + whole + "'; can't understand '" + term + "'");
        }
        String field = parts.group(1);
        if (!type.selectable(field)) {
            throw StatusException.badRequest("Unable to find \"" + type.apiVersion() + ", Resource=" + type.plural()
                    + "\" that match label selector \"\", field selector \"" + whole
                    + "\": field label not supported: " + field);
        }
        JsonPointer place = JsonPointer.compile("/" + field.replace('.', '/'));
        return new Requirement(
                field,
                Set.of(parts.group(3)),
                parts.group(2).equals("!="),
                object -> Optional.of(object.at(place).asText("")));
    }

    private static Requirement label(String part, String whole) {
        Matcher equality = EQUALITY.matcher(part);
        if (equality.matches()) {
            return Requirement.ofLabel(
                    equality.group(1),
                    Set.of(equality.group(3)),
                    equality.group(2).equals("!="));
        }
        Matcher set = SET.matcher(part);
        if (set.matches()) {
            Set<String> values =
                    COMMA.splitAsStream(set.group(3)).map(String::strip).collect(Collectors.toSet());
            return Requirement.ofLabel(set.group(1), values, set.group(2).equals("notin"));
        }
        Matcher presence = PRESENCE.matcher(part);
        if (presence.matches()) {
            return Requirement.ofLabel(
                    presence.group(2), Set.of(), !presence.group(1).isEmpty());
        }
        throw StatusException.badRequest(
                "unable to parse requirement: " + part + " in label selector \"" + whole + "\"");
    }
}
