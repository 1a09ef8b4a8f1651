package io.imexagent.e2e.controller;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.access.RequestAdmission;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Enforces the ValidatingAdmissionPolicies that are stored and bound, as the API server does: match conditions, then
 * variables one after the other, then validations. An expression that breaks refuses the write where the policy fails
 * closed.
 */
public final class StoredPolicies implements RequestAdmission {

    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);
    private static final CelCompiler COMPILER = CelCompilerFactory.standardCelCompilerBuilder()
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addLibraries(CelExtensions.strings(), CelExtensions.comprehensions())
            .addVar("object", SimpleType.DYN)
            .addVar("oldObject", SimpleType.DYN)
            .addVar("request", SimpleType.DYN)
            .addVar("variables", SimpleType.DYN)
            .build();
    private static final CelRuntime RUNTIME = CelRuntimeFactory.legacyCelRuntimeBuilder()
            .addLibraries(CelExtensions.strings(), CelExtensions.comprehensions())
            .build();

    private final ApiDouble api;
    private final Map<String, CelRuntime.Program> programs = new ConcurrentHashMap<>();

    /** The policies of this cluster, as they are at each write. */
    public StoredPolicies(ApiDouble api) {
        this.api = api;
    }

    @Override
    public void check(UserIdentity identity, AdmittedWrite write) {
        for (JsonNode binding : api.list(ResourceType.VALIDATING_ADMISSION_POLICY_BINDINGS)) {
            String name = binding.at("/spec/policyName").asText();
            api.get(ResourceType.VALIDATING_ADMISSION_POLICIES, "", name)
                    .map(policy -> policy.path("spec"))
                    .filter(spec -> spec.at("/matchConstraints/resourceRules")
                            .valueStream()
                            .anyMatch(rule -> matches(rule, write)))
                    .ifPresent(spec -> judge(name, spec, identity, write));
        }
    }

    private static boolean matches(JsonNode rule, AdmittedWrite write) {
        String resource = write.type().plural() + (write.subresource().isEmpty() ? "" : "/" + write.subresource());
        return has(rule, "apiGroups", write.type().group())
                && has(rule, "resources", resource)
                && has(rule, "operations", operation(write.verb()));
    }

    private static boolean has(JsonNode rule, String list, String value) {
        return rule.path(list)
                .valueStream()
                .anyMatch(one -> one.asText().equals(value) || one.asText().equals("*"));
    }

    private static String operation(RequestVerb verb) {
        return switch (verb) {
            case CREATE -> "CREATE";
            case DELETE, DELETECOLLECTION -> "DELETE";
            case UPDATE, PATCH, GET, LIST, WATCH -> "UPDATE";
        };
    }

    private void judge(String policy, JsonNode spec, UserIdentity identity, AdmittedWrite write) {
        try {
            Map<String, Object> inputs = inputs(identity, write);
            for (JsonNode condition : spec.path("matchConditions")) {
                if (!holds(condition, inputs)) {
                    return;
                }
            }
            Map<String, Object> variables = new LinkedHashMap<>();
            inputs.put("variables", variables);
            for (JsonNode variable : spec.path("variables")) {
                variables.put(variable.path("name").asText(), evaluate(variable, inputs));
            }
            for (JsonNode validation : spec.path("validations")) {
                if (!holds(validation, inputs)) {
                    throw denied(write, policy, validation.path("message").asText());
                }
            }
        } catch (CelValidationException | CelEvaluationException broken) {
            if (!spec.path("failurePolicy").asText().equals("Ignore")) {
                throw denied(write, policy, String.valueOf(broken.getMessage()));
            }
        }
    }

    private static StatusException denied(AdmittedWrite write, String policy, String message) {
        ObjectNode object = write.now().or(write::old).orElseThrow();
        return StatusException.denied(write.type(), object.at("/metadata/name").asText(), policy, message);
    }

    private static Map<String, Object> inputs(UserIdentity identity, AdmittedWrite write) {
        ObjectNode user = JSON.createObjectNode().put("username", identity.user());
        identity.groups().forEach(user.putArray("groups")::add);
        ObjectNode request = JSON.createObjectNode().put("operation", operation(write.verb()));
        request.set("userInfo", user);
        Map<String, Object> inputs = new HashMap<>();
        inputs.put("request", value(request));
        inputs.put("object", write.now().map(StoredPolicies::value).orElse(Map.of()));
        inputs.put("oldObject", write.old().map(StoredPolicies::value).orElse(Map.of()));
        return inputs;
    }

    private static Map<String, Object> value(ObjectNode object) {
        return JSON.convertValue(object, new TypeReference<Map<String, Object>>() {});
    }

    private boolean holds(JsonNode expression, Map<String, Object> inputs)
            throws CelValidationException, CelEvaluationException {
        return Boolean.TRUE.equals(evaluate(expression, inputs));
    }

    private Object evaluate(JsonNode named, Map<String, Object> inputs)
            throws CelValidationException, CelEvaluationException {
        String expression = named.path("expression").asText();
        CelRuntime.Program program = programs.get(expression);
        if (program == null) {
            program = RUNTIME.createProgram(COMPILER.compile(expression).getAst());
            programs.put(expression, program);
        }
        return program.eval(inputs);
    }
}
