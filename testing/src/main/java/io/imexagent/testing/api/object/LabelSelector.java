package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A label selector in its text form: {@code a=b,c!=d,e in (f,g),h notin (i),j,!k}. */
public final class LabelSelector {
    /** Matches everything. */
    public static final LabelSelector ALL = new LabelSelector(List.of());

    /** A comma outside parentheses. */
    private static final Pattern COMMA = Pattern.compile(",(?![^(]*\\))");

    private static final String KEY = "([A-Za-z0-9][-A-Za-z0-9_./]*)";
    private static final Pattern EQUALITY = Pattern.compile(KEY + "\\s*(==|=|!=)\\s*([-A-Za-z0-9_.]*)");
    private static final Pattern SET = Pattern.compile(KEY + "\\s+(in|notin)\\s*\\(([^()]*)\\)");
    private static final Pattern PRESENCE = Pattern.compile("(!?)\\s*" + KEY);

    private record Requirement(String key, Set<String> values, boolean anyValue, boolean negated) {
        boolean matches(JsonNode labels) {
            boolean hit = labels.has(key)
                    && (anyValue || values.contains(labels.path(key).asText()));
            return hit != negated;
        }
    }

    private final List<Requirement> requirements;

    private LabelSelector(List<Requirement> requirements) {
        this.requirements = List.copyOf(requirements);
    }

    /** Parses a selector; a text that is none is a refusal with 400. */
    public static LabelSelector parse(String text) {
        List<Requirement> requirements = new ArrayList<>();
        for (String part : COMMA.splitAsStream(text).toList()) {
            if (!part.isBlank()) {
                requirements.add(requirement(part.strip(), text));
            }
        }
        return new LabelSelector(requirements);
    }

    /** Whether an object has the labels. */
    public boolean matches(JsonNode object) {
        JsonNode labels = object.path("metadata").path("labels");
        return requirements.stream().allMatch(requirement -> requirement.matches(labels));
    }

    private static Requirement requirement(String part, String whole) {
        Matcher equality = EQUALITY.matcher(part);
        if (equality.matches()) {
            boolean negated = equality.group(2).equals("!=");
            return new Requirement(equality.group(1), Set.of(equality.group(3)), false, negated);
        }
        Matcher set = SET.matcher(part);
        if (set.matches()) {
            Set<String> values =
                    COMMA.splitAsStream(set.group(3)).map(String::strip).collect(Collectors.toSet());
            return new Requirement(set.group(1), values, false, set.group(2).equals("notin"));
        }
        Matcher presence = PRESENCE.matcher(part);
        if (presence.matches()) {
            return new Requirement(
                    presence.group(2), Set.of(), true, !presence.group(1).isEmpty());
        }
        throw StatusException.badRequest(
                "unable to parse requirement: " + part + " in label selector \"" + whole + "\"");
    }
}
