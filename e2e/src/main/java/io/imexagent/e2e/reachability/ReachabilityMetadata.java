package io.imexagent.e2e.reachability;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What native-image cannot see by itself, in the form of {@code reachability-metadata.json}: types and members that are
 * reached by reflection or from native code, dynamic proxies, and resources. Types have binary names.
 */
final class ReachabilityMetadata {

    /** Members of a type as a whole. */
    enum Members {
        DECLARED_FIELDS("allDeclaredFields"),
        DECLARED_METHODS("allDeclaredMethods"),
        DECLARED_CONSTRUCTORS("allDeclaredConstructors"),
        PUBLIC_FIELDS("allPublicFields"),
        PUBLIC_METHODS("allPublicMethods"),
        PUBLIC_CONSTRUCTORS("allPublicConstructors");

        private final String property;

        Members(String property) {
            this.property = property;
        }
    }

    /** A type that is reached only where another one is; the condition is empty for one that is always. */
    private record TypeKey(String type, String condition) implements Comparable<TypeKey> {
        @Override
        public int compareTo(TypeKey other) {
            int byType = type.compareTo(other.type);
            return byType == 0 ? condition.compareTo(other.condition) : byType;
        }
    }

    private record Method(String name, List<String> parameters) implements Comparable<Method> {
        @Override
        public int compareTo(Method other) {
            return toString().compareTo(other.toString());
        }
    }

    private static final class Type {
        private final SortedSet<Members> members = new TreeSet<>();
        private final SortedSet<String> fields = new TreeSet<>();
        private final SortedSet<Method> methods = new TreeSet<>();
        private boolean fromNativeCode;
    }

    private final SortedMap<TypeKey, Type> types = new TreeMap<>();
    private final SortedSet<String> proxies = new TreeSet<>();
    private final SortedSet<String> resources = new TreeSet<>();

    void type(String name, Members... members) {
        at(name, "").members.addAll(List.of(members));
    }

    /** A type that is needed only where {@code condition} is reached. */
    void typeWhere(String condition, String name, Members... members) {
        at(name, condition).members.addAll(List.of(members));
    }

    /** A method; a constructor has the name {@code <init>}. */
    void method(String type, String name, List<String> parameters) {
        at(type, "").methods.add(new Method(name, parameters));
    }

    void methodWhere(String condition, String type, String name, List<String> parameters) {
        at(type, condition).methods.add(new Method(name, parameters));
    }

    void field(String type, String name) {
        at(type, "").fields.add(name);
    }

    /** A type that native code looks up, with the members that it has here. */
    void fromNativeCode(String type) {
        at(type, "").fromNativeCode = true;
    }

    /** A proxy of these interfaces, in this order. */
    void proxy(String... interfaces) {
        proxies.add(String.join(",", interfaces));
    }

    void resource(String path) {
        resources.add(path);
    }

    private Type at(String name, String condition) {
        return types.computeIfAbsent(new TypeKey(name, condition), missing -> new Type());
    }

    ObjectNode document() {
        ObjectNode document = Json.object();
        ArrayNode reflection = document.putArray("reflection");
        types.forEach((key, type) -> write(key, type, reflection.addObject()));
        proxies.forEach(interfaces -> {
            ArrayNode names = reflection.addObject().putObject("type").putArray("proxy");
            List.of(interfaces.split(",")).forEach(names::add);
        });
        ArrayNode files = document.putArray("resources");
        resources.forEach(path -> files.addObject().put("glob", path));
        return document;
    }

    private static void write(TypeKey key, Type type, ObjectNode entry) {
        if (!key.condition.isEmpty()) {
            entry.putObject("condition").put("typeReached", key.condition);
        }
        entry.put("type", key.type);
        if (type.fromNativeCode) {
            entry.put("jniAccessible", true);
        }
        type.members.forEach(members -> entry.put(members.property, true));
        if (!type.fields.isEmpty()) {
            ArrayNode fields = entry.putArray("fields");
            type.fields.forEach(field -> fields.addObject().put("name", field));
        }
        if (!type.methods.isEmpty()) {
            ArrayNode methods = entry.putArray("methods");
            type.methods.forEach(method -> {
                ArrayNode parameters =
                        methods.addObject().put("name", method.name).putArray("parameterTypes");
                method.parameters.forEach(parameters::add);
            });
        }
    }
}
