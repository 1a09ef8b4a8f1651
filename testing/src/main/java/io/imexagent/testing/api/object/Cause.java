package io.imexagent.testing.api.object;

/**
 * One fault of an object: a cause in the details of an Invalid status, with a machine-readable reason such as {@code
 * FieldValueInvalid}.
 */
public record Cause(String reason, String field, String message) {
    /** A value that is not allowed. */
    public static Cause invalid(String field, String value, String why) {
        return new Cause("FieldValueInvalid", field, "Invalid value: " + value + ": " + why);
    }

    /** A value that breaks a rule of the definition; the server does not repeat it. */
    static Cause rule(String field, String why) {
        return new Cause("FieldValueInvalid", field, "Invalid value: " + why);
    }

    static Cause text(String field, String value, String why) {
        return invalid(field, "\"" + value + "\"", why);
    }

    static Cause required(String field) {
        return new Cause("FieldValueRequired", field, "Required value");
    }

    static Cause tooMany(String field, int actual, int allowed) {
        return new Cause(
                "FieldValueTooMany", field, "Too many: " + actual + ": must have at most " + allowed + " items");
    }

    static Cause tooLong(String field, int allowed) {
        return new Cause("FieldValueTooLong", field, "Too long: may not be more than " + allowed + " bytes");
    }

    /** Something that may not be done to the field. */
    static Cause forbidden(String field, String why) {
        return new Cause("FieldValueForbidden", field, "Forbidden: " + why);
    }
}
