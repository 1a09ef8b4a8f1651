package io.imexagent.agent.prepare;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.imexagent.core.claim.ComputeDomainConfig;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.claim.ConfigDecoder;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.policy.DriverNames;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decodes the opaque parameters of a claim ({@code resource.nvidia.com/v1beta1}), strictly: a field that is unknown,
 * there twice, of another type or missing, another kind or version, broken JSON and text after it are each
 * {@link Decoded.Invalid} with the field's name. As in the public driver, a field that is null counts as missing.
 */
public final class OpaqueConfigDecoder implements ConfigDecoder {

    /** Kubernetes takes at most 10 KiB of opaque parameters; more did not come from there. */
    private static final int LARGEST = 64 << 10;

    private static final JsonFactory JSON = new JsonFactoryBuilder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(8).build())
            .build();

    @Override
    public Decoded decode(JsonText parameters) {
        if (parameters.text().length() > LARGEST) {
            return new Decoded.Invalid("it is longer than " + LARGEST + " characters");
        }
        try (JsonParser json = JSON.createParser(parameters.text())) {
            return config(fields(json));
        } catch (Fault fault) {
            return new Decoded.Invalid(fault.reason);
        } catch (JsonProcessingException broken) {
            return new Decoded.Invalid("it is broken JSON at character "
                    + (broken.getLocation() == null ? 0 : broken.getLocation().getColumnNr()));
        } catch (IOException unreadable) {
            return new Decoded.Invalid("it is no readable JSON");
        }
    }

    private static Map<Field, String> fields(JsonParser json) throws IOException, Fault {
        JsonToken first = json.nextToken();
        if (first != JsonToken.START_OBJECT) {
            throw new Fault("it must be a JSON object, not " + (first == null ? "empty" : type(first)));
        }
        var fields = new EnumMap<Field, String>(Field.class);
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            Field field = Field.of(name)
                    .orElseThrow(() -> new Fault("unknown field " + Quoted.of(name) + "; there are " + Field.names()));
            JsonToken value = json.nextToken();
            if (value != JsonToken.VALUE_STRING && value != JsonToken.VALUE_NULL) {
                throw new Fault("field \"" + name + "\" must be a string, not " + type(value));
            }
            String text = value == JsonToken.VALUE_NULL ? "" : json.getText();
            if (fields.putIfAbsent(field, text) != null) {
                throw new Fault("field \"" + name + "\" is there twice");
            }
        }
        if (json.nextToken() != null) {
            throw new Fault("there is more after the JSON object");
        }
        return fields;
    }

    private static Decoded config(Map<Field, String> fields) throws Fault {
        String version = required(fields, Field.API_VERSION);
        if (!version.equals(DriverNames.API_VERSION)) {
            throw new Fault(
                    "field \"apiVersion\" must be \"" + DriverNames.API_VERSION + "\", not " + Quoted.of(version));
        }
        String kind = required(fields, Field.KIND);
        return switch (kind) {
            case "ComputeDomainChannelConfig" ->
                new Decoded.Valid(new ComputeDomainConfig.Channel(
                        domain(fields), fields.getOrDefault(Field.ALLOCATION_MODE, "")));
            case "ComputeDomainDaemonConfig" -> {
                if (fields.containsKey(Field.ALLOCATION_MODE)) {
                    throw new Fault("unknown field \"allocationMode\" in a ComputeDomainDaemonConfig");
                }
                yield new Decoded.Valid(new ComputeDomainConfig.Daemon(domain(fields)));
            }
            default ->
                throw new Fault("field \"kind\" must be ComputeDomainChannelConfig or ComputeDomainDaemonConfig, not "
                        + Quoted.of(kind));
        };
    }

    private static ComputeDomainUid domain(Map<Field, String> fields) throws Fault {
        return new ComputeDomainUid(required(fields, Field.DOMAIN_ID));
    }

    private static String required(Map<Field, String> fields, Field field) throws Fault {
        String value = fields.getOrDefault(field, "");
        if (value.isEmpty()) {
            throw new Fault("field \"" + field.wire + "\" is missing or empty");
        }
        return value;
    }

    private static String type(JsonToken token) {
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
            case VALUE_TRUE, VALUE_FALSE -> "a boolean";
            case VALUE_NULL -> "null";
            case VALUE_STRING -> "a string";
            case VALUE_EMBEDDED_OBJECT, FIELD_NAME, END_ARRAY, END_OBJECT, NOT_AVAILABLE -> "something else";
        };
    }

    private enum Field {
        API_VERSION("apiVersion"),
        KIND("kind"),
        DOMAIN_ID("domainID"),
        ALLOCATION_MODE("allocationMode");

        private final String wire;

        Field(String wire) {
            this.wire = wire;
        }

        static Optional<Field> of(String name) {
            return Stream.of(values()).filter(field -> field.wire.equals(name)).findFirst();
        }

        static String names() {
            return Stream.of(values()).map(field -> field.wire).collect(Collectors.joining(", "));
        }
    }

    /** Ends decoding. */
    private static final class Fault extends Exception {

        private static final long serialVersionUID = 1L;

        private final String reason;

        Fault(String reason) {
            super(reason, null, false, false);
            this.reason = reason;
        }
    }
}
