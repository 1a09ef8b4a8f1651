package io.imexagent.controller.manifests;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import io.imexagent.controller.manifests.Manifests.ManifestOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Evaluates the CEL of a ValidatingAdmissionPolicy as the API server does: match conditions, then variables one after
 * the other, then validations. An expression that breaks breaks the test.
 */
final class Policy {

    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);
    private static final CelCompiler COMPILER = CelCompilerFactory.standardCelCompilerBuilder()
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addLibraries(CelExtensions.strings(), CelExtensions.comprehensions())
            .addVar("object", SimpleType.DYN)
            .addVar("oldObject", SimpleType.DYN)
            .addVar("request", SimpleType.DYN)
            .addVar("params", SimpleType.DYN)
            .addVar("variables", SimpleType.DYN)
            .addVar("device", SimpleType.DYN)
            .addVar("self", SimpleType.DYN)
            .addVar("oldSelf", SimpleType.DYN)
            .build();
    private static final CelRuntime RUNTIME = CelRuntimeFactory.legacyCelRuntimeBuilder()
            .addLibraries(CelExtensions.strings(), CelExtensions.comprehensions())
            .build();

    private final JsonNode spec;
    private final Map<String, Object> inputs = new HashMap<>();
    private final CountedLists lists = new CountedLists();

    Policy(ManifestOptions options, String name) {
        this(options, "ValidatingAdmissionPolicy", name);
    }

    Policy(ManifestOptions options, String kind, String name) {
        this.spec = Cluster.object(options, kind, name).path("spec");
        with("object", "{}").with("oldObject", "{}");
        request("CREATE", "somebody");
    }

    /** Sets one input, as JSON. */
    Policy with(String name, String json) {
        inputs.put(name, lists.counted(value(json)));
        return this;
    }

    /** How often the elements of lists were read by all expressions so far. */
    int reads() {
        return lists.reads();
    }

    /** Sets what is asked, and by whom. */
    Policy request(String operation, String user) {
        return with("request", """
            {"operation":"%s","userInfo":{"username":"%s"}}\
            """.formatted(operation, user));
    }

    /** The messages of the validations that do not hold; none where the policy does not match. */
    List<String> refusals() {
        if (!matches()) {
            return List.of();
        }
        Map<String, Object> all = new HashMap<>(inputs);
        all.put("variables", variables());
        List<String> refusals = new ArrayList<>();
        for (JsonNode validation : spec.path("validations")) {
            if (!holds(validation.path("expression").asText(), all)) {
                refusals.add(validation.path("message").asText());
            }
        }
        return refusals;
    }

    /** Whether the match conditions let an object get as far as the rest. */
    boolean matches() {
        for (JsonNode condition : spec.path("matchConditions")) {
            if (!holds(condition.path("expression").asText(), inputs)) {
                return false;
            }
        }
        return true;
    }

    /** The variables, each made with those before it. */
    Map<String, Object> variables() {
        Map<String, Object> all = new HashMap<>(inputs);
        Map<String, Object> variables = new LinkedHashMap<>();
        all.put("variables", variables);
        for (JsonNode variable : spec.path("variables")) {
            variables.put(
                    variable.path("name").asText(),
                    evaluate(variable.path("expression").asText(), all));
        }
        return variables;
    }

    static boolean holds(String expression, Map<String, Object> inputs) {
        return Boolean.TRUE.equals(evaluate(expression, inputs));
    }

    /** Whether a rule of a definition accepts this; the API server refuses what breaks a rule. */
    static boolean accepts(String rule, Object self) {
        try {
            return Boolean.TRUE.equals(program(rule).eval(Map.of("self", self)));
        } catch (CelEvaluationException broken) {
            return false;
        }
    }

    static Map<String, Object> value(String json) {
        try {
            return JSON.readValue(json, new TypeReference<Map<String, Object>>() {});
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new AssertionError("no JSON: " + json, e);
        }
    }

    private static Object evaluate(String expression, Map<String, Object> inputs) {
        try {
            return program(expression).eval(inputs);
        } catch (CelEvaluationException e) {
            throw new AssertionError("breaks: " + expression, e);
        }
    }

    private static CelRuntime.Program program(String expression) throws CelEvaluationException {
        try {
            return RUNTIME.createProgram(COMPILER.compile(expression).getAst());
        } catch (CelValidationException e) {
            throw new AssertionError("is no CEL: " + expression, e);
        }
    }
}
